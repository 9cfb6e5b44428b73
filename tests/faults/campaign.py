"""The fault campaign: mutated documents, killed commands, damaged state.

Run:  make faults   (or python tests/faults/campaign.py --documents 2000 --kills 10 --states 20)
Out:  results/faults.json: what was tried, how it ended, every failure; exit 1 where there is one.

Two processes work at a time. Every case follows from its seed and can be repeated alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import commands
import documents
import kills
import states

from phage.provenance import provenance
from phage.storage import write_json

CHUNK = 500
SHARES = {"bytes": 0.5, "values": 0.25, "text": 0.25}
"""How the mutated documents divide into kinds."""


def main() -> None:
    """Run the campaign; end with 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=40_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", default="results/faults.json")
    asked = parser.parse_args()
    since = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as held,
        ProcessPoolExecutor(2, get_context("spawn")) as pool,
    ):
        folder = Path(held)
        places = commands.prepare(folder)
        tasks: dict[str, list[Future[dict[str, Any]]]] = {}
        for name, job, kinds, count in (
            ("kills", kills.campaign, tuple(commands.COMMANDS), asked.kills),
            ("states", states.campaign, states.STATES, asked.states),
        ):
            (folder / name).mkdir()
            each = -(-count // len(kinds))
            given = (places, folder / name, asked.seed, each)
            tasks[name] = [pool.submit(job, kind, *given) for kind in kinds if each]
        tasks["documents"] = [
            pool.submit(documents.campaign, kind, asked.seed * 1000 + turn, CHUNK)
            for kind, share in SHARES.items()
            for turn in range(round(asked.documents * share / CHUNK))
        ]
        figures = {name: _followed(name, found, since) for name, found in tasks.items()}
    failures = [line for part in figures.values() for line in part.pop("failures")]
    seconds = round(time.monotonic() - since)
    result = {**figures, "failures": failures, "seconds": seconds, "seed": asked.seed}
    write_json(Path(asked.output), {**result, "provenance": provenance()})
    print(*failures, f"{len(failures)} failures, {seconds} s", sep="\n")
    sys.exit(bool(failures))


def _followed(name: str, tasks: list[Future[dict[str, Any]]], since: float) -> dict[str, Any]:
    """Wait for the tasks of one part, print how far it is, add their counts up."""
    counts: dict[str, Counter[str]] = {}
    failures: list[str] = []
    for turn, task in enumerate(tasks, 1):
        done = task.result()
        failures += done.pop("failures")
        part = done.pop("kind", name)
        for found in done.values():
            counts.setdefault(part, Counter()).update(found)
        passed = round(time.monotonic() - since)
        print(f"{passed:5d} s  {name} {turn}/{len(tasks)}  {len(failures)} failures", flush=True)
    total = sum(sum(part.values()) for part in counts.values())
    return {"tried": total, **{k: dict(v) for k, v in counts.items()}, "failures": failures}


if __name__ == "__main__":
    main()

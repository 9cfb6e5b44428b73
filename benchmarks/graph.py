"""Claim graphs at corpus size: both parsers, one and two workers, memory.

python benchmarks/graph.py [-o results/graph.json] [--part parsers] [--part workers] [--part memory]

``parsers``: patents a second of ``pattern`` and ``spacy`` on one core, in turns in one process.
``workers``: the whole week through ``phage graph``, one worker and two in turns, wall time.
``memory``: the largest resident size of any process of a run over 1,000 and 20,000 patents.

Times mean little on a busy machine: the load average at the start stands in the result, and
``parsers`` is also given in processor time."""

from __future__ import annotations

import os

# One core for each process, or the parsers would be compared on different numbers of them.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import argparse
import gc
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from phage.claims import Patent, read, write
from phage.graph import GraphSettings, build_graph
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parent.parent
WEEK = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
SAMPLE, TURNS, SEED = 120, 6, 7
FEW, MANY = 1_000, 20_000


def parsers() -> dict[str, Any]:
    """Compare the coupling parsers on the same patents, in turns."""
    patents = [patent for patent in read(WEEK) if patent.claims]
    chosen = random.Random(SEED).sample(patents, SAMPLE)
    wall, cpu = dict.fromkeys(("pattern", "spacy"), 0.0), dict.fromkeys(("pattern", "spacy"), 0.0)
    for name in wall:  # load models and caches first
        build_graph(chosen[0], GraphSettings(parser=name))
    # Or the collector would walk through spaCy's model again and again in both parsers' time.
    gc.freeze()
    for turn in range(TURNS):
        for name in wall:
            start, used = time.perf_counter(), time.process_time()
            for patent in chosen[turn::TURNS]:
                build_graph(patent, GraphSettings(parser=name))
            wall[name] += time.perf_counter() - start
            cpu[name] += time.process_time() - used
    rates = {name: round(SAMPLE / seconds, 2) for name, seconds in wall.items()}
    in_cpu = {name: round(SAMPLE / seconds, 2) for name, seconds in cpu.items()}
    return {
        "patents": SAMPLE,
        "claims": sum(len(patent.claims) for patent in chosen),
        "patents_per_second": rates,
        "patents_per_cpu_second": in_cpu,
        "pattern_over_spacy": round(rates["pattern"] / rates["spacy"], 1),
        "pattern_over_spacy_cpu": round(in_cpu["pattern"] / in_cpu["spacy"], 1),
    }


def measured(*words: object, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run ``phage``; give wall time, processor time, its largest process and its last line."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "phage", *map(str, words)],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        last = deque(started.stdout or (), maxlen=1)
        _, status, used = os.wait4(started.pid, 0)  # of it and of its workers
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode not in codes:
        raise SystemExit(f"phage {words[0]} failed: {started.returncode}")
    return {
        "seconds": round(time.perf_counter() - start, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        "largest_mb": round(used.ru_maxrss / 1024, 1),
        "last": last[0] if last else "",
    }


def graph(source: Path, out: Path, workers: int) -> dict[str, Any]:
    """Run ``phage graph`` and give its graphs, wall time, processor time and largest process."""
    found = measured("graph", source, "-o", out, "--workers", workers, "--json")
    return {"graphs": json.loads(found.pop("last"))["graphs"], **found}


def workers(folder: Path) -> dict[str, Any]:
    """Time the week with one worker and with two, twice in turns; the better time counts."""
    runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    for _, count in itertools.product(range(2), runs):
        runs[count].append(graph(WEEK, folder / f"week-{count}.parquet", count))
    best = {count: min(found, key=lambda run: run["seconds"]) for count, found in runs.items()}
    same = (folder / "week-1.parquet").read_bytes() == (folder / "week-2.parquet").read_bytes()
    # What two free cores could give at most: the same work, and what the second worker adds to it.
    cpu = {count: min(run["cpu_seconds"] for run in found) for count, found in runs.items()}
    return {
        "one": best[1],
        "two": best[2],
        "speedup": round(best[1]["seconds"] / best[2]["seconds"], 2),
        "speedup_at_most_by_cpu": round(2 * cpu[1] / cpu[2], 2),
        "same_bytes": same,
    }


def repeated(count: int) -> Iterator[Patent]:
    """Give as many patents as asked for: the week over and over, each under a number of its own."""
    place = 0
    while True:
        for patent in read(WEEK):
            yield replace(patent, number=f"{patent.number}-{place}")
            place += 1
            if place == count:
                return


def memory(folder: Path) -> dict[str, Any]:
    """Compare the largest process of a short run and of a long one."""
    found = {}
    for name, count in (("few", FEW), ("many", MANY)):
        write(repeated(count), folder / f"{name}.parquet")
        found[name] = graph(folder / f"{name}.parquet", folder / f"{name}-graphs.parquet", 2)
    growth = found["many"]["largest_mb"] / found["few"]["largest_mb"]
    return {**found, "growth": round(growth, 3)}


def main() -> None:
    parts = {"parsers": lambda _: parsers(), "workers": workers, "memory": memory}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/graph.json"))
    parser.add_argument("--part", action="append", choices=list(parts))
    asked = parser.parse_args()
    if not WEEK.exists():
        print(f"skipped: {WEEK} is not here")
        return
    result: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.part or parts:
            load = os.getloadavg()[0]
            result[name] = {**parts[name](Path(folder)), "load_before": round(load, 1)}
            print(name, json.dumps(result[name]))
    write_json(asked.out, {**result, **provenance([WEEK])})


if __name__ == "__main__":
    main()

"""How fast ``phage index`` reads, beside an earlier version of this repository, in one run.

    git worktree add ../before fe4aba5
    python benchmarks/indexing.py --before ../before [-n 128] [-o results/indexing.json]

Both versions index the same patents of the week, spread over all classes, with the embedded model of
this version. The earlier one makes vectors of the first window and of each claim, this one reads title,
abstract and all claims once and pools both from that. Speed is given in word pieces of text per second:
all that reaches a vector, counted once. The versions take turns; the better turn counts. The start (an
index of one patent) is taken off. Processor time stands beside wall time, which other programs
disturb."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from phage.claims import Patent, read, write
from phage.claims.text import claims_text, section_text
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parent.parent
WEEK = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
MODEL = ROOT / "src/phage/models/phage-mini"
TURNS = 2


def pieces(patents: list[Patent], whole: bool) -> int:
    """Count the word pieces that reach a vector of a version, without marks."""
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    texts = [section_text(p, "tac") if whole else claims_text(p.claims) for p in patents]
    return sum(map(len, tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"]))


def indexed(home: Path, source: Path, out: Path) -> dict[str, float]:
    """Index with the version in a folder."""
    shutil.rmtree(out, ignore_errors=True)
    env = {**os.environ, "PYTHONPATH": str(home / "src")}
    start = time.perf_counter()
    words = [sys.executable, "-m", "phage", "index", source, "-o", out, "--model", MODEL, "--json"]
    with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, cwd=home) as started:
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        raise SystemExit(f"phage index failed in {home}: {started.returncode}")
    return {"seconds": time.perf_counter() - start, "cpu_seconds": used.ru_utime + used.ru_stime}


def main() -> None:
    """Let both versions take turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--before", type=Path, required=True, help="a checkout of the earlier version"
    )
    parser.add_argument("-n", type=int, default=128, help="patents")
    parser.add_argument("-o", "--out", type=Path, default=Path("results/indexing.json"))
    asked = parser.parse_args()
    every = [p for p in read(WEEK) if p.claims]
    some = every[:: len(every) // asked.n][: asked.n]
    homes = {"before": asked.before.resolve(), "now": ROOT}
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in homes}
    with tempfile.TemporaryDirectory() as work:
        one, all_of_them = Path(work) / "one.jsonl", Path(work) / "all.jsonl"
        write(iter(some[:1]), one)
        write(iter(some), all_of_them)
        for turn in range(TURNS):
            for name, home in homes.items():
                start, whole = (indexed(home, p, Path(work) / name) for p in (one, all_of_them))
                runs[name].append({kind: whole[kind] - start[kind] for kind in whole})
                print(turn, name, runs[name][-1], flush=True)
    read_pieces = {name: pieces(some[1:], name == "now") for name in homes}
    found: dict[str, Any] = {}
    for name, turns in runs.items():
        best = {kind: min(turn[kind] for turn in turns) for kind in turns[0]}
        found[name] = {
            "pieces": read_pieces[name],
            "pieces_per_second": round(read_pieces[name] / best["seconds"], 1),
            "pieces_per_cpu_second": round(read_pieces[name] / best["cpu_seconds"], 1),
            "runs": turns,
        }
    commit = subprocess.check_output(
        ["git", "-C", asked.before, "rev-parse", "HEAD"], text=True
    ).strip()
    over = {
        kind: round(found["now"][kind] / found["before"][kind], 2)
        for kind in ("pieces_per_second", "pieces_per_cpu_second")
    }
    about = {"patents": len(some), "before_commit": commit, "now_over_before": over, **found}
    write_json(asked.out, {**about, "load": os.getloadavg()[0], "provenance": provenance([WEEK])})
    print(over)


if __name__ == "__main__":
    main()

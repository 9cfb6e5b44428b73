"""How long the commands take to start: processor time and wall time, each in a process of its own.

python benchmarks/start.py [--turns 5] [-o results/start.json]

``--help``; ``check`` of the example draft; ``search`` by number and by text in an index of twenty
invented patents; the first vector of phage-mini in a fresh interpreter. The commands take turns, and the least
of each counts: what other work on the machine adds is not ours. Files are in the page cache."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from phage.provenance import provenance
from phage.storage import write_json

VECTOR = "from phage import Encoder; Encoder.from_pretrained('phage-mini').encode(['A pump.'])"
PHAGE = (sys.executable, "-m", "phage")
ENV = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "HF_HUB_OFFLINE": "1"}


def once(command: list[str], codes: tuple[int, ...]) -> tuple[float, float]:
    """Run a command; give its processor time and its wall time in seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, env=ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} failed: {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/start.json"))
    parser.add_argument("--turns", type=int, default=5)
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        corpus, index = Path(place) / "corpus.jsonl", str(Path(place) / "my.index")
        once([*PHAGE, "demo-corpus", "-n", "20", "-o", str(corpus)], (0,))
        once([*PHAGE, "index", str(corpus), "-o", index], (0,))
        with corpus.open(encoding="utf-8") as lines:
            number = json.loads(next(lines))["number"]
        commands: dict[str, list[str]] = {
            "phage --help": [*PHAGE, "--help"],
            "phage check draft.txt": [*PHAGE, "check", str(ROOT / "examples" / "draft.txt")],
            "phage search by number": [*PHAGE, "search", index, number],
            "phage search by text": [*PHAGE, "search", index, "a pump with a magnetic bearing"],
            "first vector": [sys.executable, "-c", VECTOR],
        }
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(asked.turns):
            for name, command in commands.items():
                runs[name].append(once(command, (0, 1)))  # 1: the check found something
    result: dict[str, Any] = {
        name: {
            "cpu_seconds": round(min(cpu for cpu, _ in found), 2),
            "wall_seconds": round(min(wall for _, wall in found), 2),
        }
        for name, found in runs.items()
    }
    for name, least in result.items():
        print(f"{name:24} {least}")
    told = {"what": __doc__, "turns": asked.turns, "load_before": round(load, 1)}
    write_json(asked.out, {**told, "commands": result, **provenance()})


if __name__ == "__main__":
    main()

"""Reading a weekly file beside a bare lxml pass over the same bytes.

Run:  python benchmarks/read.py [FILE]   (default: the real week in ../shared/data)
Out:  results/read.json: seconds of both, their ratio, peak memory, rates.

The bare pass unpacks the file, cuts it at the XML declarations and parses each document with lxml,
nothing more. ``phage read`` does all of that, takes out claims, references, classes, citations and
texts, and writes Parquet. Both run in turn, several times, each in a process of its own; wall and
processor time are taken inside it, imports included, and wall time of the whole process besides.
The best of each counts.
"""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WEEK = HERE.parents[1] / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
ROUNDS = 5


def bare(path: Path) -> dict[str, object]:
    """Unpack, cut and parse with the settings of our own parser; keep nothing."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True
    )
    with lzma.open(path) as stream:
        data = stream.read()
    count, begin = 0, data.find(b"<?xml")
    while begin >= 0:
        end = data.find(b"<?xml", begin + 5)
        etree.fromstring(data[begin : end if end >= 0 else len(data)], parser)
        count, begin = count + 1, end
    return {"documents": count, "bytes": len(data)}


def ours(path: Path) -> dict[str, object]:
    """Run the command itself: read into Parquet, report as JSON."""
    from phage.cli.read import read

    told = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(told):
        read([str(path)], Path(folder) / "week.parquet", as_json=True)
    report = json.loads(told.getvalue())
    return {name: report[name] for name in ("patents", "with_ipc", "claims", "skipped")}


def once(what: str, path: Path) -> dict[str, object]:
    """Run one side in its own process."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, what, str(path)], check=True, capture_output=True, text=True
    )
    return {**json.loads(done.stdout), "process_seconds": time.perf_counter() - begun}


def main() -> None:
    words = sys.argv[1:]
    if len(words) == 2 and words[0] in ("bare", "ours"):
        run = {"bare": bare, "ours": ours}[words[0]]
        wall, cpu = time.perf_counter(), time.process_time()
        found = run(Path(words[1]))
        found |= {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps(found))
        return
    path = Path(words[0]) if words else WEEK
    if not path.exists():
        print(f"skipped: no {path.name} beside the checkout")
        return
    from phage.provenance import provenance
    from phage.storage import write_json

    runs = [(once("bare", path), once("ours", path)) for _ in range(ROUNDS)]
    result: dict[str, object] = {}
    for name in ("seconds", "process_seconds", "cpu_seconds"):
        ways = [[run[side][name] for run in runs] for side in (0, 1)]
        result[f"bare_{name}"], result[f"read_{name}"] = min(ways[0]), min(ways[1])
        result[f"ratio_{name}"] = min(ways[1]) / min(ways[0])
    result |= {name: runs[0][1][name] for name in ("patents", "with_ipc", "claims", "skipped")}
    result["peak_mb"] = max(run[1]["peak_mb"] for run in runs)
    result["patents_per_second"] = result["patents"] / result["read_seconds"]
    result["rounds"] = runs
    for name, value in result.items():
        if name != "rounds":
            print(f"{name:22} {value:,.2f}")
    write_json(HERE.parent / "results" / "read.json", {**result, "provenance": provenance([path])})


if __name__ == "__main__":
    main()

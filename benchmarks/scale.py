"""How the cost of each step grows with the number of patents.

python benchmarks/scale.py [--step read] [--sizes 1000 4000 16000] [-o results/scale.json]
python benchmarks/scale.py --nodes 4000          # two local Ray nodes beside two processes

The real week, repeated under new numbers, goes through ``phage read``, ``graph``, ``check`` and
``index``, one process each: processor time, largest resident size, bytes written. A run over one
patent is the start-up, which is taken off before the exponent is fitted (time ~ patents ** e). Wall
time means little on a busy machine and is kept only beside the load. Each run adds its sizes to
those already in the file, with the commit that it measured.

Two Ray nodes of one core each and two processes take turns over ``phage graph``, twice; the better
time counts. With two cores in all this shows what Ray costs, not what more machines gain."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from graph import WEEK, measured, repeated
from growth import exponent
from phage.claims import write
from phage.provenance import provenance
from phage.storage import write_json

SIZES = {
    "read": (1_000, 4_000, 16_000),
    "graph": (1_000, 4_000, 16_000),
    "check": (1_000, 4_000, 16_000),
    "index": (64, 256, 1_024),
}


def run(step: str, count: int, folder: Path) -> dict[str, Any]:
    """Take one step over so many patents."""
    kind = "jsonl" if step == "read" else "parquet"
    source, out = folder / f"{count}.{kind}", folder / f"{step}-{count}"
    if not source.exists():
        write(repeated(count), source)
    words: list[object] = [step, source, "--json"]
    if step != "check":
        words += ["-o", out if step == "index" else out.with_suffix(".parquet")]
    found = measured(*words, codes=(0, 1))  # 1: the check found something
    found.pop("last")
    written = [path for path in folder.rglob("*") if path.is_file() and out.name in str(path)]
    bytes_in = source.stat().st_size
    return found | {"bytes_in": bytes_in, "bytes_out": sum(p.stat().st_size for p in written)}


def grown(runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Fit how time and memory grow; the run over one patent is the start-up."""
    sizes = sorted(int(size) for size in runs if size != "1")
    first, last = runs[str(sizes[0])], runs[str(sizes[-1])]
    spent = [runs[str(size)]["cpu_seconds"] - runs["1"]["cpu_seconds"] for size in sizes]
    return {
        "exponent": round(exponent(sizes, spent), 3) if len(sizes) > 1 else None,
        "cpu_ms_per_patent": round(1000 * spent[-1] / sizes[-1], 2),
        "bytes_per_patent": round(last["bytes_out"] / sizes[-1]),
        "memory_last_over_first": round(last["largest_mb"] / first["largest_mb"], 2),
    }


def nodes(count: int, folder: Path) -> dict[str, Any]:
    """Time graphs by two processes and by a Ray cluster of two nodes on this machine."""
    from ray.cluster_utils import Cluster

    source, outs = (
        folder / "patents.parquet",
        [folder / "processes.parquet", folder / "ray.parquet"],
    )
    write(repeated(count), source)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ways = [["--workers", 2], ["--engine", "ray", "--ray-address", cluster.address]]
    seconds: list[list[float]] = [[], []]
    try:
        for _ in range(2):
            for way, out, spent in zip(ways, outs, seconds, strict=True):
                out.unlink(missing_ok=True)
                spent.append(measured("graph", source, "-o", out, *way)["seconds"])
    finally:
        cluster.shutdown()
    processes, ray = map(min, seconds)
    return {
        "patents": count,
        "two_processes_seconds": processes,
        "two_ray_nodes_seconds": ray,
        "ray_over_processes": round(ray / processes, 3),
        "same_bytes": outs[0].read_bytes() == outs[1].read_bytes(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/scale.json"))
    parser.add_argument("--step", action="append", choices=list(SIZES))
    parser.add_argument("--sizes", type=int, nargs="+")
    parser.add_argument("--nodes", type=int, help="compare two Ray nodes over so many patents")
    asked = parser.parse_args()
    if not WEEK.exists():
        print(f"skipped: {WEEK} is not here")
        return
    result: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    steps = result.setdefault("steps", {})
    about = {"what": __doc__, **provenance([WEEK])}
    if asked.nodes:
        load = round(os.getloadavg()[0], 1)
        with tempfile.TemporaryDirectory() as folder:
            found = {**nodes(asked.nodes, Path(folder)), "load_before": load}
        print(json.dumps(found))
        write_json(asked.out, {**result, **about, "nodes": found})
        return
    for step in asked.step or SIZES:
        runs = steps.setdefault(step, {"runs": {}})["runs"]
        for count in (1, *(asked.sizes or SIZES[step])):
            with tempfile.TemporaryDirectory() as folder:
                load = round(os.getloadavg()[0], 1)
                found = {**run(step, count, Path(folder)), "load_before": load}
                runs[str(count)] = {**found, "commit": about["commit"]}
            print(step, count, json.dumps(runs[str(count)]), flush=True)
            if len(runs) > 1:
                steps[step] = {**grown(runs), "runs": runs}
            write_json(asked.out, {**result, **about})
        print(step, {k: v for k, v in steps[step].items() if k != "runs"}, flush=True)


if __name__ == "__main__":
    main()

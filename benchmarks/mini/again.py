"""A run done once more, beside its committed row.

In:   a folder of rows from ``run STAGE --again``; results/mini.
Out:  per run and corpus every measure twice, last loss and hash of the weights, and the largest
      difference → again.json.
Why:  "the same recipe and seed on the same machine give the same figures" is said from two runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.mini.rows import rows

from phage.provenance import provenance
from phage.storage import write_json

KEY = ("job", "corpus", "attention", "share", "recipe")
"""What makes two rows the same run, scored on the same questions."""


def scored(folder: Path) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Read the rows of a folder that have scores; a run that only calibrates is no part of this."""
    return {tuple(row[name] for name in KEY): row for row in rows(folder) if "tasks" in row}


def pairs(old: dict[str, Any], new: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Give every measure of two rows of the same run."""
    for task, about in old["tasks"].items():
        for name, value in about["measures"].items():
            once, again = value["mean"], new["tasks"][task]["measures"][name]["mean"]
            yield {
                "job": old["job"], "corpus": old["corpus"], "attention": old["attention"],
                "task": task, "measure": name, "committed": once, "again": again,
                "difference": again - once,
            }  # fmt: skip


def compare(folder: Path, results: Path) -> dict[str, Any]:
    """Compare what came back with what is committed; a run without a partner is named."""
    committed, fresh = scored(results), scored(folder)
    found = [pair for key, row in fresh.items() if key in committed
             for pair in pairs(committed[key], row)]  # fmt: skip
    runs = {
        row["job"]: {
            name: {"committed": once["seconds"].get(name), "again": row["seconds"].get(name)}
            for name in ("loss_last", "weights")
        }
        for key, row in fresh.items() if (once := committed.get(key)) is not None
    }  # fmt: skip
    return {
        "largest": max((abs(pair["difference"]) for pair in found), default=None),
        "alone": sorted({row["job"] for key, row in fresh.items() if key not in committed}),
        "runs": runs,
        "measures": found,
        "provenance": provenance(),
    }


def write(folder: Path, results: Path) -> None:
    """Print the comparison and keep it."""
    said = compare(folder, results)
    for pair in said["measures"]:
        print(
            f"{pair['job']:28} {pair['corpus']:6} {pair['attention']:6} {pair['task'][:24]:24}"
            f" {pair['measure']:10} {pair['committed']:.4f} {pair['again']:.4f}"
            f" {pair['difference']:+.4f}"
        )
    for job, about in said["runs"].items():
        weights = about["weights"]
        same = weights["committed"] is not None and weights["committed"] == weights["again"]
        print(f"{job:28} {'the same weights' if same else 'other weights'}")
    print(f"largest difference {said['largest']}; without a partner: {said['alone']}")
    write_json(results / "again.json", said)

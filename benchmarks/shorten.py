"""What shorter vectors cost: cut to the first components, or turned onto principal axes.

python benchmarks/shorten.py VECTORS.npz TASKS.npz [-o results/shorten.json]

VECTORS.npz holds the vectors of a data set (`phage evaluate MODEL --save-vectors`), TASKS.npz its
tasks (`phage evaluate --prepare`). Axes are fitted on the training part alone; scores are those of
`phage evaluate` on the test part."""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from phage.encoder.shorten import Principal, truncate
from phage.evaluation.scoring import score_vectors
from phage.evaluation.tasks import Part, Split, TaskData
from phage.provenance import provenance
from phage.storage import write_json
from phage.terminal import table


def rows_of(path: str, name: str, wanted: np.ndarray) -> np.ndarray:
    """Read vectors in the data set's order."""
    stored = np.load(path, allow_pickle=False)
    ids = next(stored[key] for key in stored.files if key.split("/")[0] == "ids")
    place = {number: row for row, number in enumerate(ids.tolist())}
    return stored[name][[place[number] for number in wanted.tolist()]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors")
    parser.add_argument("tasks")
    parser.add_argument("--name", help="Array in the file of vectors.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--widths", type=int, nargs="*", default=[256, 128, 64, 32])
    parser.add_argument("-o", "--output", default="results/shorten.json")
    options = parser.parse_args()
    data = TaskData.load(options.tasks)
    ((view, ids),) = data.ids.items()
    whole = rows_of(options.vectors, options.name or f"vectors/{view}", ids)
    split = next(task.split for task in data.tasks if hasattr(task, "split"))
    train = whole[split == Split.TRAIN]
    data = replace(data, tasks=data.choose((Part.TEST,), []).tasks)
    widest = Principal.fit(train, max(options.widths))
    ways = {(whole.shape[1], "whole"): whole}
    for width in options.widths:
        ways[width, "cut"] = truncate(whole, width)
        ways[width, "axes"] = widest.apply(whole, width)
    rows = []
    for (width, way), vectors in ways.items():
        row = {"width": width, "way": way}
        for score in score_vectors({view: vectors}, data, options.runs, 0):
            for measure, value in score.to_json()["measures"].items():
                row[f"{score.task} {measure}"] = round(value["mean"], 4)
        rows.append(row)
        print(row, flush=True)
    files = [options.vectors, options.tasks]
    about = {"axes_fitted_on": len(train), "runs": options.runs, "array": options.name}
    write_json(options.output, {"rows": rows, **about, "provenance": provenance(files)})
    table("shorter vectors", list(rows[0]), [list(row.values()) for row in rows])


if __name__ == "__main__":
    main()

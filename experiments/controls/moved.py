"""How many edges each control moves.

python experiments/controls/moved.py [-o results/controls/moved.json]

In:   the training set that ``phage ablate experiments/controls/plan.toml --prepare`` made.
Out:  per control and corpus: edges, and the share of them that join other claims than a true edge.
Why:  a claim graph is near to a star, and a star has only one graph of its degrees. A control that
      moves few edges can show little."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from phage.provenance import provenance
from phage.storage import write_json
from phage.training.controls import controlled
from phage.training.data import TrainingSet
from phage.training.recipe_file import load


def pairs(data: TrainingSet) -> np.ndarray:
    """Give every edge a number: patent, target and source."""
    owner = np.repeat(np.arange(len(data)), np.diff(data.ends)).astype(np.int64)
    return (owner << 32) + (data.edges[:, 0].astype(np.int64) << 16) + data.edges[:, 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=Path, default=Path("gpu/controls"))
    parser.add_argument("-o", "--output", type=Path, default=Path("results/controls/moved.json"))
    options = parser.parse_args()
    (path,) = options.inputs.glob("train-*.safetensors")
    data = TrainingSet.load(path)
    us = np.array([number.startswith("US") for number in data.numbers])
    found: dict[str, dict[str, float]] = {}
    for name in ("random-pairs", "rewired", "other-patent"):
        recipe = load("recipes/mini/paper.toml", [f"graph.control={name}"])
        made = controlled(data, recipe)[1]
        moved = ~np.isin(pairs(made), pairs(data))
        american = np.repeat(us, np.diff(made.ends))
        found[name] = {
            "edges": len(made.edges),
            "moved": float(moved.mean()),
            "moved_us": float(moved[american].mean()),
            "moved_indian": float(moved[~american].mean()),
        }
        print(name, found[name])
    about = {"patents": len(data), "us": int(us.sum()), "edges": len(data.edges)}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_json(options.output, {**about, "controls": found, "provenance": provenance()})


if __name__ == "__main__":
    main()

# ruff: noqa
# mypy: ignore-errors
"""The claim graph's edges of training patents, as places of claims: python edges.py PREP."""

import json
import pickle
import sys
from pathlib import Path

import numpy as np

import phage


def main(out: Path) -> None:
    patents = pickle.load((out / "patents.pkl").open("rb"))
    numbers = json.loads((out / "numbers.json").read_text())
    side = np.load(out / "meta.npz")["side"]
    known = {p.number: p for ps in patents.values() for p in ps}
    pairs, count = [], np.zeros(len(numbers), np.int32)
    for row, number in enumerate(numbers):
        if side[row] != 0:
            continue
        patent = known[number]
        place = {c.number: k for k, c in enumerate(patent.claims)}
        try:
            edges = phage.build_graph(patent).edges
        except Exception:  # a claim set nobody can read has no edges
            continue
        found = [
            (place[e.source], place[e.target])
            for e in edges
            if e.source in place and e.target in place
        ]
        count[row] = len(found)
        pairs += found
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    np.savez_compressed(
        out / "edges.npz", pairs=np.array(pairs, np.int16), count=count, first=first
    )
    print(len(pairs), count[side == 0].mean(), (out / "edges.npz").stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

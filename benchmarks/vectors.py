"""Vectors for the other benchmarks, made wherever a GPU is.

Needs torch, transformers and this package; neither LanceDB nor bm25s. The patents come from
``benchmarks/retrieval.py --prepare DIR`` (a JSON line each), the claims from
``benchmarks/search.py --prepare FILE`` (a JSON text a line).

    python benchmarks/vectors.py DIR/week.jsonl --model phage-mini --reading whole -o DIR
    python benchmarks/vectors.py claims.jsonl --model phage-mini --rows 0:160000 -o DIR

Patents: ``DIR/week-phage-mini-whole.npz`` (numbers, vectors). Claims: ``DIR/claims-000000000.npy``
and so on, 40,000 rows each, in eight bits: components times 127 over the largest of the row.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path

import numpy as np

from phage.claims.types import Patent
from phage.encoder import Encoder

ROWS = 40_000


def patents(source: Path, model: str, reading: str, out: Path) -> None:
    """Encode a file of patents."""
    with source.open(encoding="utf-8") as stream:
        found = [Patent.from_json(json.loads(line)) for line in stream]
    encoder = Encoder.from_pretrained(model)
    long = "mean" if reading == "whole" else "cut"
    vectors = encoder.encode(found, section=reading, long=long, on_cut=lambda _: None)
    name = f"{source.stem}-{Path(model).name}-{reading}.npz"
    np.savez(out / name, numbers=[p.number for p in found], vectors=vectors.astype(np.float16))


def claims(source: Path, model: str, rows: str, out: Path) -> None:
    """Encode some lines of a file of claims, a file of vectors at a time."""
    first, last = (int(place) for place in rows.split(":"))
    encoder = Encoder.from_pretrained(model)
    with source.open(encoding="utf-8") as stream:
        lines = islice(stream, first, last)
        while texts := [json.loads(line) for line in islice(lines, ROWS)]:
            made = encoder.encode(texts, long="cut", on_cut=lambda _: None)
            whole = np.rint(127 * made / np.abs(made).max(axis=1, keepdims=True))
            np.save(out / f"claims-{first:09d}.npy", whole.astype(np.int8))
            first += len(texts)


def main() -> None:
    """Encode patents, or claims where rows are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("--model", default="phage-mini")
    parser.add_argument("--reading", default="whole", help="claims, tac or whole")
    parser.add_argument("--rows", default="", help="of claims: first:last")
    parser.add_argument("-o", "--out", type=Path, required=True)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.rows:
        claims(asked.source, asked.model, asked.rows, asked.out)
    else:
        patents(asked.source, asked.model, asked.reading, asked.out)


if __name__ == "__main__":
    main()

"""What a patent's vector is made of, and how its claims are weighed.

python benchmarks/reading.py WEEK [--patents 800] [--model phage-mini]

In:   a week of the USPTO, a model.
Out:  ``results/reading.json``: NDCG@100 of the validation queries, for each way to read a patent.
Why:  the default reading should be the one that finds best."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.encoder import ClaimVectors, Encoder
from phage.evaluation.datasets import week
from phage.evaluation.ranking import measure, search
from phage.provenance import provenance
from phage.storage import write_json
from phage.terminal import progress

Vectors = NDArray[np.float32]


def unit(rows: Vectors) -> Vectors:
    made: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
    return made


def sample(patents: list[Patent], pairs: NDArray[np.int64], count: int) -> list[int]:
    """Take all queries and what is relevant to them, and fill up evenly with others."""
    asked = np.unique(pairs)
    others = np.setdiff1d(np.arange(len(patents)), asked)
    more = max(0, count - len(asked))
    step = others[np.linspace(0, len(others) - 1, min(more, len(others))).astype(int)]
    return sorted({*asked.tolist(), *step.tolist()})


def readings(
    patents: list[Patent], front: Vectors, found: list[ClaimVectors]
) -> dict[str, Vectors]:
    """Give the vectors of each way to read; independent claims cite no other."""
    alone = [np.array([not c.references for c in p.claims], dtype=np.float32) for p in patents]

    def weighed(independent: float, other: float) -> Vectors:
        sums = [
            np.where(own, independent, other) @ each.vectors
            for own, each in zip(alone, found, strict=True)
        ]
        return unit(np.stack(sums).astype(np.float32))

    return {
        "title and abstract": front,
        "whole: title and abstract + mean of claim windows": np.stack([f.patent for f in found]),
        "title and abstract + mean of claims": unit(front + weighed(1, 1)),
        "title and abstract + independent claims twice": unit(front + weighed(2, 1)),
        "title and abstract + independent claims alone": unit(front + weighed(1, 0)),
        "claims alone, mean": weighed(1, 1),
        "claims alone, independent twice": weighed(2, 1),
        "claims alone, independent ones": weighed(1, 0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("week", type=Path)
    parser.add_argument("--patents", type=int, default=800)
    parser.add_argument("--model", default="phage-mini")
    parser.add_argument("--out", type=Path, default=Path("results/reading.json"))
    asked = parser.parse_args()
    every = week.SOURCE.patents(asked.week)
    tasks = week.from_patents(every).tasks.tasks
    pairs = next(task for task in tasks if task.name == "retrieval-validation").relevance
    rows = sample(every, pairs, asked.patents)
    patents = [every[row] for row in rows]
    place = {row: index for index, row in enumerate(rows)}
    relevant = np.array([[place[a], place[b]] for a, b in pairs.tolist()])
    encoder = Encoder.from_pretrained(asked.model)
    with progress("read", unit="patents") as advance:
        found = list(encoder.read(patents, advance=advance))
    texts = [f"{p.title} {p.abstract}".strip() or p.claims[0].text for p in patents]
    made = readings(patents, encoder.encode(texts, batch_tokens=encoder.budget), found)
    queries = np.unique(relevant[:, 0])
    scores = {}
    for name, vectors in made.items():
        ranks, _ = search(vectors[queries], vectors, themselves=queries)
        scores[name] = float(measure(ranks, queries, relevant)["ndcg@100"].mean())
        print(f"{scores[name]:.4f}  {name}")
    about = {"model": asked.model, "patents": len(patents), "queries": len(queries)}
    write_json(asked.out, {**about, "ndcg@100": scores, "provenance": provenance([asked.week])})


if __name__ == "__main__":
    main()

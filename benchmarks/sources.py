"""Neighbours among patents of another source: eight offices, mostly two fields.

python benchmarks/sources.py [MODEL …] [-o results/sources.json]

In:   the English claim sets of the multilingual families beside the checkout (vehicle suspensions,
      power converters, some others), one of each family.
Out:  per model, of the five nearest the share with the same main IPC subclass, and NDCG@10 where a
      neighbour counts by the share of IPC symbols the two have in common; against the first model
      with the p of a paired randomisation test over the sets.
Why:  a model trained on one US week may know only US weeks."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims import read
from phage.claims.text import section_text
from phage.evaluation.peers.models import load_model
from phage.evaluation.randomisation import TEST, chances, judge
from phage.evaluation.ranking import measure
from phage.evaluation.tasks import Kind
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parents[1]
FAMILIES = ROOT.parent / "shared" / "data" / "multilingual-families.jsonl.xz"
NEAREST = 5
GRADES = 10_000
"""Steps between sharing nothing and sharing all: a grade is a whole number."""


def shared(symbols: list[frozenset[str]]) -> np.ndarray:
    """Give the share of symbols that two sets have in common; none with itself.

    >>> shared([frozenset("ab"), frozenset("bc"), frozenset("d")])[0].round(2).tolist()
    [0.0, 0.33, 0.0]
    """
    found = np.array([[len(a & b) / len(a | b) for b in symbols] for a in symbols])
    np.fill_diagonal(found, 0.0)
    return found


def measures(ranked: np.ndarray, main: np.ndarray, overlap: np.ndarray) -> dict[str, np.ndarray]:
    """Give both measures of every query.

    >>> main, overlap = np.array(["A", "A", "B"]), shared([frozenset("ab"), frozenset("a"), frozenset("c")])
    >>> ranked = np.array([[1, 2], [2, 0], [0, 1]])
    >>> {name: each.round(2).tolist() for name, each in measures(ranked, main, overlap).items()}
    {'subclass@5': [0.5, 0.5, 0.0], 'ndcg@10': [1.0, 0.63, nan]}
    """
    near = main[ranked[:, :NEAREST]] == main[:, None]
    pairs = np.argwhere(overlap > 0)
    grades = np.rint(GRADES * overlap[*pairs.T]).astype(int)
    asked = np.unique(pairs[:, 0])
    ndcg = np.full(len(main), np.nan)
    ndcg[asked] = measure(ranked[asked], asked, np.column_stack([pairs, grades]))["ndcg@10"]
    return {"subclass@5": near.mean(1), "ndcg@10": ndcg}


def against(one: np.ndarray, other: np.ndarray) -> dict[str, float]:
    """Compare two models on the same queries."""
    samples = [[{"query": np.arange(len(one)), "value": side}] for side in (one, other)]
    apart = judge("value", [chances(Kind.RETRIEVAL, samples[0], samples[1])["value"]])
    return {"difference": apart.value, "low": apart.low, "high": apart.high, "p": apart.p}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["phage-mini", "minilm"])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "results" / "sources.json")
    options = parser.parse_args()
    patents = [patent for patent in read(FAMILIES) if patent.language == "en" and patent.ipc]
    subclasses = np.array([patent.subclass for patent in patents])
    overlap = shared([frozenset(patent.ipc) for patent in patents])
    told: dict[str, dict[str, Any]] = {}
    first: dict[str, np.ndarray] = {}
    for name in options.models:
        vectors = load_model(name).embed([section_text(patent) for patent in patents])
        cosines = vectors @ vectors.T
        np.fill_diagonal(cosines, -np.inf)
        ranked = np.argsort(-cosines, axis=1, kind="stable")[:, :-1]
        found = measures(ranked, subclasses, overlap)
        label = Path(name).name
        told[label] = {m: {"mean": float(np.nanmean(each))} for m, each in found.items()}
        for one, each in first.items():
            told[label][one]["first_over_it"] = against(each, found[one])
        first = first or found
        print(label, {m: round(t["mean"], 3) for m, t in told[label].items()})
    counts = {"test": TEST, "sets": len(patents), "subclasses": len(set(subclasses.tolist()))}
    write_json(options.output, {**counts, "models": told, "provenance": provenance([FAMILIES])})


if __name__ == "__main__":
    main()

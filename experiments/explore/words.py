# ruff: noqa
# mypy: ignore-errors
"""BM25 on the Indian parts, asked as score.py asks: python words.py PREP."""

import json
import pickle
import sys
from pathlib import Path
from types import SimpleNamespace

import bm25s
import numpy as np
from score import indian_pairs

from phage.claims.text import section_text
from phage.evaluation.ranking import measure


def main(prep: Path) -> None:
    meta = np.load(prep / "meta.npz")
    corpus = SimpleNamespace(corpus=meta["corpus"], side=meta["side"], meta=meta)
    numbers = json.loads((prep / "numbers.json").read_text())
    known = {p.number: p for p in pickle.load((prep / "patents.pkl").open("rb"))["indian"]}
    for side, name in ((1, "validation"), (2, "test")):
        rows, far, near = indian_pairs(corpus, side)
        for section in ("tac", "claims"):
            texts = [section_text(known[numbers[r]], section) for r in rows]
            index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
            index.index(tokens, show_progress=False)
            asked = np.unique(far[:, 0])
            some = bm25s.tokenize([texts[q] for q in asked], stopwords="en", show_progress=False)
            found, _ = index.retrieve(some, k=200, show_progress=False)
            closed = {(int(a), int(b)) for a, b in near}
            kept = [
                [d for d in f if d != q and (int(q), int(d)) not in closed][:100]
                for q, f in zip(asked, found, strict=True)
            ]
            values = measure(np.array(kept), asked, far)["ndcg@100"]
            np.save(prep / f"bm25-{name}-{section}.npy", values)
            print(
                name,
                section,
                len(asked),
                "queries of",
                len(rows),
                f"{values.mean():.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))

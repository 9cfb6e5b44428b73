"""Scoring speed: exact search at DAPFAM's size and the probe at a week's size, beside libraries.

python benchmarks/evaluate.py [-o results/evaluate.json]

Made-up vectors of the real shapes. Search: 1,247 queries against 45,336 documents of width 1,024,
best 100, against FAISS' exact index and numpy's full sort; the rankings must agree. Probe: 3,244
training documents of width 384 with 368 classes, against scikit-learn's logistic regression."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent / "src")]

import numpy as np
import torch

from phage.evaluation.classification import Labelled, probe
from phage.evaluation.ranking import search
from phage.provenance import provenance
from phage.storage import write_json


def seconds(step: Callable[[], Any]) -> tuple[float, Any]:
    """Time one call; all of them take seconds."""
    start = time.perf_counter()
    found = step()
    return round(time.perf_counter() - start, 3), found


def by_sorting(queries: np.ndarray, corpus: np.ndarray) -> np.ndarray:
    return np.argsort(-(queries @ corpus.T), axis=1, kind="stable")[:, :100]


def by_faiss(queries: np.ndarray, corpus: np.ndarray) -> np.ndarray | None:
    try:
        import faiss
    except ModuleNotFoundError:
        return None
    index = faiss.IndexFlatIP(corpus.shape[1])
    index.add(corpus)
    return index.search(queries, 100)[1]


def searches(random: np.random.Generator) -> dict[str, Any]:
    queries, corpus = (random.normal(size=(n, 1024)).astype("f4") for n in (1_247, 45_336))
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    corpus /= np.linalg.norm(corpus, axis=1, keepdims=True)
    ours, rows = seconds(lambda: search(queries, corpus)[0])
    full, sorted_rows = seconds(lambda: by_sorting(queries, corpus))
    flat, faiss_rows = seconds(lambda: by_faiss(queries, corpus))
    return {
        "seconds": {"ours": ours, "numpy": full, "faiss": flat if faiss_rows is not None else None},
        "times_numpy": round(full / ours, 2),
        "agreement_with_numpy": float((rows == sorted_rows).mean()),
    }


def probes(random: np.random.Generator) -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression

    labels = random.zipf(1.4, 4_622).clip(max=368) - 1
    centres = random.normal(size=(368, 384))
    vectors = (centres[labels] + 3 * random.normal(size=(4_622, 384))).astype("f4")
    cuts = ((0, 3_244), (3_244, 3_725), (3_725, 4_622))
    train, held, test = (Labelled(vectors[a:b], labels[a:b]) for a, b in cuts)
    ours, guess = seconds(lambda: probe(train, held, test, seed=0))
    model = LogisticRegression(C=0.01, max_iter=100)
    theirs, _ = seconds(lambda: model.fit(train.vectors, train.labels))
    return {
        "seconds": {"ours": ours, "logistic_regression": theirs},
        "accuracy": {
            "ours": float((guess == test.labels).mean()),
            "logistic_regression": float(model.score(test.vectors, test.labels)),
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/evaluate.json"))
    output = parser.parse_args().output
    random = np.random.default_rng(0)
    found = {"search": searches(random), "probe": probes(random)}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    row = {**found, "provenance": provenance(device=device, threads=torch.get_num_threads())}
    write_json(output, row)
    print(found)


if __name__ == "__main__":
    main()

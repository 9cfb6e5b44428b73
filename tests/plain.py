"""Plain computations that the tests of evaluation compare with."""

from __future__ import annotations

import hashlib
import math
from typing import ClassVar

import numpy as np

WORDS = [f"w{n}" for n in range(120)]


def words(rng, count):
    return " ".join(rng.choices(WORDS, k=count))


WEIGHTS = np.random.default_rng(9).uniform(0.5, 2, len(WORDS)).astype("f4")  # no two cosines alike


def bag(texts):
    """Count words: a transparent encoder."""
    vectors = np.zeros((len(texts), len(WORDS)), dtype="f4")
    for row, text in enumerate(texts):
        for word in text.split():
            if word in WORDS:
                vectors[row, WORDS.index(word)] += 1
    return vectors * WEIGHTS + 1e-3


class Bag:
    """The same as an embedder."""

    settings: ClassVar[dict] = {}

    def embed(self, texts, advance=None):
        return bag(texts)


def plain_ndcg(queries, corpus, relevant, k=100):
    """NDCG and recall by loops and sorting, one query at a time."""
    gains, recalls = [], []
    for query, wanted in relevant.items():

        def cosine(d, q=query):
            a, b = queries[q], corpus[d]
            return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))

        ranked = sorted(range(len(corpus)), key=lambda d: (-cosine(d), d))[:k]
        dcg = sum(1 / math.log2(rank + 2) for rank, d in enumerate(ranked) if d in wanted)
        ideal = sum(1 / math.log2(rank + 2) for rank in range(min(k, len(wanted))))
        gains.append(dcg / ideal)
        recalls.append(len(wanted & set(ranked)) / len(wanted))
    return sum(gains) / len(gains), sum(recalls) / len(recalls)


def plain_split(number):
    """The published recipe."""
    place = int(hashlib.sha256(number.encode()).hexdigest(), 16) % 100
    return "train" if place < 70 else "validation" if place < 80 else "test"


def plain_f1(truth, predicted):
    """Micro- and macro-F1 by counting."""
    values = []
    for name in {*truth, *predicted}:
        pairs = [(a == name, b == name) for a, b in zip(truth, predicted, strict=True)]
        hits = pairs.count((True, True))
        values.append(
            2 * hits / (2 * hits + pairs.count((True, False)) + pairs.count((False, True)))
        )
    right = sum(a == b for a, b in zip(truth, predicted, strict=True))
    return right / len(truth), sum(values) / len(values)


def plain_agreement(truth, clusters):
    """NMI, homogeneity, completeness and ARI from counts, pair by pair."""
    n = len(truth)

    def entropy(labels):
        return -sum(labels.count(x) / n * math.log(labels.count(x) / n) for x in set(labels))

    one, other, both = (
        entropy(labels) for labels in (truth, clusters, list(zip(truth, clusters, strict=True)))
    )
    shared = one + other - both
    pairs = [(a, b) for a in range(n) for b in range(a)]
    together = [(truth[a] == truth[b], clusters[a] == clusters[b]) for a, b in pairs]
    hits = together.count((True, True))
    same = sum(x for x, _ in together), sum(y for _, y in together)
    chance, most = same[0] * same[1] / len(pairs), sum(same) / 2
    return {
        "homogeneity": shared / one,
        "completeness": shared / other,
        "nmi": 2 * shared / (one + other),
        "ari": (hits - chance) / (most - chance),
    }

"""Tell a difference between two models from the luck of test set and seed.

In:   samples of two models on one task, a set per training seed.
Out:  the difference of a measure, its 95 % interval and a two-sided p.
Why:  an ablation of a few points on a thousand documents means nothing without it. Documents (or
      queries) and seeds are drawn with replacement, the same draw for both models."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.tasks import Kind

DRAWS = 2000
CENTRED = frozenset({"macro_f1", "nmi", "homogeneity", "completeness"})
"""Measures that are no means over documents. A redrawn set holds documents twice, in one class and
one cluster both times: it scores higher, and two models lie closer together. Their differences are
moved so that their mean is the difference that was measured."""
Samples = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one model is than another."""

    measure: str
    value: float
    low: float
    high: float
    p: float

    @property
    def sure(self) -> bool:
        """Whether chance explains it in less than one of twenty draws."""
        return self.p < 0.05


def redraw(
    kind: Kind, task: str, seeds: Sequence[Samples], draws: int = DRAWS
) -> dict[str, Floats]:
    """Give each headline measure on redrawn test sets: measure → (seeds, draws).

    The draws depend on the task's name and size alone, so two models are drawn alike.
    """
    count = len(seeds[0]["query" if kind is Kind.RETRIEVAL else "truth"])
    random = np.random.default_rng(zlib.crc32(task.encode()))
    weights = random.multinomial(count, np.full(count, 1 / count), size=draws).astype(np.float64)
    rows = [_MEASURES[kind](samples, weights) for samples in seeds]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def compare(
    measure: str, one: Floats, other: Floats, values: tuple[float, float], draws_seed: int = 0
) -> Difference:
    """Compare redrawn measures (seeds, draws) of two models; ``values`` are their own means.

    >>> better, worse = np.full((2, 100), 0.5), np.full((2, 100), 0.4)
    >>> compare("ndcg@100", better, worse, (0.5, 0.4)).sure
    True
    """
    if one.shape[1] != other.shape[1]:
        raise PhageError("the two models were not redrawn alike")
    draws = one.shape[1]
    random = np.random.default_rng(draws_seed)
    # The same seed in both is the same start of training; a draw of seeds keeps that pairing.
    if len(one) == len(other):
        chosen = random.integers(0, len(one), size=(draws, len(one)))
        apart = (one - other)[chosen, np.arange(draws)[:, None]].mean(1)
    else:
        apart = _mean_of_drawn(one, random) - _mean_of_drawn(other, random)
    if measure in CENTRED:
        apart = apart + (values[0] - values[1] - apart.mean())
    low, high = np.quantile(apart, [0.025, 0.975])
    # One is added to both counts: no number of draws proves p = 0.
    below, above = (apart <= 0).sum() + 1, (apart >= 0).sum() + 1
    p = min(1.0, 2 * min(below, above) / (draws + 1))
    return Difference(measure, values[0] - values[1], float(low), float(high), float(p))


def _mean_of_drawn(values: Floats, random: np.random.Generator) -> Floats:
    draws = values.shape[1]
    chosen = random.integers(0, len(values), size=(draws, len(values)))
    drawn: Floats = values[chosen, np.arange(draws)[:, None]].mean(1)
    return drawn


def _per_query(samples: Samples, weights: Floats) -> dict[str, Floats]:
    found = {}
    for name in samples:
        if name != "query":
            asked = ~np.isnan(samples[name])  # IN and OUT are not asked of every query
            total = np.maximum(1, weights @ asked)
            found[name] = weights @ np.where(asked, samples[name], 0) / total
    return found


def _f1(samples: Samples, weights: Floats) -> dict[str, Floats]:
    """Give micro- and macro-F1 of every draw at once, averaged over the probe's runs."""
    truth = samples["truth"]
    if truth.ndim == 1:
        classes = 1 + max(int(truth.max()), int(samples["predicted"].max()))
        marks = np.eye(classes)[truth]
        guesses = [np.eye(classes)[one] for one in samples["predicted"]]
    else:
        marks = truth.astype(np.float64)
        guesses = [one.astype(np.float64) for one in samples["predicted"]]
    wanted = weights @ marks  # (draws, C)
    found = {"micro_f1": np.zeros(len(weights)), "macro_f1": np.zeros(len(weights))}
    for guess in guesses:
        hits, given = weights @ (marks * guess), weights @ guess
        both = wanted + given
        seen = both > 0  # as scikit-learn: classes that are true or predicted
        scores = np.divide(2 * hits, both, out=np.zeros_like(both), where=seen)
        found["macro_f1"] += scores.sum(1) / np.maximum(1, seen.sum(1)) / len(guesses)
        found["micro_f1"] += 2 * hits.sum(1) / both.sum(1) / len(guesses)
    return found


def _agreement(samples: Samples, weights: Floats) -> dict[str, Floats]:
    """Give NMI, homogeneity and completeness of every draw, averaged over K-Means' runs.

    ARI and AMI are left out: they count pairs, and a document drawn twice is a pair that agrees.
    """
    truth = samples["truth"]
    names = ("nmi", "homogeneity", "completeness")
    found = {name: np.zeros(len(weights)) for name in names}
    by_class = _entropy(weights @ _hot(truth))
    for clusters in samples["clusters"]:
        cells = truth.astype(np.int64) * (1 + int(clusters.max())) + clusters
        by_cluster, joint = _entropy(weights @ _hot(clusters)), _entropy(weights @ _hot(cells))
        shared = by_class + by_cluster - joint
        for name, most in zip(
            names, ((by_class + by_cluster) / 2, by_class, by_cluster), strict=True
        ):
            found[name] += shared / np.maximum(most, 1e-12) / len(samples["clusters"])
    return found


def _hot(labels: NDArray[Any]) -> Floats:
    names, places = np.unique(labels, return_inverse=True)
    hot: Floats = np.eye(len(names))[places]
    return hot


def _entropy(counts: Floats) -> Floats:
    share = counts / counts.sum(1, keepdims=True)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    entropy: Floats = -(share * logs).sum(1)
    return entropy


_MEASURES = {
    Kind.CLASSIFICATION: _f1,
    Kind.RETRIEVAL: _per_query,
    Kind.CLUSTERING: _agreement,
}

"""What each document adds to a measure, and what swapping two models' answers does to it.

In:   samples of one model (values and influences) or of two (swaps).
Out:  a measure per repeat, its leave-one-out influences, and the differences after swaps.
Why:  macro-F1 and NMI are not means over documents. Their counts are linear in the documents, so
      ten thousand swapped or shortened test sets cost a few matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.evaluation.tasks import Kind

Samples = Mapping[str, NDArray[Any]]
Floats = NDArray[np.float64]
Marks = NDArray[np.int64]
Swap = Callable[[Floats], Floats]
"""Signs (draws, N), −1 where a document is swapped → differences (draws, measures)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of one model."""

    values: Floats
    """(repeats,)"""
    leans: Floats
    """(repeats, N): jackknife influences. The sum of their squares is the variance that the choice
    of documents gives a repeat's value."""


def measure(kind: Kind, seeds: Sequence[Samples]) -> dict[str, Measured]:
    """Return every measure per repeat: per training seed, or per run where there is one seed."""
    if kind is Kind.RETRIEVAL:
        names = [name for name in seeds[0] if name != "query"]
        return {name: _per_query(np.stack([seed[name] for seed in seeds])) for name in names}
    if kind is Kind.CLUSTERING:
        each = [[_agreement(seed["truth"], run) for run in seed["clusters"]] for seed in seeds]
    else:
        each = [list(_runs(seed)) for seed in seeds]
    if len(each) == 1:
        each = [[run] for run in each[0]]
    return {name: _repeated([[run[name] for run in runs] for runs in each]) for name in each[0][0]}


def swapping(
    kind: Kind, one: Sequence[Samples], other: Sequence[Samples], names: Sequence[str]
) -> Swap | None:
    """Return the function that swaps answers; clusters have none, as their names mean nothing."""
    if kind is Kind.CLUSTERING:
        return None
    if kind is Kind.RETRIEVAL:
        apart = np.stack(
            [np.mean([s[n] for s in one], 0) - np.mean([s[n] for s in other], 0) for n in names], 1
        )
        asked = ~np.isnan(apart)  # IN and OUT are not asked of every query
        shares = np.where(asked, apart, 0) / np.maximum(1, asked.sum(0))
        return lambda signs: signs @ shares
    pair = [[run for seed in side for run in seed["predicted"]] for side in (one, other)]
    columns = lcm(*map(len, pair))  # one model's few runs meet all of the other's
    answers = [[side[n % len(side)] for n in range(columns)] for side in pair]
    truth = one[0]["truth"]
    sizes = len(truth), _classes(truth, [run for side in pair for run in side])
    swaps = [_SwapF1(sizes, *(_marks(labels, sizes[1]) for labels in (truth, *runs)))
             for runs in zip(*answers, strict=True)]  # fmt: skip
    order = [("micro_f1", "macro_f1").index(name) for name in names]

    def swap(signs: Floats) -> Floats:
        swapped = ((1 - signs) / 2).astype(np.float32)
        found: Floats = np.mean([each(swapped) for each in swaps], axis=0)
        return found[:, order]

    return swap


class _SwapF1:
    """F1 of two runs after swaps. Only documents that the two answer differently are counted."""

    def __init__(self, sizes: tuple[int, int], truth: Marks, one: Marks, other: Marks) -> None:
        classes = sizes[1]
        changed = np.setxor1d(one, other, assume_unique=True)
        rows, row = np.unique(changed // classes, return_inverse=True)
        touched, column = np.unique(changed % classes, return_inverse=True)
        given = np.zeros((len(rows), len(touched)), dtype=np.int8)
        given[row, column] = np.where(np.isin(changed, other, assume_unique=True), 1, -1)
        right = np.isin(changed, truth, assume_unique=True)
        hit = np.zeros_like(given)
        hit[row[right], column[right]] = given[row[right], column[right]]
        hits, both = _counts(truth, one, classes)
        rest = np.delete(np.arange(classes), touched)
        self.rows, self.given, self.hit = rows, given, hit
        self.hits, self.both = hits[touched], both[touched]
        self.rest = hits[rest].sum(), both[rest].sum(), *_sum_of_f1(hits[rest], both[rest])

    def __call__(self, swapped: NDArray[np.float32]) -> Floats:
        """Take marks (draws, N); return the differences (draws, 2) of micro- and macro-F1."""
        chosen = swapped[:, self.rows]
        hits, given = (chosen @ changes.astype(np.float32) for changes in (self.hit, self.given))
        one = self._scores(hits, given)
        return one - self._scores(self.hit.sum(0) - hits, self.given.sum(0) - given)

    def _scores(self, hits: NDArray[Any], given: NDArray[Any]) -> Floats:
        hits, both = self.hits + hits, self.both + given  # (draws, touched)
        other_hits, other_both, score, seen = self.rest
        total, count = _sum_of_f1(hits, both)
        micro = 2 * (hits.sum(1) + other_hits) / np.maximum(1, both.sum(1) + other_both)
        return np.stack([micro, (total + score) / np.maximum(1, count + seen)], axis=1)


def _f1(sizes: tuple[int, int], truth: Marks, guess: Marks) -> dict[str, tuple[float, Floats]]:
    """Return micro- and macro-F1 of one run and their influences."""
    rows, classes = sizes
    hits, both = _counts(truth, guess, classes)
    total, count = _sum_of_f1(hits, both)
    right = np.intersect1d(truth, guess, assume_unique=True)
    wrong = np.setxor1d(truth, guess, assume_unique=True)
    # A document takes a hit from its class, or one mark from a class it missed or was given.
    less = [_changes(hits, both, hits - 1, both - 2), _changes(hits, both, hits, both - 1)]
    score, seen = (
        whole
        + np.bincount(right // classes, taken[right % classes], rows)
        + np.bincount(wrong // classes, missed[wrong % classes], rows)
        for whole, taken, missed in zip((total, count), *less, strict=True)
    )
    own_hits, own_wrong = (
        np.bincount(marks // classes, minlength=rows) for marks in (right, wrong)
    )
    left = 2 * (hits.sum() - own_hits), both.sum() - 2 * own_hits - own_wrong
    micro = float(2 * hits.sum() / max(1, both.sum()))
    return {
        "micro_f1": (micro, _jackknife(left[0] / np.maximum(1, left[1]))),
        "macro_f1": (float(total / max(1, count)), _jackknife(score / np.maximum(1, seen))),
    }


def _counts(truth: Marks, guess: Marks, classes: int) -> tuple[Floats, Floats]:
    """Count per class the hits, and the marks of truth and guess together."""
    right = np.intersect1d(truth, guess, assume_unique=True)
    hits = np.bincount(right % classes, minlength=classes)
    both = np.bincount(np.concatenate([truth, guess]) % classes, minlength=classes)
    return hits.astype(np.float64), both.astype(np.float64)


def _changes(hits: Floats, both: Floats, fewer: Floats, less: Floats) -> tuple[Floats, Floats]:
    """Return per class what its F1 and its being counted change by, with fewer documents."""
    scores = _class_f1(fewer, less) - _class_f1(hits, both)
    return scores, (less > 0).astype(np.float64) - (both > 0).astype(np.float64)


def _class_f1(hits: Floats, both: Floats) -> Floats:
    """As scikit-learn: 0 for a class that is neither true nor predicted."""
    return np.divide(2 * hits, both, out=np.zeros(np.shape(both)), where=both > 0)


def _sum_of_f1(hits: Floats, both: Floats) -> tuple[Any, Any]:
    """Sum F1 over classes, and count those that are true or predicted."""
    return _class_f1(hits, both).sum(-1), (both > 0).sum(-1)


def _agreement(truth: NDArray[Any], clusters: NDArray[Any]) -> dict[str, tuple[float, Floats]]:
    """Return NMI, homogeneity and completeness of one clustering, and their influences.

    ARI and AMI are left out: they count pairs of documents.
    """
    cells = truth.astype(np.int64) * (1 + int(clusters.max())) + clusters
    by_class, by_cluster, joint = (_entropies(labels) for labels in (truth, clusters, cells))
    shared = by_class + by_cluster - joint  # (1 + N,): of all documents, then without each
    found = {}
    for name, most in (
        ("nmi", (by_class + by_cluster) / 2),
        ("homogeneity", by_class),
        ("completeness", by_cluster),
    ):
        scores = np.divide(shared, most, out=np.ones_like(shared), where=most > 1e-12)
        found[name] = float(scores[0]), _jackknife(scores[1:])
    return found


def _entropies(labels: NDArray[Any]) -> Floats:
    """Return the entropy of all labels, and without each one in turn: (1 + N,)."""
    _, places, counts = np.unique(labels, return_inverse=True, return_counts=True)
    weights = counts * np.log(counts)
    fewer = (counts - 1) * np.log(np.maximum(1, counts - 1))
    left = (weights.sum() + (fewer - weights))[places.ravel()]
    number = len(labels)
    whole = np.log(number) - weights.sum() / number
    rest = np.log(max(1, number - 1)) - left / max(1, number - 1)
    return np.concatenate([[whole], rest])


def _per_query(values: NDArray[Any]) -> Measured:
    """Return the mean over queries that are asked, per seed (seeds, N)."""
    asked = ~np.isnan(values)
    count = np.maximum(1, asked.sum(1, keepdims=True))
    means = np.where(asked, values, 0).sum(1, keepdims=True) / count
    leans = np.where(asked, values - means, 0) / np.sqrt(count * np.maximum(1, count - 1))
    return Measured(means[:, 0], leans)


def _jackknife(left: Floats) -> Floats:
    """Turn the values without each document into influences."""
    influences: Floats = np.sqrt((len(left) - 1) / len(left)) * (left.mean() - left)
    return influences


def _repeated(runs: Sequence[Sequence[tuple[float, Floats]]]) -> Measured:
    """Average the runs of every repeat."""
    values = np.array([np.mean([value for value, _ in repeat]) for repeat in runs])
    return Measured(values, np.stack([np.mean([x for _, x in repeat], 0) for repeat in runs]))


def _runs(seed: Samples) -> Iterator[dict[str, tuple[float, Floats]]]:
    """Measure each run of the probe."""
    truth = seed["truth"]
    classes = _classes(truth, seed["predicted"])
    for run in seed["predicted"]:
        yield _f1((len(truth), classes), _marks(truth, classes), _marks(run, classes))


def _classes(truth: NDArray[Any], runs: Iterable[NDArray[Any]]) -> int:
    if truth.ndim == 2:
        return int(truth.shape[1])
    return 1 + max(int(labels.max()) for labels in (truth, *runs))


def _marks(labels: NDArray[Any], classes: int) -> Marks:
    """Return a number per label, document · classes + class, in order; one or several each."""
    if labels.ndim == 2:
        return np.flatnonzero(labels)
    marks: Marks = np.arange(len(labels)) * classes + labels
    return marks

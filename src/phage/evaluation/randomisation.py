"""Decide whether two models differ by more than the luck of documents and seeds.

In:   samples of two models on one task, a set per training seed.
Out:  the difference of a measure, its 95 % interval and a two-sided p.
Why:  an ablation of a few points on a thousand documents means nothing without it. Documents are
      judged by a paired randomisation test: if the models are alike, their answers to a document
      may be swapped. Seeds are judged by how far their differences scatter. docs/decisions.md
      gives the reasons, results/significance.json the error rates."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation import influence
from phage.evaluation.influence import Floats, Measured, Samples
from phage.evaluation.tasks import Kind

DRAWS = 10_000
TEST = f"paired randomisation test, {DRAWS:,} draws; clustering: jackknife"
"""What a caption says beside every p."""
_CHUNK = 500  # draws at a time; bounds the memory to a few tens of megabytes
_TIE = 1e-12
_QUESTIONS = {
    Kind.CLASSIFICATION: "truth",
    Kind.RETRIEVAL: "query",
    Kind.CLUSTERING: "truth",
}


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


@dataclass(frozen=True, slots=True)
class Chance:
    """One measured difference, and what luck does to it."""

    value: float
    swapped: Floats
    """(draws,) the difference after swapping the answers to random documents."""
    moved: Floats
    """(draws,) the error that the choice of documents puts on the difference."""
    repeats: tuple[Floats, ...]
    """The difference per repeat; both models' values where their repeats cannot be paired."""


def chances(
    kind: Kind,
    one: Sequence[Samples],
    other: Sequence[Samples],
    draws: int = DRAWS,
    place: str = "",
) -> dict[str, Chance]:
    """Swap and resample two models' answers to one task: measure → its chances.

    Each side is a set of samples per training seed. The repeats are these seeds; with one seed on
    a side they are its runs of the probe or of K-Means. ``place`` is what an error names.
    """
    questions = _questions(kind, [*one, *other], place)
    sides = [influence.measure(kind, seeds) for seeds in (one, other)]
    shared = [name for name in sides[0] if name in sides[1]]
    pairs = [_Pair(sides[0][name], sides[1][name]) for name in shared]
    leans = np.stack([pair.lean for pair in pairs], axis=1)  # (N, measures)
    swap = influence.swapping(kind, one, other, shared)
    swapped, moved = [], []
    for signs in _signs(questions, draws):
        moved.append(signs @ leans)
        swapped.append(moved[-1] if swap is None else swap(signs))
    found = {}
    for column, (name, pair) in enumerate(zip(shared, pairs, strict=True)):
        drawn = [np.concatenate(rows)[:, column] * pair.scale for rows in (swapped, moved)]
        found[name] = Chance(pair.value, drawn[0], drawn[1], pair.repeats)
    return found


def judge(measure: str, tasks: Sequence[Chance]) -> Difference:
    """Return difference, interval and p of a measure; of several tasks, those of their mean.

    >>> alike = Chance(0.1, np.array([0.1, -0.1] * 50), np.zeros(100), (np.array([0.1]),))
    >>> judge("mrr", [alike]).p
    1.0
    """
    value = float(np.mean([task.value for task in tasks]))
    swapped, moved = (
        np.mean([getattr(task, name) for task in tasks], axis=0) for name in ("swapped", "moved")
    )
    sides = zip(*(task.repeats for task in tasks), strict=True)
    luck = _luck_of_repeats([np.mean(side, axis=0) for side in sides], len(swapped))
    # Luck has no side. Counting both signs gives one p, whichever model is named first.
    reached = [np.abs(swapped + one) >= abs(value) - _TIE for one in (luck, -luck)]
    # One is added to both counts: no number of draws proves p = 0.
    p = float((1 + np.mean(reached, axis=0).sum()) / (1 + len(swapped)))
    reach = float(np.quantile(np.abs(np.concatenate([moved + luck, moved - luck])), 0.95))
    return Difference(measure, value, value - reach, value + reach, p)


def _questions(kind: Kind, samples: Sequence[Samples], place: str) -> NDArray[Any]:
    """Return the documents or queries that all samples answer; refuse samples of different ones."""
    name = _QUESTIONS[kind]
    first = samples[0][name]
    if not all(np.array_equal(first, one[name]) for one in samples):
        raise PhageError(
            "the results were not scored on the same documents",
            place=place,
            remedy="evaluate both on the same file with the same version",
        )
    return first


class _Pair:
    """The same measure of two models."""

    def __init__(self, one: Measured, other: Measured) -> None:
        self.value = float(one.values.mean() - other.values.mean())
        self.lean = one.leans.mean(0) - other.leans.mean(0)  # (N,)
        # Equal numbers of repeats are the same seeds: what a seed does to both cancels.
        if len(one.values) == len(other.values):
            self.repeats: tuple[Floats, ...] = (one.values - other.values,)
            apart = _scatter(one.leans - other.leans)
        else:
            self.repeats = (one.values, other.values)
            apart = _scatter(one.leans) + _scatter(other.leans)
        # Repeats err on different documents. Their own scatter accounts for that already, so the
        # documents keep only the part on which the repeats agree.
        whole = float((self.lean**2).sum())
        self.scale = float(np.sqrt(max(0.0, 1 - apart / whole))) if whole > 0 else 1.0


def _scatter(leans: Floats) -> float:
    """Return the variance of the mean that comes from repeats erring on different documents."""
    if len(leans) == 1:
        return 0.0
    return float(leans.var(axis=0, ddof=1).sum() / len(leans))


def _luck_of_repeats(sides: Sequence[Floats], draws: int) -> Floats:
    """Draw the error of a mean over few repeats: Student's t, scaled by their deviation."""
    random = np.random.default_rng(1)
    luck = np.zeros(draws)
    for values in sides:
        count = len(values)
        if count > 1:
            spread = float(values.std(ddof=1)) / np.sqrt(count)
            luck += spread * random.standard_t(count - 1, draws)
    return luck


def _signs(questions: NDArray[Any], draws: int) -> Iterator[Floats]:
    """Yield signs (some draws, N); the same questions in another task get the same signs."""
    count = len(questions)
    random = np.random.default_rng(zlib.crc32(questions.astype(np.int64).tobytes()))
    for start in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - start)
        bits = random.integers(0, 256, (size, (count + 7) // 8), dtype=np.uint8)
        yield np.unpackbits(bits, axis=1, count=count).astype(np.float64) * 2 - 1

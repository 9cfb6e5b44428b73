"""Classification and clustering by the main IPC code, for any patents.

In:   patents, as read, and the level of the code that is asked for.
Out:  a linear probe and a clustering over the hash split, on test and on validation.
Why:  CLEF-IP has no official training set and a USPTO week none at all; all follow one recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import number_labels
from phage.evaluation.split import hash_split
from phage.evaluation.tasks import Classification, Clustering, Part, Split

VIEW = "patents"


def by_subclass(
    patents: Sequence[Patent], splits: Mapping[str, Split]
) -> tuple[Classification | Clustering, ...]:
    """Ask for the main IPC subclass; patents without one are in no part."""
    return by_label(
        [patent.number for patent in patents], [patent.subclass for patent in patents], splits
    )


def by_label(
    numbers: Sequence[str], labels: Sequence[str], splits: Mapping[str, Split]
) -> tuple[Classification | Clustering, ...]:
    """Ask for the label of each document; those with an empty one are in no part."""
    labelled = [row for row, label in enumerate(labels) if label]
    names, found = number_labels([labels[row] for row in labelled])
    places = np.zeros(len(labels), dtype=np.int64)
    places[labelled] = found
    split = np.array(
        [splits[n] if label else Split.OUTSIDE for n, label in zip(numbers, labels, strict=True)],
        dtype=np.int8,
    )
    marks = np.stack([np.array(labelled, dtype=np.int64), found], axis=1)
    held = "classification-validation"
    return (
        Classification("classification", VIEW, names, marks, split),
        _cluster("clustering", Part.TEST, split, places),
        Classification(held, VIEW, names, marks, _inner(split, numbers), part=Part.VALIDATION),
        _cluster("clustering-validation", Part.VALIDATION, split, places),
    )


def _cluster(
    name: str, part: Part, split: NDArray[np.int8], places: NDArray[np.int64]
) -> Clustering:
    rows = np.flatnonzero(split == (Split.TEST if part is Part.TEST else Split.VALIDATION))
    return Clustering(name, VIEW, rows, places[rows], part)


def _inner(split: NDArray[np.int8], numbers: Sequence[str]) -> NDArray[np.int8]:
    """Score on validation: it becomes the test part, and a tenth of training validates."""
    inner = split.copy()
    inner[split == Split.TEST] = Split.OUTSIDE
    inner[split == Split.VALIDATION] = Split.TEST
    for row, number in enumerate(numbers):
        if split[row] == Split.TRAIN and hash_split(f"inner {number}") is Split.VALIDATION:
            inner[row] = Split.VALIDATION
    return inner

"""Places → dense regions, and their names.

In:   places and entries.
Out:  Clusters of two levels, each named by its claim terms.
Why:  a map without names is a cloud. Regions are the hills of the density, so each name stands
      where its points are. A region is named by terms that its claims use more often than
      others."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.language import language_of
from phage.map.types import Cluster, Entry, Floats
from phage.structure import find_mentions

GRID = 192
"""Cells along a side."""
LEVELS = (18, 90)
"""The most regions on each level."""
SAMPLE = 30_000
"""Patents whose claims are read for the names."""
TERMS = 3
LONGEST = 2_000
"""Characters of a claim that are read."""
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        "apparatus method system device assembly unit portion member step element end part side surface "
        "process plurality set time body structure position direction region area section one two "
        "first second third upper lower inner outer top bottom left right front rear side other "
        "least more claim following group combination use user data information",
    )
)
"""Words that every field uses; they may be part of a term, but not the whole term."""


def clusters(places: Floats, entries: Sequence[Entry]) -> tuple[Cluster, ...]:
    """Find the regions of both levels and name them."""
    if not len(places):
        return ()
    step = max(1, math.ceil(len(entries) / SAMPLE))
    terms = {at: set(claim_terms(entries[at])) for at in range(0, len(entries), step)}
    made: list[Cluster] = []
    for level, most in enumerate(LEVELS):
        labels = regions(places, most)
        names = named(labels, terms)
        sizes = np.bincount(labels)
        for label, size in enumerate(sizes):
            if size >= max(3, len(places) // 2_000) and names.get(label):
                x, y = np.median(places[labels == label], axis=0)
                made.append(Cluster(float(x), float(y), int(size), names[label], level))
    return tuple(sorted(made, key=lambda one: (one.level, -one.size)))


def regions(places: Floats, most: int) -> NDArray[np.int64]:
    """Return the hill of the density under each place; there are at most ``most`` hills."""
    cells = np.clip((places * GRID).astype(int), 0, GRID - 1)
    counts = np.zeros((GRID, GRID))
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1)
    for width in (1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 13, 16, 20, 26, 32):
        tops = _tops(_blurred(counts, width))[cells[:, 0], cells[:, 1]]
        _, labels = np.unique(tops, return_inverse=True)
        if labels.max() < most:
            break
    return labels.astype(np.int64)


def _blurred(counts: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    reach = np.arange(-math.ceil(3 * width), math.ceil(3 * width) + 1)
    bell = np.exp(-0.5 * (reach / width) ** 2)
    for axis in (0, 1):
        counts = np.apply_along_axis(lambda row: np.convolve(row, bell, "same"), axis, counts)
    return counts


def _tops(density: NDArray[np.float64]) -> NDArray[np.int64]:
    """Climb from each cell to the highest of its neighbours until nothing is higher."""
    padded = np.pad(density, 1, constant_values=-1.0)
    around = np.stack(
        [padded[a : a + GRID, b : b + GRID] for a in range(3) for b in range(3)]
    )  # (9, GRID, GRID)
    best = around.argmax(0)
    rows, columns = np.indices(density.shape)
    up = (rows + best // 3 - 1) * GRID + columns + best % 3 - 1
    flat: NDArray[np.int64] = up.ravel()
    while not np.array_equal(flat, flat[flat]):
        flat = flat[flat]
    return flat.reshape(density.shape)


def named(labels: NDArray[np.int64], terms: dict[int, set[str]]) -> dict[int, tuple[str, ...]]:
    """Name regions: the share of a region's claims with a term, times its rarity elsewhere."""
    inside: dict[int, Counter[str]] = defaultdict(Counter)
    sizes: Counter[int] = Counter()
    overall: Counter[str] = Counter()
    for at, found in terms.items():
        label = int(labels[at])
        inside[label].update(found)
        overall.update(found)
        sizes[label] += 1
    names: dict[int, tuple[str, ...]] = {}
    for label, counts in inside.items():
        scores = {
            term: count / sizes[label] * math.log(1 + len(terms) / overall[term]) * _length(term)
            for term, count in counts.items()
            if count >= max(2, sizes[label] // 40)
        }
        names[label] = tuple(_distinct(sorted(scores, key=lambda t: (-scores[t], t))))
    return names


def _length(term: str) -> float:
    return 1.25 if " " in term else 1.0  # "fuel cell" says more than "cell"


def _distinct(terms: Sequence[str]) -> Iterator[str]:
    """Yield the first terms that share no word."""
    used: set[str] = set()
    kept = 0
    for term in terms:
        own = set(term.split())
        if not own & used and kept < TERMS:
            used |= own
            kept += 1
            yield term


def claim_terms(entry: Entry) -> Iterator[str]:
    """Return the terms of a claim and the claimed thing; longer ones keep their last two words.

    >>> claim = "A fuel cell system, comprising a first fuel cell and an exhaust valve."
    >>> sorted(set(claim_terms(Entry("US1", "", claim=claim))))
    ['cell', 'exhaust valve', 'fuel cell', 'valve']
    """
    text = entry.claim[:LONGEST]
    try:
        language = language_of(entry.language)
    except PhageError:  # a language without rules
        return
    claimed = language.subject(text) if language.subject else ""
    for term in (claimed.lower(), *(one.term for one in find_mentions(text, language))):
        found = [word for word in term.split() if word not in _PLAIN][-2:]
        if len(found) == 2:
            yield " ".join(found)
        if found and len(found[-1]) > 2:
            yield found[-1]

"""Graphs that should not help: controls for what the edges themselves are worth.

In:   the edges of a patent, (E, 3) rows of target, source and relation; a seed.
Out:  as many edges of the same relations, between other claims.
Why:  a model that learns as much from these has learned nothing from the true edges. The paper has
      no such control. All functions are pure: the same edges and seed give the same edges."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.uint16]
"""(E, 3): target, source, relation. The source is the earlier claim: source < target."""
SWAPS = 10
"""Swaps that are tried per edge."""


def random_pairs(edges: Edges, claims: int, seed: int) -> Edges:
    """Draw as many distinct pairs of claims as there are edges; each keeps a relation.

    >>> star = np.array([[1, 0, 1], [2, 0, 1], [3, 0, 2]], np.uint16)
    >>> random_pairs(star, 4, seed=1).tolist()
    [[1, 0, 2], [2, 0, 1], [3, 1, 1]]
    """
    target, source = np.tril_indices(claims, -1)
    drawn = random.Random(seed).sample(range(len(target)), len(edges))
    made = np.stack([target[drawn], source[drawn], edges[:, 2]], axis=1)
    return _sorted(made)


def rewired(edges: Edges, seed: int) -> Edges:
    """Swap the sources of random pairs of edges: every claim keeps its degrees, in and out.

    An edge keeps its target and its relation. A star has only one graph of its degrees: it stays.

    >>> two = np.array([[2, 0, 1], [3, 1, 2]], np.uint16)
    >>> rewired(two, seed=6).tolist()
    [[2, 1, 1], [3, 0, 2]]
    """
    if len({*edges[:, 1].tolist()}) < 2:
        return edges
    draw = random.Random(seed).random
    targets, sources, _ = edges.T.tolist()
    known, count = set(zip(targets, sources, strict=True)), len(targets)
    for _ in range(SWAPS * count):
        one, other = int(draw() * count), int(draw() * count)
        a, b, c, d = targets[one], sources[one], targets[other], sources[other]
        if d < a and b < c and (a, d) not in known and (c, b) not in known:
            known -= {(a, b), (c, d)}
            known |= {(a, d), (c, b)}
            sources[one], sources[other] = d, b
    return _sorted(np.column_stack([edges[:, 0], np.array(sources, np.uint16), edges[:, 2]]))


def partners(claims: Sequence[int] | NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Find for every patent another one with as many claims, by the number of claims of each.

    A number that only one patent has takes the patent next in size.

    >>> partners([3, 5, 3, 5, 9], seed=1).tolist()
    [2, 3, 0, 1, 3]
    """
    counts = np.asarray(claims, dtype=np.int64)
    mixed = np.random.default_rng(seed).permutation(len(counts))
    order = mixed[np.argsort(counts[mixed], kind="stable")]  # by size, equal ones by chance
    found = np.empty(len(counts), dtype=np.int64)
    for group in np.split(order, np.flatnonzero(np.diff(counts[order])) + 1):
        found[group] = np.roll(group, 1)
    place = np.empty(len(counts), dtype=np.int64)
    place[order] = np.arange(len(counts))
    for alone in np.flatnonzero(found == np.arange(len(counts))):
        found[alone] = order[place[alone] - 1 if place[alone] else min(1, len(order) - 1)]
    return found


def within(edges: Edges, claims: int) -> Edges:
    """Keep the edges between a patent's first claims.

    >>> within(np.array([[1, 0, 1], [4, 0, 1]], np.uint16), claims=3).tolist()
    [[1, 0, 1]]
    """
    return edges[(edges[:, :2] < claims).all(1)]


def _sorted(edges: NDArray[np.generic]) -> Edges:
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    return edges[order].astype(np.uint16)

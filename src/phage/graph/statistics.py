"""The paper's tables of a corpus of graphs.

In:   claim graphs, one after the other.
Out:  Statistics: Tables "Basic CDG statistics" and "Edge distribution", boundary cases; JSON.
Why:  the quickest way to see whether a corpus, or an extractor, resembles the paper's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.graph.types import ClaimGraph, Relation

SAMPLE = 10_000
"""Patents with edges from which path length and diameter are taken, as in the paper."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One row of the basic table."""

    mean: float
    std: float
    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Share:
    """One row of the edge distribution."""

    count: int
    share: float
    """Of all edges."""
    mean: float
    """Per patent."""
    presence: float
    """Share of patents with at least one."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Patents at the edge of what a graph can say, as shares of all."""

    no_edges: float
    single_claim: float
    several_claims_no_edges: float
    only_cite: float
    implicit: float
    """At least one term, func or both edge."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """A corpus in the paper's figures."""

    patents: int
    basic: dict[str, Spread]
    """``claims, edges, density, path_length, diameter``."""
    relations: dict[str, Share]
    boundary: Boundary
    kinds: dict[str, int]
    """Cite edges by what they mean in law."""
    sampled: int
    """Patents behind path length and diameter."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


@dataclass
class Tally:
    """What has to be remembered of a corpus: a few numbers per patent."""

    seed: int = 0
    rows: list[tuple[int, ...]] = field(default_factory=list)
    """Claims, then edges per relation."""
    ways: int = 1
    """2 where couplings run in both directions: twice as many pairs can carry an edge."""
    kinds: Counter[str] = field(default_factory=Counter)
    paths: list[tuple[float, int]] = field(default_factory=list)
    _several: int = 0
    _rng: Random = field(default_factory=Random)

    def __post_init__(self) -> None:
        """Make the sample repeatable."""
        self._rng = Random(self.seed)

    def add(self, graph: ClaimGraph) -> None:
        """Count one graph."""
        if graph.settings.functional == "both":
            self.ways = 2
        found = Counter(edge.relation for edge in graph.edges)
        self.rows.append((len(graph.claims), *(found[relation] for relation in Relation)))
        self.kinds.update(str(edge.kind) for edge in graph.edges if edge.kind)
        if graph.edges:
            self._sample(graph)

    def _sample(self, graph: ClaimGraph) -> None:
        """Keep a uniform sample of the patents that have a path at all (reservoir)."""
        self._several += 1
        place = len(self.paths)
        if place >= SAMPLE:
            place = self._rng.randrange(self._several)
        if place < SAMPLE:
            self.paths[place : place + 1] = [paths(graph)]

    def matrix(self) -> NDArray[np.int64]:
        """Return the rows as one array, (patents, 5)."""
        return np.array(self.rows, dtype=np.int64).reshape(-1, 1 + len(Relation))


def summarize(graphs: Iterable[ClaimGraph], seed: int = 0) -> Statistics:
    """Count a corpus.

    >>> from phage.graph.types import Edge
    >>> star = ClaimGraph("US1A", (1, 2, 3), (Edge(1, 2, Relation.CITE), Edge(1, 3, Relation.CITE)))
    >>> found = summarize([star])
    >>> round(found.basic["density"].mean, 3), found.basic["diameter"].mean
    (0.667, 2.0)
    """
    tally = Tally(seed)
    for graph in graphs:
        tally.add(graph)
    return statistics(tally)


def statistics(tally: Tally) -> Statistics:
    """Turn counts into the tables."""
    rows = tally.matrix()
    claims, relations = rows[:, 0], rows[:, 1:]
    edges = relations.sum(axis=1)
    total, patents = int(edges.sum()), max(len(rows), 1)
    lengths = [length for length, _ in tally.paths]
    diameters = [diameter for _, diameter in tally.paths]
    implicit = edges - relations[:, 0]
    return Statistics(
        patents=len(rows),
        basic={
            "claims": _spread(claims),
            "edges": _spread(edges),
            "density": _spread(density(claims, edges, tally.ways)),
            "path_length": _spread(lengths),
            "diameter": _spread(diameters),
        },
        relations={
            str(relation): Share(
                count=int(column.sum()),
                share=float(column.sum() / total) if total else 0.0,
                mean=float(column.sum() / patents),
                presence=float((column > 0).sum() / patents),
            )
            for relation, column in zip(Relation, relations.T, strict=True)
        },
        boundary=Boundary(
            no_edges=float((edges == 0).sum() / patents),
            single_claim=float((claims < 2).sum() / patents),
            several_claims_no_edges=float(((edges == 0) & (claims > 1)).sum() / patents),
            only_cite=float(((edges > 0) & (implicit == 0)).sum() / patents),
            implicit=float((implicit > 0).sum() / patents),
        ),
        kinds=dict(sorted(tally.kinds.items())),
        sampled=len(tally.paths),
    )


def density(
    claims: NDArray[np.int64], edges: NDArray[np.int64], ways: int = 1
) -> NDArray[np.float64]:
    """Return edges per pair of claims that can carry one; 0 for a single claim.

    n (n - 1) / 2 pairs can carry an edge of an acyclic graph, so that 1.0, the top of the paper's
    range, can be reached; its median patent (18 claims, 32 edges) then has its 0.20.

    >>> density(np.array([18, 2, 1]), np.array([32, 1, 0])).round(2).tolist()
    [0.21, 1.0, 0.0]
    """
    pairs = ways * claims * (claims - 1) / 2
    return np.divide(edges, pairs, out=np.zeros(len(claims)), where=pairs > 0)


def paths(graph: ClaimGraph) -> tuple[float, int]:
    """Return mean shortest path and diameter, edges read both ways, over connected pairs.

    Read one way only, every star would have length and diameter 1 and the paper's 2.01 and 3.68
    could not arise.

    >>> from phage.graph.types import Edge
    >>> chain = [Edge(i, i + 1, Relation.CITE) for i in range(1, 4)]
    >>> length, diameter = paths(ClaimGraph("US1A", (1, 2, 3, 4), tuple(chain)))
    >>> round(length, 3), diameter
    (1.667, 3)
    """
    place = {number: index for index, number in enumerate(graph.claims)}
    near = [0] * len(place)  # neighbours as bits: breadth-first search by whole levels
    for edge in graph.edges:
        source, target = place[edge.source], place[edge.target]
        near[source] |= 1 << target
        near[target] |= 1 << source
    total = pairs = diameter = 0
    for start in range(len(near)):
        seen = level = 1 << start
        depth = 0
        while level := _beyond(level, near) & ~seen:
            depth += 1
            seen |= level
            total += depth * level.bit_count()
            pairs += level.bit_count()
        diameter = max(diameter, depth)
    return (total / pairs if pairs else 0.0), diameter


def _beyond(level: int, near: Sequence[int]) -> int:
    found = 0
    while level:
        lowest = level & -level
        found |= near[lowest.bit_length() - 1]
        level ^= lowest
    return found


def _spread(values: Sequence[float] | NDArray[Any]) -> Spread:
    if len(values) == 0:
        return Spread(0.0, 0.0, 0.0, 0.0, 0.0)
    array = np.asarray(values, dtype=np.float64)
    figures = (array.mean(), array.std(), np.median(array), array.min(), array.max())
    return Spread(*(float(figure) for figure in figures))

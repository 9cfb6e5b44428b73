"""The Claim Dependency Graph: typed edges, each with its evidence.

In:   what the extractors found.
Out:  Relation, Edge, Evidence, Diagnostic, ClaimGraph, frozen; one JSON form.
Why:  section 3.1 of the paper in types: exclusive relations, directed from earlier to later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.normal import shortened
from phage.errors import chosen
from phage.structure import CiteKind, Reason

if TYPE_CHECKING:
    from phage.claims.types import Patent


class Relation(StrEnum):
    """The paper's four relation types, in the order of its tables."""

    CITE = "cite"
    TERM = "term"
    FUNC = "func"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that prove an edge; ``claim.text[start:end] == phrase``."""

    claim: int
    start: int
    end: int
    phrase: str
    signal: Relation
    """``cite``, ``term`` or ``func``: which extractor saw it (a ``both`` edge carries both)."""
    term: str = ""
    """The normalised term, for TERM and FUNC."""
    verb: str = ""
    """The lexicon verb, for FUNC."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A dependency from an earlier claim to the later one that builds on it.

    With ``functional = "both"`` couplings also run from later claims to earlier ones.
    """

    source: int
    """Claim numbers, as printed."""
    target: int
    relation: Relation
    evidence: tuple[Evidence, ...] = ()
    kind: CiteKind | None = None
    """For ``cite`` edges only."""

    def __repr__(self) -> str:
        """Describe it in one line.

        >>> Edge(1, 2, Relation.CITE)
        Edge(1 → 2, cite)
        """
        words = dict.fromkeys(item.phrase for item in self.evidence)
        said = f": {shortened('; '.join(words), 60)!r}" if words else ""
        return f"Edge({self.source} → {self.target}, {self.relation}{said})"

    def _repr_html_(self) -> str:
        """Show it in a notebook, with its evidence."""
        from phage.graph.drawing.notebook import edges_html

        return edges_html([self])


class Edges(tuple[Edge, ...]):
    """Edges of a graph: a tuple that shows itself in a few lines, and in a notebook as a table."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Describe the first ones, and count the others.

        >>> Edges([Edge(1, n, Relation.CITE) for n in range(2, 9)])
        (Edge(1 → 2, cite), Edge(1 → 3, cite), Edge(1 → 4, cite), … 4 more)
        """
        more = f", … {len(self) - 3:,} more)" if len(self) > 3 else ",)" if len(self) == 1 else ")"
        return f"({', '.join(map(repr, self[:3]))}{more}"

    def _repr_html_(self) -> str:
        """Show them in a notebook, with their evidence."""
        from phage.graph.drawing.notebook import edges_html

        return edges_html(self)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A reference that cannot be an edge, and why."""

    claim: int
    reference: int
    """The claim number referred to; 0 if the words name no existing claim."""
    reason: Reason
    start: int
    end: int
    phrase: str


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """What two graphs must share to be comparable."""

    parser: str = "pattern"
    """``pattern`` (built in, deterministic) or ``spacy`` (dependency parse, as in the paper)."""
    citations: str = "full"
    """``full``, or ``paper``: the five prepositions and one number, to the letter."""
    rho: float = 0.8
    """Terms in more than this share of the claims are dropped (sets of three or more)."""
    max_components: int = 8
    """K of the appendix: components kept per claim."""
    functional: str = "forward"
    """``forward``: couplings run from an earlier claim to a later one, as all edges do. ``both``:
    also back, as the appendix prints its formula (c_j ≠ c_i), between claims of which neither
    depends on the other; the paper's counts fit this."""
    lexicon: str = "2"
    """Version of phrases, stop terms and verbs; changes when a graph could change."""


@dataclass(frozen=True, slots=True)
class ClaimGraph:
    """The graph of one patent."""

    patent: str
    claims: tuple[int, ...]
    edges: tuple[Edge, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    language: str = "en"
    settings: GraphSettings = field(default_factory=GraphSettings)

    def __post_init__(self) -> None:
        """Let the edges show themselves."""
        object.__setattr__(self, "edges", Edges(self.edges))

    def adjacency(self, relation: Relation | str) -> NDArray[np.int8]:
        """Return the typed adjacency: ``A[i, j] = 1`` when claim i receives from claim j.

        ``relation`` is cite, term, func or both.

        >>> graph = ClaimGraph("US1A", (1, 2), (Edge(1, 2, Relation.CITE),))
        >>> graph.adjacency("cite").tolist()
        [[0, 0], [1, 0]]
        """
        wanted = chosen(Relation, relation)
        place = {number: index for index, number in enumerate(self.claims)}
        matrix = np.zeros((len(place), len(place)), dtype=np.int8)
        for edge in self.edges:
            if edge.relation == wanted:
                matrix[place[edge.target], place[edge.source]] = 1
        return matrix

    def __repr__(self) -> str:
        """Describe it in one line.

        >>> ClaimGraph("US1A", (1, 2), (Edge(1, 2, Relation.CITE),))
        ClaimGraph('US1A', 2 claims, 1 edges: 1 cite)
        """
        counts = Counter(str(edge.relation) for edge in self.edges)
        kinds = ", ".join(f"{counts[str(one)]} {one}" for one in Relation if counts[str(one)])
        size = f"{len(self.claims)} claims, {len(self.edges)} edges"
        return f"ClaimGraph({self.patent!r}, {size}{f': {kinds}' if kinds else ''})"

    def _repr_html_(self) -> str:
        """Draw it in a notebook."""
        from phage.graph.drawing.notebook import graph_html

        return graph_html(self)

    def to_networkx(self, patent: Patent | None = None) -> Any:  # noqa: ANN401
        """Return a ``networkx.DiGraph`` (``phage.graph.export``)."""
        from phage.graph.export import to_networkx

        return to_networkx(self, patent)

    def to_pyg(self, vectors: Any = None) -> Any:  # noqa: ANN401
        """Return a ``HeteroData`` of PyTorch Geometric (``phage.graph.export``)."""
        from phage.graph.export import to_pyg

        return to_pyg(self, vectors)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form: ``patent, language, claims, edges, diagnostics, settings``."""
        return {
            "patent": self.patent,
            "language": self.language,
            "claims": list(self.claims),
            "edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "relation": str(edge.relation),
                    "kind": str(edge.kind) if edge.kind else None,
                    "evidence": [_plain(item) for item in edge.evidence],
                }
                for edge in self.edges
            ],
            "diagnostics": [_plain(item) for item in self.diagnostics],
            "settings": asdict(self.settings),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> ClaimGraph:
        """Read the JSON form back.

        >>> graph = ClaimGraph("US1A", (1, 2), (Edge(1, 2, Relation.TERM),))
        >>> ClaimGraph.from_json(graph.to_json()) == graph
        True
        """
        return cls(
            patent=row["patent"],
            claims=tuple(row["claims"]),
            edges=tuple(map(_edge, row["edges"])),
            diagnostics=tuple(
                Diagnostic(**{**item, "reason": Reason(item["reason"])})
                for item in row.get("diagnostics") or ()
            ),
            language=row.get("language") or "en",
            settings=GraphSettings(**(row.get("settings") or {})),
        )


def _plain(item: Evidence | Diagnostic) -> dict[str, Any]:
    # Ten times quicker than ``asdict``, which copies deeply: it would cost more than the graph.
    return {
        name: str(value) if isinstance(value, StrEnum) else value
        for name in item.__slots__
        for value in (getattr(item, name),)
    }


def _edge(row: Mapping[str, Any]) -> Edge:
    evidence = tuple(
        Evidence(**{**item, "signal": Relation(item["signal"])})
        for item in row.get("evidence") or ()
    )
    kind = CiteKind(row["kind"]) if row.get("kind") else None
    return Edge(row["source"], row["target"], Relation(row["relation"]), evidence, kind)


def closure(pairs: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    """Return the transitive closure of (source, target) pairs: E*_cite of the paper.

    >>> sorted(closure([(1, 2), (2, 4), (1, 3)]))
    [(1, 2), (1, 3), (1, 4), (2, 4)]
    """
    return frozenset(
        (source, target)
        for target, sources in ancestors(pairs).items()
        for source in range(sources.bit_length())
        if sources >> source & 1
    )


def ancestors(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Return all that each target depends on, directly or not, as a number with a bit for each.

    A union of bits costs next to nothing, where sets of a thousand claims that all cite each
    other would take minutes.

    >>> {target: bin(bits) for target, bits in ancestors([(1, 2), (2, 4)]).items()}
    {2: '0b10', 4: '0b110'}
    """
    parents: dict[int, set[int]] = {}
    for source, target in pairs:
        parents.setdefault(target, set()).add(source)
    above: dict[int, int] = {}
    for target in sorted(parents):  # all edges run from a smaller to a larger number
        bits = 0
        for source in parents[target]:
            bits |= 1 << source | above.get(source, 0)
        above[target] = bits
    return above

"""The true graph of an invented claim set.

In:   per claim: the references written, the mentions and the coupled components.
Out:  edges in the JSON form of a claim graph, exclusive and from earlier to later.
Why:  the appendix's formulas applied to what was written, not to what can be read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

RHO = 0.8  # terms in a larger share of the claims are dropped, in sets of three or more
MAX_COMPONENTS = 8  # K of the appendix


@dataclass(frozen=True, slots=True)
class Written:
    """A claim as its writer knows it."""

    number: int
    text: str
    parents: tuple[int, ...] = ()
    kind: str | None = None
    """``dependent``, ``alternative`` or ``cross-category``; None for an independent claim."""
    mentions: tuple[tuple[str, str], ...] = ()
    """(``indef`` or ``def``, term), in order of appearance."""
    components: tuple[str, ...] = ()
    """Terms that a functional verb joins, in order of appearance."""


def true_edges(claims: Sequence[Written]) -> list[dict[str, Any]]:
    """Return the graph's edges.

    >>> claims = [
    ...     Written(1, "A pump comprising a shaft.", mentions=(("indef", "shaft"),)),
    ...     Written(2, "The pump of claim 1 …", (1,), "dependent", (("indef", "cap"),)),
    ...     Written(3, "The pump of claim 1, the cap …", (1,), "dependent", (("def", "cap"),)),
    ...     Written(4, "A fan …", mentions=(("def", "shaft"),), components=("shaft",)),
    ... ]
    >>> [(e["source"], e["target"], e["relation"]) for e in true_edges(claims)]
    [(1, 2, 'cite'), (1, 3, 'cite'), (2, 3, 'term'), (1, 4, 'both')]
    """
    above = _ancestors(claims)
    terms = {claim.number: {term for _, term in claim.mentions} for claim in claims}
    common = _common(terms)
    first: dict[str, int] = {}
    edges: list[dict[str, Any]] = []
    for claim in claims:
        for kind, term in claim.mentions:
            if kind == "indef":
                first.setdefault(term, claim.number)
        flow = {
            first[t]
            for c, t in claim.mentions
            if c == "def" and t not in common and first.get(t, claim.number) < claim.number
        }
        joined = set(claim.components[:MAX_COMPONENTS]) - common
        coupling = {
            earlier.number
            for earlier in claims
            if earlier.number < claim.number and joined & terms[earlier.number]
        }
        edges += [_edge(parent, claim.number, "cite", claim.kind) for parent in claim.parents]
        for source in sorted((flow | coupling) - above[claim.number]):
            both = source in flow and source in coupling
            relation = "both" if both else "term" if source in flow else "func"
            edges.append(_edge(source, claim.number, relation, None))
    return edges


def _edge(source: int, target: int, relation: str, kind: str | None) -> dict[str, Any]:
    return {"source": source, "target": target, "relation": relation, "kind": kind}


def _ancestors(claims: Sequence[Written]) -> dict[int, set[int]]:
    """Close the citations: every claim that a claim leans on, directly or not."""
    above: dict[int, set[int]] = {}
    for claim in claims:
        parents = set(claim.parents)
        above[claim.number] = parents.union(*(above[parent] for parent in parents))
    return above


def _common(terms: dict[int, set[str]]) -> set[str]:
    if len(terms) < 3:
        return set()
    counts = Counter(term for found in terms.values() for term in found)
    return {term for term, count in counts.items() if count > RHO * len(terms)}

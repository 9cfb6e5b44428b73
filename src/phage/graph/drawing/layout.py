"""Claims as rows of a forest.

In:   a ClaimGraph, and the Patent for its words.
Out:  one ClaimRow per claim: depth, the claim it hangs from, its words; the citations left over.
Why:  a list with indents stays legible at sixty claims, where a net of boxes does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from phage.claims.types import Patent
from phage.graph.types import ClaimGraph, Edge, Relation
from phage.structure import CiteKind, Reason

_REFERENCE = re.compile(r"^.{0,160}?\bclaims?\b(?: (?:\d+|or|and|to|through|claims?)\b|[,\d–-])*")
_OPENING = 200
"""Characters within which a reference counts as the claim's opening."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A finding about a claim, as a drawing shows it."""

    rule: str
    words: str
    error: bool = False


Marks = Mapping[int, tuple[Mark, ...]]
"""Claim → its findings."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """One claim and its position in the drawing."""

    number: int
    depth: int
    parent: int | None
    """The claim it hangs from; None for a root: an independent, cross-category or broken claim."""
    independent: bool
    """Refers to no claim."""
    last: bool
    """Last child of its parent."""
    opening: str = ""
    """The words up to the reference ("The pump of claim 1, "), which may be broken; empty in an
    independent claim."""
    words: str = ""
    """The rest."""
    broken: bool = False
    """Refers to claims, but none of them can be its parent."""


@dataclass(frozen=True, slots=True)
class Forest:
    """The rows from top to bottom, and the edges that are not branches."""

    rows: tuple[ClaimRow, ...]
    branches: tuple[Edge, ...]
    """One cite edge per row that hangs from another."""
    asides: tuple[Edge, ...]
    """Further parents of multiple dependents, and cross-category references."""
    implicit: tuple[Edge, ...]


def lay_out(graph: ClaimGraph, patent: Patent | None = None) -> Forest:
    """Order the claims depth first, children by number.

    >>> edges = (Edge(1, 2, Relation.CITE), Edge(1, 3, Relation.CITE), Edge(2, 4, Relation.CITE))
    >>> [(row.number, row.depth) for row in lay_out(ClaimGraph("US1A", (1, 2, 3, 4), edges)).rows]
    [(1, 0), (2, 1), (4, 2), (3, 1)]
    """
    texts = {claim.number: claim.text for claim in patent.claims} if patent else {}
    cites = [edge for edge in graph.edges if edge.relation is Relation.CITE]
    branch: dict[int, Edge] = {}
    for edge in sorted(cites, key=lambda edge: edge.source):
        if edge.kind is not CiteKind.CROSS_CATEGORY:
            branch.setdefault(edge.target, edge)
    children: dict[int, list[int]] = {}
    for edge in branch.values():
        children.setdefault(edge.source, []).append(edge.target)
    broken = broken_claims(graph)
    ends = {edge.target: max(_ends(edge), default=0) for edge in cites}
    lost = {item.claim: item.end for item in graph.diagnostics if 0 < item.end < _OPENING}
    rows: list[ClaimRow] = []
    waiting = [(number, 0, True) for number in reversed(graph.claims) if number not in branch]
    while waiting:
        number, depth, last = waiting.pop()
        parent = branch[number].source if number in branch else None
        text = texts.get(number, "")
        wrong = number in broken
        # A root's opening is what it claims, also where it refers to another category.
        end = lost.get(number) if wrong else None if parent is None else ends.get(number)
        opening, words = _words(text, end)
        alone = number not in ends and not wrong
        rows.append(ClaimRow(number, depth, parent, alone, last, opening, words, wrong))
        below = sorted(children.get(number, ()), reverse=True)
        waiting += [(child, depth + 1, place == 0) for place, child in enumerate(below)]
    chosen = set(branch.values())
    return Forest(
        rows=tuple(rows),
        branches=tuple(branch.values()),
        asides=tuple(edge for edge in cites if edge not in chosen),
        implicit=tuple(edge for edge in graph.edges if edge.relation is not Relation.CITE),
    )


def broken_claims(graph: ClaimGraph) -> frozenset[int]:
    """Return the claims that refer to other claims, none of which can be their parent.

    They are not independent: "The pump of claim 9" wants a parent.
    """
    citing = {edge.target for edge in graph.edges if edge.relation is Relation.CITE}
    failed = {item.claim for item in graph.diagnostics if item.reason is not Reason.DENSE}
    return frozenset(failed - citing)


def _ends(edge: Edge) -> list[int]:
    found = [item.end for item in edge.evidence if item.claim == edge.target]
    return [end for end in found if end < _OPENING]


def _words(text: str, end: int | None) -> tuple[str, str]:
    """Split a claim into its opening and what it adds; ``end`` is where its reference ends.

    Without evidence (``end`` is 0) the reference is looked for in the words.

    >>> _words("The pump of claim 1 or 2, wherein the cap is red.", 0)
    ('The pump of claim 1 or 2, ', 'wherein the cap is red.')
    """
    if end == 0:
        found = _REFERENCE.match(text)
        end = found.end() if found else 0
    if not end:
        return "", text
    rest = text[end:].lstrip(" ,;:、，")
    if len(rest) < 2:
        return "", text
    return text[: len(text) - len(rest)], rest


def describe(edge: Edge) -> str:
    """Describe an edge and its evidence in words, for a tooltip.

    >>> describe(Edge(1, 3, Relation.TERM))
    'claim 1 → claim 3: term'
    """
    kind = f" ({edge.kind})" if edge.kind else ""
    lines = [f"claim {edge.source} → claim {edge.target}: {edge.relation}{kind}"]
    for item in edge.evidence:
        what = ", ".join(word for word in (item.term, item.verb) if word)
        lines.append(f"claim {item.claim}: “{item.phrase}”" + (f" ({what})" if what else ""))
    return "\n".join(dict.fromkeys(lines))

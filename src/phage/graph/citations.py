"""Citations: "of any one of claims 1 to 3" → cite edges.

In:   numbered claims of one patent, and how their language refers to claims.
Out:  direct cite edges with kind and evidence; a Diagnostic for each reference that can be none.
Why:  the explicit legal hierarchy; its closure is only ever used to exclude implicit pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phage.claims.types import Claim
from phage.graph.language.types import Language, Reach, Reference
from phage.graph.types import CiteKind, Diagnostic, Edge, Evidence, Reason, Relation


def cite_edges(
    claims: Sequence[Claim], language: Language, cancelled: Sequence[int] = ()
) -> tuple[tuple[Edge, ...], tuple[Diagnostic, ...]]:
    """Extract the direct citations of one patent.

    >>> from phage.graph.language import language_of
    >>> claims = (Claim(1, "A pump."), Claim(2, "The pump of claim 1."))
    >>> edges, _ = cite_edges(claims, language_of("en"))
    >>> [(edge.source, edge.target, edge.evidence[0].phrase) for edge in edges]
    [(1, 2, 'claim 1')]
    """
    edges: dict[tuple[int, int], Edge] = {}
    diagnostics: list[Diagnostic] = []
    present = [claim.number for claim in claims]
    for claim in claims:
        for reference in language.references(claim.text):
            phrase = claim.text[reference.start : reference.end]
            spot = (reference.start, reference.end, phrase)
            numbers = list(_numbers(reference, claim.number, present))
            kind = CiteKind.DEPENDENT if len(numbers) == 1 else CiteKind.ALTERNATIVE
            for number in numbers:
                reason = _reason(number, claim.number, present, cancelled)
                if reason is not None:
                    diagnostics.append(Diagnostic(claim.number, number, reason, *spot))
                    continue
                evidence = Evidence(claim.number, *spot, Relation.CITE)
                pair = (number, claim.number)
                edges.setdefault(pair, Edge(*pair, Relation.CITE, (evidence,), kind))
    return tuple(edges.values()), tuple(diagnostics)


def _numbers(reference: Reference, number: int, present: Sequence[int]) -> Iterator[int]:
    if reference.reach is Reach.LISTED:
        for low, high in reference.ranges:
            yield from range(low, high + 1)
    else:
        earlier = [other for other in present if other < number]
        yield from earlier if reference.reach is Reach.PRECEDING else earlier[-1:]


def _reason(
    number: int, citing: int, present: Sequence[int], cancelled: Sequence[int]
) -> Reason | None:
    if number == citing:
        return Reason.SELF
    if number in cancelled:
        return Reason.CANCELLED
    if number not in present:
        return Reason.MISSING
    return Reason.LATER if number > citing else None

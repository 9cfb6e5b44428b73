"""Citations: "of any one of claims 1 to 3" → cite edges.

In:   numbered claims of one patent, and how their language refers to claims.
Out:  direct cite edges with kind and evidence; a Diagnostic for each reference that can be none.
Why:  the explicit legal hierarchy; its closure is only ever used to exclude implicit pairs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

from phage.claims.types import Claim
from phage.errors import PhageError
from phage.graph.language.types import Language, Ranges, Reach, Reference, References
from phage.graph.types import (
    MOST,
    CiteKind,
    Diagnostic,
    Edge,
    Evidence,
    Reason,
    Relation,
    too_many,
)

_PAPER = re.compile(
    r"\b(?:of|according to|as in|as claimed in|as set forth in)\s+claim\s+(\d{1,4})\b",
    re.IGNORECASE,
)
"""⟨prep⟩ claim N: the five prepositions of section 3.1 and one number."""


def cite_edges(
    claims: Sequence[Claim],
    language: Language,
    cancelled: Sequence[int] = (),
    mode: str = "full",
) -> tuple[tuple[Edge, ...], tuple[Diagnostic, ...]]:
    """Extract the direct citations of one patent.

    >>> from phage.graph.language import language_of
    >>> claims = (Claim(1, "A pump."), Claim(2, "A boat with the pump of claim 1."))
    >>> edges, _ = cite_edges(claims, language_of("en"))
    >>> [(edge.source, edge.target, str(edge.kind)) for edge in edges]
    [(1, 2, 'cross-category')]
    """
    texts = dict(sorted((claim.number, claim.text) for claim in claims))
    edges: list[Edge] = []
    diagnostics: list[Diagnostic] = []
    for number, found in cited_claims(texts, _reader(language, mode), cancelled):
        parents: dict[int, list[Reference]] = {}
        for reference, cited in found:
            spot = _spot(texts[number], reference)
            for other, reason in cited:
                if reason is None:
                    parents.setdefault(other, []).append(reference)
                else:
                    diagnostics.append(Diagnostic(number, other, reason, *spot))
        if parents:
            edges += _edges(number, parents, texts, language)
    return tuple(edges), tuple(diagnostics)


Cited = list[tuple[int, Reason | None]]
"""Claim numbers, each with the reason why it cannot be a parent; None where it can."""


def cited_claims(
    texts: Mapping[int, str], read: References, cancelled: Sequence[int] = ()
) -> Iterator[tuple[int, list[tuple[Reference, Cited]]]]:
    """Give, claim by claim, its references and the claims that each of them cites.

    >>> from phage.graph.language import language_of
    >>> texts = {1: "A pump.", 2: "The pump of claim 1 or 4."}
    >>> [(n, [c for _, c in f]) for n, f in cited_claims(texts, language_of("en").references)]
    [(1, []), (2, [[(1, None), (4, <Reason.MISSING: 'missing'>)]])]
    """
    numbers, gone, count = sorted(texts), frozenset(cancelled), 0
    for number, text in texts.items():
        found: list[tuple[Reference, Cited]] = []
        for reference in read(text):
            cited = _cited(reference, number, numbers, texts)
            count += len(cited)
            if count > MOST:
                raise too_many("references to claims")
            found.append(
                (reference, [(other, _reason(other, number, texts, gone)) for other in cited])
            )
        yield number, found


def _reader(language: Language, mode: str) -> References:
    if mode == "full":
        return language.references
    if mode != "paper":
        raise PhageError(
            f"unknown citation mode '{mode}'", remedy="use citations = 'full' or 'paper'"
        )
    if language.code != "en":
        raise PhageError(
            f"the paper's five prepositions are English, these claims are {language.name}",
            remedy="use citations = 'full'",
        )
    return paper_references


def paper_references(text: str) -> tuple[Reference, ...]:
    """Read references as the paper says, to the letter.

    >>> [r.ranges for r in paper_references("The pump of claim 1 or 2, as recited in claim 3")]
    [((1, 1),)]
    """
    return tuple(
        Reference(match.start(), match.end(), Reach.LISTED, ((int(match[1]), int(match[1])),))
        for match in _PAPER.finditer(text)
    )


def _edges(
    number: int,
    parents: Mapping[int, list[Reference]],
    texts: Mapping[int, str],
    language: Language,
) -> Iterator[Edge]:
    text = texts[number]
    proofs: dict[int, Evidence] = {}  # one for all that a reference cites
    for reference in chain.from_iterable(parents.values()):
        if reference.start not in proofs:
            spot = _spot(text, reference)
            proofs[reference.start] = Evidence(number, *spot, Relation.CITE)
    # A claim depends through any reference that is not merely cross-category.
    crosses = {
        cited: all(language.cross_category(text, reference, texts[cited]) for reference in found)
        for cited, found in parents.items()
    }
    single = sum(not cross for cross in crosses.values()) == 1
    for cited in sorted(parents):
        if crosses[cited]:
            kind = CiteKind.CROSS_CATEGORY
        else:
            kind = CiteKind.DEPENDENT if single else CiteKind.ALTERNATIVE
        evidence = tuple(proofs[reference.start] for reference in parents[cited])
        yield Edge(cited, number, Relation.CITE, evidence, kind)


LONGEST = 400
"""Characters of a reference that evidence shows; a list of thousands of claims would otherwise be
repeated in full for each of them."""


def _spot(text: str, reference: Reference) -> tuple[int, int, str]:
    end = min(reference.end, reference.start + LONGEST)
    return reference.start, end, text[reference.start : end]


def _cited(
    reference: Reference, number: int, numbers: list[int], texts: Mapping[int, str]
) -> Collection[int]:
    """Name the claims a reference means; 0 where it means one that does not exist."""
    last = numbers[-1]
    if reference.reach is Reach.LISTED:
        found = list(_expand(reference.ranges, last))
    elif reference.reach is Reach.FOLLOWING:
        found = numbers[bisect_right(numbers, number) :][:1]
    else:
        found = numbers[: bisect_left(numbers, number)]
        if reference.reach is Reach.PREVIOUS:
            found = found[-reference.count :]
        elif reference.noun:
            alike = [other for other in found if reference.noun in texts[other][:80].lower()]
            found = alike or found
    if reference.excluded:
        excluded = set(_expand(reference.excluded, last))
        found = [other for other in found if other not in excluded]
    return dict.fromkeys(found) or (0,)


def _expand(ranges: Ranges, last: int) -> Iterator[int]:
    # One number past the last claim is enough to say that the range runs too far.
    runs = [range(low, max(low, min(high, last + 1)) + 1) for low, high in ranges]
    if sum(map(len, runs)) > MOST:
        raise too_many("references to claims")
    return chain.from_iterable(runs)


def _reason(
    cited: int, number: int, texts: Mapping[int, str], cancelled: Collection[int]
) -> Reason | None:
    if cited == number:
        return Reason.SELF
    if cited in cancelled:
        return Reason.CANCELLED
    if cited not in texts:
        return Reason.MISSING
    return Reason.LATER if cited > number else None

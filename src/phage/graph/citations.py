"""Citations: "of any one of claims 1 to 3" → cite edges.

In:   numbered claims of one patent, and how their language refers to claims.
Out:  direct cite edges with kind and evidence; a Diagnostic for each reference that can be none.
Why:  the explicit legal hierarchy; its closure is only ever used to exclude implicit pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from phage.claims.types import Claim
from phage.errors import PhageError
from phage.graph.types import Diagnostic, Edge, Evidence, Relation
from phage.language.types import Language, Reach, Reference, References
from phage.structure import CiteKind, cited_claims

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

    >>> from phage.language import language_of
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


def _reader(language: Language, mode: str) -> References:
    if mode == "full":
        return language.references
    if mode != "paper":
        raise PhageError(
            f"unknown citation mode '{mode}'", remedy="use citations = 'full' or 'paper'"
        )
    if language.code != "en":
        raise PhageError(
            f"the paper's five prepositions are English, but these claims are {language.name}",
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

"""What each claim leans on, as the law sees it.

In:   the claims of one patent and how their language refers to claims.
Out:  Links per claim: parents that hold together or as alternatives, and references that fail.
Why:  the graph keeps valid parents only; a checker must also know that claim 2 wanted claim 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from phage.graph.citations import Cited, cited_claims
from phage.graph.language.types import Language, Reference
from phage.graph.types import CiteKind, Reason


@dataclass(frozen=True, slots=True)
class Link:
    """One referring phrase of a claim; ``text[start:end]`` is the phrase."""

    start: int
    end: int
    numbers: tuple[int, ...]
    """All claim numbers it names, valid or not."""
    parents: tuple[int, ...]
    """Those that are earlier claims of this set."""
    broken: tuple[tuple[int, Reason], ...]
    """The others, with the reason; number 0 where the phrase names no claim."""
    kind: CiteKind
    """ALTERNATIVE where it names several, valid or not."""


Links = tuple[Link, ...]


def find_links(
    texts: Mapping[int, str], language: Language, cancelled: Sequence[int] = ()
) -> dict[int, Links]:
    """Read the references of every claim.

    >>> from phage.graph.language import language_of
    >>> texts = {1: "A bed.", 2: "The bed of claim 1 or 4."}
    >>> link = find_links(texts, language_of("en"))[2][0]
    >>> link.parents, link.broken[0][0], str(link.kind)
    ((1,), 4, 'alternative')
    """
    links: dict[int, Links] = {}
    for number, found in cited_claims(texts, language.references, cancelled):
        links[number] = tuple(
            _link(texts, number, reference, cited, language) for reference, cited in found
        )
    return links


def _link(
    texts: Mapping[int, str],
    number: int,
    reference: Reference,
    cited: Cited,
    language: Language,
) -> Link:
    parents = tuple(claim for claim, reason in cited if reason is None)
    broken = tuple((claim, reason) for claim, reason in cited if reason is not None)
    text = texts[number]
    # A self-reference or a missing claim says nothing of what is claimed: compare what exists.
    crosses = [language.cross_category(text, reference, texts[parent]) for parent in parents[:3]]
    if crosses and all(crosses):
        kind = CiteKind.CROSS_CATEGORY
    else:
        kind = CiteKind.ALTERNATIVE if len(cited) > 1 else CiteKind.DEPENDENT
    numbers = tuple(claim for claim, _ in cited)
    return Link(reference.start, reference.end, numbers, parents, broken, kind)

"""The structure of a claim set: who cites whom, which claims are independent, what they mention.

In:   the claims of one patent and their language.
Out:  cited claims, each with a reason if it cannot be a parent; Links; independence; Mentions.
Why:  graph and checker read the same references and terms; only the graph turns them into edges."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from phage.errors import PhageError
from phage.language.types import Language, Mention, Ranges, Reach, Reference, References


class CiteKind(StrEnum):
    """What a citation means in law."""

    DEPENDENT = "dependent"
    ALTERNATIVE = "alternative"
    """One of several parents: "of claim 1 or 2"."""
    CROSS_CATEGORY = "cross-category"
    """Refers without depending: "an apparatus for performing the method of claim 1"."""


class Reason(StrEnum):
    """Why a reference yields no edge."""

    LATER = "later"
    MISSING = "missing"
    CANCELLED = "cancelled"
    SELF = "self"
    DENSE = "dense"
    """Not a reference: a clause holds more noun phrases than its verbs are tried on, so that
    couplings of this claim may be missing."""


MOST = 1_000_000
"""The most pieces of evidence in one graph. A thousand claims that each cite all earlier ones need
half of it. ``build_graph`` refuses a patent with more; ``phage graph`` names and skips it."""


def too_many(what: str) -> PhageError:
    """Return the error for a claim set whose graph would have more than ``MOST``."""
    return PhageError(
        f"its claims have more than {MOST:,} {what}",
        remedy="check the text: it may hold a table, or several patents",
    )


Cited = list[tuple[int, Reason | None]]
"""Claim numbers, each with the reason why it cannot be a parent, or None if it can."""


def cited_claims(
    texts: Mapping[int, str], read: References, cancelled: Sequence[int] = ()
) -> Iterator[tuple[int, list[tuple[Reference, Cited]]]]:
    """Yield each claim with its references and the claims that each reference cites.

    >>> from phage.language import language_of
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


def _cited(
    reference: Reference, number: int, numbers: list[int], texts: Mapping[int, str]
) -> Collection[int]:
    """Return the claims that a reference names; 0 stands for one that does not exist."""
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
    """The others, with the reason; the number is 0 if the phrase names no claim."""
    kind: CiteKind
    """ALTERNATIVE if it names several, valid or not."""


Links = tuple[Link, ...]


def find_links(
    texts: Mapping[int, str], language: Language, cancelled: Sequence[int] = ()
) -> dict[int, Links]:
    """Read the references of every claim.

    >>> from phage.language import language_of
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


def is_independent(links: Links) -> bool:
    """Return whether a claim is independent: it cites none, or only claims of another category.

    >>> is_independent(()), is_independent((Link(0, 9, (1,), (1,), (), CiteKind.DEPENDENT),))
    (True, False)
    """
    return all(link.kind is CiteKind.CROSS_CATEGORY for link in links)


def find_mentions(text: str, language: Language) -> tuple[Mention, ...]:
    """Find the noun phrases of a claim with their determiners."""
    return language.mentions(text) if language.mentions else ()

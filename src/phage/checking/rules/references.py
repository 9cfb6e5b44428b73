"""References: what a claim leans on.

In:   a LegalReading with its links.
Out:  references that lead nowhere, multiple dependent claims, kinds that do not fit.
Why:  an office counts these before it reads a claim."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.checking.reading import LegalReading
from phage.checking.rules.kinds import depends, other_kind, whole_name
from phage.checking.rules.types import Seen, place
from phage.checking.types import Office, Place, Severity
from phage.structure import CiteKind, Link, Reason

_SAYS = {
    Reason.MISSING: ("does not exist", "do not exist"),
    Reason.LATER: ("comes later", "come later"),
    Reason.CANCELLED: ("is cancelled", "are cancelled"),
}
"""For one claim and for several."""


def broken(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report references that lead to no earlier claim.

    >>> from phage.checking.example import found
    >>> found("A bed.", "The bed of claim 1 or 4, having a slat.")
    [('reference-missing', 2, 'of claim 1 or 4', 'error')]
    >>> found("A bed.", "The bed of claim 2, having a slat.")
    [('reference-self', 2, 'of claim 2', 'error')]
    """
    for number, claim in reading.claims.items():
        for link in claim.links:
            for reason in dict.fromkeys(reason for _, reason in link.broken):
                cited = [n for n, why in link.broken if why is reason]
                yield Seen(
                    f"reference-{reason}",
                    place(reading, number, link.start, link.end),
                    f"claim {number} refers to {_named(cited, reason)}",
                    "refer to an earlier claim that exists",
                )


def _named(cited: list[int], reason: Reason) -> str:
    """Name the claims that a reference fails at.

    >>> _named([4, 5], Reason.MISSING), _named([9], Reason.LATER)
    ('claims 4 and 5, which do not exist', 'claim 9, which comes later')
    """
    if reason is Reason.SELF:
        return "itself"
    if cited == [0]:
        return "a claim but does not give its number"
    one, several = _SAYS[reason]
    if len(cited) == 1:
        return f"claim {cited[0]}, which {one}"
    *first, last = map(str, cited[:3]) if len(cited) < 4 else (*cited[:3], f"{len(cited) - 3} more")
    return f"claims {', '.join(map(str, first))} and {last}, which {several}"


_ALTERNATIVE = {
    "en": re.compile(r"\b(?:any|anyone|or|either|one|each)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:ein\w+|oder|irgendein\w*|mehreren)\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:l['’]une|ou|une|quelconque)\b", re.IGNORECASE),
    "zh": re.compile("任|或|之一"),
    "ja": re.compile("いずれ|又は|または|もしくは|何れ"),
    "ko": re.compile("어느|또는|내지"),
}
_TOGETHER = {
    "en": re.compile(r"\d\s*,?\s*and\s*(?:/\s*or\s+)?(?:claims?\s+)?\d", re.IGNORECASE),
    "de": re.compile(r"\d\s*,?\s*und\s+(?:Anspruch\s+)?\d", re.IGNORECASE),
    "fr": re.compile(r"\d\s*,?\s*et\s+(?:revendication\s+)?\d", re.IGNORECASE),
    "zh": re.compile(r"\d\s*(?:和|与|及|以及)\s*\d"),
    "ja": re.compile(r"\d\s*(?:及び|および|と)\s*(?:請求項)?\s*\d"),
    "ko": re.compile(r"\d\s*항?\s*(?:및|과|와)\s*제?\s*\d"),
}


_BARE = {
    "en": re.compile(
        r"\bclaims\s+\d+\s*(?:[-–—‐]|to|through|thru)\s*\d|"
        r"(?:preceding|previous|foregoing|prior|above)\s+(?:\w+\s+)?claims",
        re.IGNORECASE,
    ),
}
"""Several claims with no word that says which: "claims 1 to 3", "the preceding claims"."""
_CHOSEN = re.compile(
    r"\b(?:any|anyone|either|each|one\s+(?:or\s+more\s+)?(?:of|selected|chosen|among))\b[^,;:]*\Z",
    re.IGNORECASE,
)
"""Before an English reference: "any one selected" from claims 1 to 3, "any of the beds" of them."""
_AND_OR = re.compile(r"and\s*/\s*or", re.IGNORECASE)


def not_alternative(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report "claims 1 and 2", where only "claim 1 or 2" is allowed.

    >>> from phage.checking.example import found
    >>> found("A bed.", "The bed of claim 1, being red.", "A bed as in claims 1 and 2, being big.")
    [('multiple-not-alternative', 3, 'as in claims 1 and 2', 'error')]
    >>> found("A bed.", "The bed of claim 1, being red.", "A bed as in any of claims 1 and 2, so.")
    [('multiple-not-alternative', 3, 'as in any of claims 1 and 2', 'note')]
    >>> wordings = "claims 1-2", "claims 1 to 2", "claims 1 and/or 2", "the preceding claims"
    >>> [found("A bed.", "The bed of claim 1, being red.", f"A bed as in {cited}, being big.")[0][3]
    ...     for cited in wordings]
    ['error', 'error', 'error', 'error']
    >>> wordings = "any of claims 1-2", "either of claims 1 to 2", "any preceding claim", "claims 1 or 2"
    >>> [found("A bed.", "The bed of claim 1, being red.", f"A bed as in {cited}, being big.")
    ...     for cited in wordings]
    [[], [], [], []]
    >>> found("A bed.", "The bed of claim 1, being red.", "A bed with one leg as in claims 1-2, so.")
    [('multiple-not-alternative', 3, 'as in claims 1-2', 'error')]
    >>> wordings = "one of preceding claims", "one selected from claims", "of the beds of claims"
    >>> [found("A bed.", "The bed of claim 1, being red.", f"A bed as in any {cited} 1 to 2, so.")
    ...     for cited in wordings]
    [[], [], []]
    """
    for number, claim in reading.claims.items():
        for link in _multiple(claim.links):
            spot = place(reading, number, link.start, link.end)
            together = _TOGETHER[reading.language].search(spot.text)
            soft = _ALTERNATIVE[reading.language].search(_AND_OR.sub("and", spot.text))
            bare = _BARE.get(reading.language)
            if bare and not soft:
                soft = _CHOSEN.search(claim.text, max(0, link.start - 60), link.start)
            if together or (bare and not soft and bare.search(spot.text)):
                yield Seen(
                    "multiple-not-alternative", spot,
                    f"claim {number} refers to several claims together",
                    "refer to them in the alternative: 'of claim 1 or 2'",
                    severity=Severity.NOTE if soft else None,
                )  # fmt: skip


def _multiple(links: tuple[Link, ...]) -> list[Link]:
    return [link for link in links if link.kind is CiteKind.ALTERNATIVE]


def on_multiple(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a multiple dependent claim above a multiple dependent claim.

    >>> from phage.checking.example import found
    >>> found("A bed.", "The bed of claim 1, being red.", "The bed of claim 1 or 2, being big.",
    ...     "The bed of claim 1 or 3, being new.")
    [('multiple-on-multiple', 4, 'of claim 1 or 3', 'error')]
    """
    through = office in (Office.US, Office.KR)
    beneath: dict[int, int] = {}  # claim → the multiple claim it is, or leans on
    for number, claim in reading.claims.items():
        links = _multiple(claim.links)
        above = [
            beneath[parent]
            for link in claim.links
            if link.kind is not CiteKind.CROSS_CATEGORY
            for parent in link.parents
            if parent in beneath
        ]
        if links:
            beneath[number] = number
            if above:
                yield Seen(
                    "multiple-on-multiple",
                    place(reading, number, links[0].start, links[0].end),
                    f"claim {number} is a multiple dependent claim and depends on another, "
                    f"claim {above[0]}",
                    "refer to claims that have one parent each",
                    _where(reading, above[0]),
                )
        elif above and through:
            beneath[number] = above[0]


def _where(reading: LegalReading, number: int) -> tuple[Place, ...]:
    link = _multiple(reading.claims[number].links)[0]
    return (place(reading, number, link.start, link.end),)


_MOST = 4
"""Claims with which the kind of one is compared."""


def category(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a dependent claim that is of another category than its parent.

    >>> from phage.checking.example import found
    >>> found("A bed.", "The sofa of claim 1, being red.")
    [('category-mismatch', 2, 'The sofa', 'warning')]
    >>> found("A process of drying.", "The method of claim 1, being quick.")
    []

    One fault is one finding: what goes on from a claim of the wrong kind may take either kind.

    >>> found("A bed.", "The sofa of claim 1, being red.", "The bed of claim 2, being big.",
    ...     "The sofa of claim 2, being new.", "The bed of claim 1 or 2, being old.")
    [('category-mismatch', 2, 'The sofa', 'warning')]
    """
    fits: dict[int, list[int]] = {}  # claim reported → itself and what it should be like
    for number, claim in reading.claims.items():
        link = claim.links[0] if claim.links else None
        if link is None or not depends(reading, number, link):
            continue
        last = link.parents[-1]
        kinds = [other_kind(reading, number, one) for one in fits.get(last, [last])]
        if first := kinds[0] if all(kinds) else None:
            own, other = first
            fits[number] = [number, *fits.get(last, [last])][:_MOST]
            start = max(0, claim.text.lower().find(own.lower()))
            lead = claim.text[:start] if start <= 12 else ""
            spot = place(reading, number, start - len(lead), start + len(own))
            parent = reading.claims[last]
            other = whole_name(reading, last, other)
            yield Seen(
                "category-mismatch", spot,
                f"claim {number} is directed to '{whole_name(reading, number, own)}', "
                f"but claim {last} to '{other}'",
                f"call it '{other}', or write an independent claim",
                (place(reading, last, 0, min(60, len(parent.text))),), term=own,
            )  # fmt: skip


_WORD = re.compile(r"\w")
_AWAY = re.compile(
    r",?\s*(?:but\s+|and\s+)?(?P<part>(?:without|lacking|omitting|minus)\s+(?:the|said)\s+[\w-]+(?:\s[\w-]+)?"
    r"(?=\s*[.,;]))"
    r"|,?\s*(?:wherein|in which|where|except that)\s+(?P<what>(?:the|said)\s+[\w-]+(?:\s[\w-]+){0,2}\s+"
    r"(?:is|are)\s+(?:omitted|left\s+out|absent|dispensed\s+with|replaced\s+(?:by|with)\s+an?\s[\w-]+)(?=[\s.,;]))",
    re.IGNORECASE,
)
"""Behind the reference: "without the slat", "wherein the slat is replaced by a net"."""


def not_narrowing(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a dependent claim that adds nothing, or removes a part of its parent.

    >>> from phage.checking.example import found
    >>> found("A bed.", "The bed of claim 1.")
    [('dependent-not-narrowing', 2, 'of claim 1', 'warning')]
    >>> found("A bed comprising a slat.", "The bed of claim 1, without the slat.")
    [('dependent-not-narrowing', 2, 'without the slat', 'warning')]
    >>> found("A bed comprising a slat.", "The bed of claim 1, wherein the slat is omitted.")
    [('dependent-not-narrowing', 2, 'the slat is omitted', 'warning')]
    """
    for number, claim in reading.claims.items():
        if len(claim.links) != 1 or not depends(reading, number, claim.links[0]):
            continue
        link = claim.links[0]
        if away := _AWAY.match(claim.text, link.end):
            yield Seen(
                "dependent-not-narrowing", place(reading, number, away.start(away.lastgroup or 0), away.end()),
                f"claim {number} removes a part of claim {link.parents[0]}",
                "write an independent claim, or leave the part out of that claim and add it in the claims that need it",
            )  # fmt: skip
            continue
        rest = _WORD.search(claim.text, link.end)
        if link.start < 60 and not rest and claim.text.count(" ", 0, link.start) < 6:
            yield Seen(
                "dependent-not-narrowing", place(reading, number, link.start, link.end),
                f"claim {number} adds nothing to claim {link.parents[0]}",
                "add a feature, or leave the claim out",
            )  # fmt: skip

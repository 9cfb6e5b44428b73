"""Where a thing that lacks its introduction was introduced, and what to write there.

In:   a LegalReading, a term, the claim that lacks it.
Out:  the introduction that helps most, and the words of a suggestion.
Why:  a suggestion that makes another fault is worse than none."""

from __future__ import annotations

import re
from itertools import islice

from phage.checking.reading import LegalReading
from phage.checking.rules.kinds import other_kind
from phage.checking.rules.types import introducing
from phage.checking.scope import Introduction
from phage.checking.types import Place
from phage.checking.whole_set import lacking_terms
from phage.language.en.plurals import singular

_TAKES_UP = ("the ", "said ", "such ", "no ")
Made = dict[str, list[Introduction]]
"""Term → its introductions, one per claim."""


def sources(reading: LegalReading) -> Made:
    """Return, for every term that some claim lacks, its introductions: the first of each claim."""
    lacking = lacking_terms(reading)
    made: dict[str, dict[int, Introduction]] = {}
    for claim in reading.claims.values() if lacking else ():
        # Of what needs no introduction, the first mention is noted as one.
        known = {one.start for one in claim.resolutions}
        for found in claim.walk.introductions:
            fits = found.term in lacking and not found.reported and found.start not in known
            # "Such dimmer" and "the top" bring nothing in.
            if fits and not reading.lower[found.claim].startswith(_TAKES_UP, found.start):
                made.setdefault(found.term, {}).setdefault(found.claim, found)
    return {term: list(found.values()) for term, found in made.items()}


def nearest(reading: LegalReading, number: int, made: list[Introduction]) -> Introduction | None:
    """Choose the introduction to name: the claim's own, a parent's, an earlier one, any."""
    if len(made) < 2:
        return made[0] if made else None
    above = set(reading.above(number))

    def far(found: Introduction) -> int:
        if found.claim == number:
            return 0
        if found.claim in above:
            return 1
        return 2 if can_refer(reading, number, found.claim) else 3

    return min(made, key=far)


def can_refer(reading: LegalReading, number: int, source: int) -> bool:
    """Return whether a dependent claim may refer to another claim instead: earlier, of its kind."""
    refers = bool(reading.claims[number].links)
    return refers and source < number and other_kind(reading, number, source) is None


def searched(reading: LegalReading, number: int) -> str:
    """Name where an introduction would count: in the claim and in those that it depends on."""
    above = list(islice(reading.above(number), 2))
    if not above:
        return "in this claim"
    chain = f"claim {above[0]}" if len(above) == 1 else "those that it depends on"
    return f"in this claim or in {chain}"


def path_without(reading: LegalReading, number: int, source: int) -> int:
    """Name a parent of a claim whose chain lacks another claim; 0 where all or none have it."""
    for link in reading.claims[number].links:
        if len(link.parents) < 2:
            continue
        reach = {p: p == source or source in set(reading.above(p)) for p in link.parents[:50]}
        if any(reach.values()) and not all(reach.values()):
            return next(parent for parent, has in reach.items() if not has)
    return 0


_OWNER = re.compile(r"(?:['’]s|(?<=s)['’])$")


def named(term: str, spot: Place) -> str:
    """Return the name of a thing as a claim prints it, without its determiner.

    >>> named("led driver", Place(1, 0, 14, "the LED driver"))
    'LED driver'
    >>> named("battery", Place(1, 0, 13, "the batteries")), named("lid", Place(1, 0, 9, "the lid's"))
    ('batteries', 'lid')
    """
    name = " ".join(spot.text.split()[-(term.count(" ") + 1) :])
    return _OWNER.sub("", name) if name[:2].lower() == term[:2] else term


def as_new(term: str, spot: Place) -> str:
    """Quote what introduces a thing, or several.

    >>> as_new("lid", Place(1, 0, 7, "the lid")), as_new("wheel", Place(1, 0, 10, "the wheels"))
    ("'a lid'", "'wheels' or 'a plurality of wheels'")
    """
    name = named(term, spot)
    printed, own = (words.lower().rsplit(" ", 1)[-1] for words in (name, term))
    if printed != own and singular(printed) == own:
        return f"'{name}' or 'a plurality of {name}'"
    return f"'{introducing(name)}'"

"""How the whole claim set speaks of a term that lacks its introduction, or is introduced again.

In:   a LegalReading.
Out:  every place where a finding of these kinds may be, with its evidence.
Why:  what is known to a drafter, and what is one passage written twice, no single claim can tell."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Container, Iterator

from phage.checking.evidence import Signs, lack_signs, set_signs, wording_signs
from phage.checking.reading import LegalReading
from phage.checking.scope import Introduction
from phage.checking.walk import Repeat, Resolution

_NEAR = 40
"""Characters that are looked at on each side of a mention."""
Passage = tuple[str, str, str]
"""Term, how it is spoken of, the words on one side."""


def unresolved(
    reading: LegalReading, elsewhere: dict[str, Introduction]
) -> Iterator[tuple[Resolution, Signs]]:
    """Yield every definite mention without an introduction of that name, with its evidence."""
    every = [found for claim in reading.claims.values() for found in claim.resolutions]
    open_ = [found for found in every if found.signs and not found.ambiguous]
    if not open_:
        return
    roots = _roots(reading)
    lacking = Counter([term for term, _ in {(found.term, roots[found.claim]) for found in open_}])
    taken = Counter([found.term for found in every if not found.signs and found.term in lacking])
    passages = Passages(reading, lacking)
    for found in open_:
        counts = lacking[found.term], taken[found.term]
        near = elsewhere.get(found.term)
        yield (
            found,
            {
                **found.signs,
                **lack_signs(found.step, near, *counts),
                **passages.signs(found),
            },
        )


def _roots(reading: LegalReading) -> dict[int, int]:
    """Return the claim at the top of each claim's chain."""
    roots: dict[int, int] = {}
    for number, claim in reading.claims.items():
        parents = claim.links[0].parents if claim.links else ()
        roots[number] = roots[parents[0]] if parents else number
    return roots


def lacking_terms(reading: LegalReading) -> set[str]:
    """Return every term that some claim takes up without an introduction."""
    return {f.term for claim in reading.claims.values() for f in claim.resolutions if f.signs}


def introduced_elsewhere(reading: LegalReading) -> dict[str, Introduction]:
    """Return the first introduction of every term that some claim lacks."""
    lacking = lacking_terms(reading)
    table: dict[str, Introduction] = {}
    if lacking:
        for claim in reading.claims.values():
            for found in claim.walk.introductions:
                if found.term in lacking and not found.reported:
                    table.setdefault(found.term, found)
    return table


def repeats(reading: LegalReading) -> Iterator[tuple[Repeat, Signs]]:
    """Yield every repeated introduction with its evidence: its own, the set's, the wording's."""
    terms = Counter(
        [one.again.term for claim in reading.claims.values() for one in claim.walk.repeated]
    )
    if not terms:
        return
    made: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    places: dict[tuple[str, int], list[int]] = {}
    for claim in reading.claims.values():
        made.update([f.term for f in claim.walk.introductions if f.term in terms and f.single])
        for found in claim.resolutions:
            if found.term in terms:
                taken[found.term] += 1
                places.setdefault((found.term, claim.number), []).append(found.start)
    passages = Passages(reading, terms)
    for claim in reading.claims.values():
        for repeat in claim.walk.repeated:
            again, first = repeat.again, repeat.first
            here = places.get((again.term, again.claim), [])
            before = bisect_left(here, again.start)
            counts = taken[again.term], made[again.term], terms[again.term]
            around = [_around(reading.claims[one.claim].text, one) for one in (again, first)]
            yield (
                repeat,
                {
                    **repeat.signs,
                    **set_signs(*counts, (before, len(here) - before)),
                    **wording_signs(around[0], around[1], again.claim == first.claim),
                    **passages.signs(again, first),
                },
            )


class Passages:
    """The words around every mention of some terms: a passage may be written twice."""

    def __init__(self, reading: LegalReading, terms: Container[str]) -> None:
        """Note how the set speaks of the terms, except where it lacks them."""
        self.lower = reading.lower
        self.at: defaultdict[Passage, set[tuple[int, int]]] = defaultdict(set)
        for claim in reading.claims.values():
            definite = set()
            for found in claim.resolutions:
                if found.term in terms:
                    definite.add(found.start)
                    if not found.signs:
                        self._note("the", found)
            for new in claim.walk.introductions:
                if new.term in terms and new.start not in definite:
                    self._note("a" if new.single else "several", new)

    def _note(self, way: str, found: Introduction | Resolution) -> None:
        place, term = (found.claim, found.start), found.term
        before, behind = self._around(found)
        self.at[term, way, before].add(place)
        self.at[term, way, behind].add(place)

    def _around(self, found: Introduction | Resolution) -> tuple[str, str]:
        """Return the two words before a mention, and the two behind it, which begin with a blank."""
        start, end = found.start, found.end
        text = self.lower[found.claim]
        before = text[start - _NEAR if start > _NEAR else 0 : start].rsplit(None, 2)
        behind = text[end : end + _NEAR].split(None, 2)
        return " ".join(before[-2:]), " " + " ".join(behind[:2])

    def signs(self, *found: Introduction | Resolution) -> Signs:
        """Describe how the set uses a term, from the words around it; the given places are left out."""
        own = [(one.claim, one.start) for one in found]
        term, signs = found[0].term, {}
        for side, words in zip(("before", "behind"), self._around(found[0]), strict=True):
            if " " in words[1:]:
                for way in ("a", "several", "the"):
                    at = self.at.get((term, way, words))
                    if at and not at.issubset(own):
                        signs[f"{way}_with_same_{side}"] = 1
        return signs


def _around(text: str, found: Introduction | Resolution) -> tuple[str, str]:
    return text[max(0, found.start - _NEAR) : found.start], text[found.end : found.end + _NEAR]

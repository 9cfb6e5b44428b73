"""Write a claim and remember what was written.

In:   parts (terms with their grammatical number) and the terms that have an antecedent.
Out:  English noun phrases; the record of mentions and coupled components they leave.
Why:  the true graph follows from this record alone, so no extractor is needed to know it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from random import Random


class Number(Enum):
    """How a term is counted when it is introduced and when it is referred to."""

    ONE = "a"
    MANY = "a plurality of"
    PAIR = "a pair of"
    TWO = "two"
    SOME = "at least one"
    MORE = "one or more"
    BARE = ""
    MASS = "~"


_PLURAL = {Number.MANY, Number.PAIR, Number.TWO, Number.MORE, Number.BARE}


@dataclass(frozen=True, slots=True)
class Part:
    """A term that claims speak of; ``term`` is its normal form, head in the singular."""

    term: str
    number: Number = Number.ONE


@dataclass(frozen=True, slots=True)
class WrittenPhrase:
    """A written noun phrase, and whether its verb stands in the plural."""

    text: str
    plural: bool = False

    def __str__(self) -> str:
        """Return the words."""
        return self.text

    def be(self) -> str:
        """Conjugate ``to be``."""
        return "are" if self.plural else "is"

    def verb(self, singular: str, plural: str) -> str:
        """Conjugate any other verb."""
        return plural if self.plural else singular


@dataclass(frozen=True, slots=True)
class Voice:
    """How one drafter writes."""

    european: bool = False
    """EP style: many multiple dependents, "characterized in that", reference numerals."""
    said: float = 0.1
    """Share of "said" for "the"."""
    numerals: bool = False
    loose: float = 0.08
    """Share of references to a term of another branch, without antecedent in the own one."""


@dataclass
class Sentence:
    """One claim while it is being written."""

    rng: Random
    voice: Voice
    known: set[str]
    """Terms with an antecedent: those of the claims leaned on, then also its own."""
    numerals: dict[str, int] = field(default_factory=dict)
    mentions: dict[tuple[str, str], None] = field(default_factory=dict)
    components: dict[str, None] = field(default_factory=dict)

    def name(self, part: Part) -> WrittenPhrase:
        """Refer to a part that has an antecedent, introduce one that has not."""
        return self.the(part) if part.term in self.known else self.a(part)

    def a(self, part: Part) -> WrittenPhrase:
        """Introduce a part."""
        self.mentions[("indef", part.term)] = None
        self.known.add(part.term)
        many = part.number in _PLURAL
        noun = self._noun(part, many)
        if part.number is Number.ONE:
            return WrittenPhrase(f"{article(part.term)} {noun}")
        if part.number in (Number.BARE, Number.MASS):
            return WrittenPhrase(noun, many)
        return WrittenPhrase(f"{part.number.value} {noun}", many)

    def the(self, part: Part) -> WrittenPhrase:
        """Refer to a part."""
        own = ("indef", part.term) in self.mentions
        self.mentions[("def", part.term)] = None
        word = "said" if self.rng.random() < self.voice.said else "the"
        many = part.number in _PLURAL
        noun = self._noun(part, many)
        luck = self.rng.random()
        if part.number is Number.SOME:
            return WrittenPhrase(f"{word} at least one {noun}")
        if part.number is Number.MORE and luck < 0.5:
            return WrittenPhrase(f"{word} one or more {noun}", True)
        if part.number is Number.MANY and luck < 0.3:
            return WrittenPhrase(f"{word} plurality of {noun}", True)
        if many and luck > 0.85:
            return WrittenPhrase(f"each of {word} {noun}")
        if many and own and luck > 0.8:
            return WrittenPhrase(f"these {noun}", True)
        return WrittenPhrase(f"{word} {noun}", many)

    def couple(self, *parts: Part) -> None:
        """Note what a functional verb joins here."""
        for part in parts:
            self.components[part.term] = None

    def fill(self, template: str, book: Callable[[str], Part]) -> tuple[str, tuple[Part, ...]]:
        """Write a template's [terms]; return the text and the parts it named."""
        named: list[Part] = []

        def write(match: re.Match[str]) -> str:
            named.append(book(match[1]))
            return str(self.name(named[-1]))

        return re.sub(r"\[(.+?)\]", write, template), tuple(named)

    def _noun(self, part: Part, many: bool) -> str:
        noun = plural(part.term) if many else part.term
        if self.voice.numerals and part.number is not Number.MASS:
            numeral = self.numerals.setdefault(part.term, 10 + 2 * len(self.numerals))
            return f"{noun} ({numeral})"
        return noun


def plural(term: str) -> str:
    """Put the head in the plural.

    >>> plural("brake pad"), plural("lens"), plural("battery"), plural("pulley")
    ('brake pads', 'lenses', 'batteries', 'pulleys')
    """
    if re.search(r"(s|x|ch|sh)$", term):
        return term + "es"
    if re.search(r"[^aeiou]y$", term):
        return term[:-1] + "ies"
    return term + "s"


def article(term: str) -> str:
    """Choose a or an.

    >>> article("inner hub"), article("user finger"), article("idler"), article("uhle box")
    ('an', 'a', 'an', 'an')
    """
    if re.match(r"(uni|use|util|eu|one)", term):
        return "a"
    return "an" if term[0] in "aeiou" else "a"

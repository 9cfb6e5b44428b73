"""What PHAGE must know of a language to read its claims.

In:   phrases, determiners and verbs of one language.
Out:  Language and what its functions return: Reference, Mention, Component.
Why:  the extractors are the same in all six languages; only this differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Reach(StrEnum):
    """Which claims a reference means."""

    LISTED = "listed"
    """Those whose numbers are written."""
    PRECEDING = "preceding"
    """All earlier claims: "any preceding claim"."""
    PREVIOUS = "previous"
    """The claim just before: "the preceding claim"."""
    FOLLOWING = "following"
    """Later claims, which is improper: "any of the following claims"."""


NEAREST = 200
"""The most noun phrases on either side of a verb that it is tried on. A clause with more is not a
sentence; if a verb does not see all of them, the graph has a Diagnostic ``dense``."""

Ranges = tuple[tuple[int, int], ...]
"""First and last number of each run: "claims 1 and 3-5" → (1, 1), (3, 5)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One referring phrase; ``text[start:end]`` is the phrase."""

    start: int
    end: int
    reach: Reach
    ranges: Ranges = ()
    """For LISTED; empty if a number is missing."""
    excluded: Ranges = ()
    """Excluded claims: "except claim 3"."""
    count: int = 1
    """For PREVIOUS: how many, "one of the two preceding claims"."""
    noun: str = ""
    """For PRECEDING: only claims to this thing, "any preceding method claim"."""


class Determiner(StrEnum):
    """How a noun phrase is introduced."""

    DEF = "def"
    """the, said, this, such: refers to something known."""
    INDEF = "indef"
    """a, one or more, a plurality of: introduces something."""
    BARE = "bare"
    """No determiner, or none that introduces."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A technical noun phrase in a claim; ``text[start:end]`` is the phrase as printed."""

    term: str
    """Normal form: lower case, head in the singular, no determiner, no numeral in brackets."""
    determiner: Determiner
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Component:
    """A term that a functional verb joins to another; the span covers the term as printed."""

    term: str
    verb: str
    """The English verb of the lexicon, in every language."""
    start: int
    end: int


References = Callable[[str], tuple[Reference, ...]]
CrossCategory = Callable[[str, Reference, str], bool]
"""Citing text, reference, cited text → whether it refers without depending."""
Mentions = Callable[[str], tuple[Mention, ...]]
OnDense = Callable[[], None]
"""Called if a clause holds more phrases than its verbs are tried on."""


def ignored() -> None:
    """Let a dense clause pass."""


class Components(Protocol):
    """Claim text and its mentions → terms joined by functional verbs."""

    def __call__(
        self, text: str, mentions: tuple[Mention, ...], on_dense: OnDense = ignored, /
    ) -> tuple[Component, ...]:
        """Find them in order of appearance, each once."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its name and its functions."""

    code: str
    """Two letters, lower case."""
    name: str
    references: References
    """Claim text → referring phrases."""
    cross_category: CrossCategory
    """Distinguishes "an apparatus for the method of claim 1" from "the method of claim 1"."""
    mentions: Mentions | None = None
    """Claim text → noun phrases with their determiners; None gives no implicit edges."""
    components: Components | None = None
    """Claim text and its mentions → terms joined by functional verbs (the pattern parser)."""
    subject: Callable[[str], str] | None = None
    """Claim text → what the claim is to; empty if unknown."""
    abbreviations: Callable[[str], Mapping[str, str]] | None = None
    """Claim text → the abbreviations that it explains, with the terms they stand for."""
    same: Callable[[str, str], bool] = str.__eq__
    """Whether two subjects name one kind of thing: singular and plural, method and process."""

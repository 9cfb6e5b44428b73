"""Claim charts and claim diffs, as every output shows them.

In:   what was compared.
Out:  Chart, Diff and their parts, frozen; one JSON form each.
Why:  terminal, page, Word and spreadsheet must all show the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from phage.claims.elements import Element

NOTICE = "A reading aid, not legal advice: read each passage before you rely on it."
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a patent that may disclose an element."""

    place: str
    """``claim 3[b]``, ``abstract 2`` or ``description 17``: its part, and which sentence of it."""
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """A passage for an element."""

    passage: Passage
    score: float
    """Between 0 and 1: the cosine and the share of words, weighed by ``WEIGHT``."""
    cosine: float
    words: float
    """The share of the element's words that the passage has; rare words count more."""
    shared: tuple[Span, ...]
    """Words of the passage that the element has, too."""
    missing: tuple[Span, ...]
    """Words of the element that the passage lacks."""


@dataclass(frozen=True, slots=True)
class Row:
    """One element and its best passages, the best first; empty where the patent has no text."""

    element: Element
    matches: tuple[Match, ...]
    close: bool
    """Whether the best passage reaches the score at which passages are usually right."""


@dataclass(frozen=True, slots=True)
class Chart:
    """The elements of a patent's claims beside the passages of another."""

    number: str
    title: str
    other: str
    other_title: str
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "notice": NOTICE}


class Change(StrEnum):
    """What became of a claim."""

    SAME = "unchanged"
    AMENDED = "amended"
    RENUMBERED = "renumbered"
    """Only its number, and the numbers it refers to, changed."""
    MERGED = "merged"
    """Its words went into an earlier claim that has another origin."""
    CANCELLED = "cancelled"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a claim that stayed, came in or went out."""

    kind: str
    """``same``, ``inserted`` or ``deleted``."""
    text: str


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """One claim before and after."""

    change: Change
    before: int | None
    after: int | None
    likeness: float
    """Share of the words that both versions have, in order; 1 where nothing changed."""
    pieces: tuple[Piece, ...]
    into: int | None = None
    """For a merged claim: the claim that now has its words."""
    unmarked: bool = False
    """The words are too many to be compared: the whole claim is shown as replaced."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two versions of a claim set."""

    before: str
    after: str
    title: str
    claims: tuple[ClaimChange, ...]
    """In the order of the later version; cancelled claims stand where they were."""

    def counts(self) -> dict[str, int]:
        """Count the claims by what became of them."""
        return {str(one): sum(c.change is one for c in self.claims) for one in Change}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "counts": self.counts(), "notice": NOTICE}

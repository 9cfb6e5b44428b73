"""Queries and hits.

In:   a text, claims or an indexed patent, encoded; rows of an index.
Out:  Query, Search, Hit, ClaimMatch: frozen, one JSON form.
Why:  command line, service and page show the same thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.normal import shortened
from phage.errors import PhageError, chosen
from phage.searching.filters import Filters

MOST = 1_000_000
"""The most hits that can be asked for."""


@dataclass(frozen=True, slots=True)
class Added:
    """What one call of ``add`` did."""

    added: int = 0
    unchanged: int = 0
    without_claims: int = 0

    def __add__(self, other: Added) -> Added:
        """Sum two calls."""
        return Added(
            self.added + other.added,
            self.unchanged + other.unchanged,
            self.without_claims + other.without_claims,
        )


class NotIndexed(PhageError):
    """The patent that was asked for is not in the index."""

    code = 1


class Rank(StrEnum):
    """What hits are ranked by."""

    HYBRID = "hybrid"
    """Vectors and words together, each on its own scale: standard deviations above the mean."""
    VECTOR = "vector"
    """The cosine of the vectors."""
    WORDS = "words"
    """The similarity of the words."""


class Level(StrEnum):
    """What is compared with the query."""

    PATENT = "patent"
    CLAIM = "claim"
    """Single claims; hits are still patents, each with its best claim."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search, encoded."""

    text: str
    """Its words, for the full-text search and for display."""
    vector: NDArray[np.float32] | None
    """(D,); None if the query has only fields."""
    claims: tuple[tuple[int, str], ...] = ()
    """(number, text) of the claims searched with; a free text is claim 0."""
    claim_vectors: NDArray[np.float32] | None = None
    """(m, D), beside ``claims``."""
    numbers: tuple[str, ...] = ()
    """Indexed patents used as the query; they are left out of the hits."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to search."""

    top: int = 20
    filters: Filters = field(default_factory=Filters)
    rank: Rank = Rank.HYBRID
    level: Level = Level.PATENT
    collapse: bool = False
    """Show one hit per family."""

    def __post_init__(self) -> None:
        """Take rank and level by name, too; refuse a number of hits that cannot be."""
        object.__setattr__(self, "rank", chosen(Rank, self.rank))
        object.__setattr__(self, "level", chosen(Level, self.level))
        whole = isinstance(self.top, int | np.integer) and not isinstance(self.top, bool)
        if not whole or not 1 <= self.top <= MOST:
            raise PhageError(
                f"top is {self.top!r}", remedy=f"give a whole number of hits, from 1 to {MOST:,}"
            )
        object.__setattr__(self, "top", int(self.top))


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """The most similar pair of claims, one of the query and one of the hit."""

    query_claim: int
    query_text: str
    claim: int
    text: str
    score: float
    terms: tuple[str, ...] = ()
    """Words that both claims use, the rarer ones first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One patent found."""

    number: str
    score: float
    """On the scale of ``Search.rank``; at claim level the cosine of the two claims."""
    cosine: float | None
    """Cosine of the two patents' vectors; None if vectors were not used for ranking."""
    title: str
    snippet: str
    ipc: tuple[str, ...]
    publication_date: str
    family: str
    office: str
    language: str
    assignees: tuple[str, ...] = ()
    match: ClaimMatch | None = None
    family_members: tuple[str, ...] = ()
    """Other members of the family, if only one hit per family is shown."""
    words: float | None = None
    """Similarity of the words; None if words were not used for ranking."""

    def __repr__(self) -> str:
        """Describe it in one line."""
        return f"Hit({self.number!r}, {self.score:.3f}, {shortened(self.title, 60)!r})"

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return Hits([self])._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


class Hits(list[Hit]):
    """Hits, best first; a list that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        """Show the hits, each with the claims that match."""
        from phage.searching.notebook import hits_html

        return hits_html(self)

"""What a search gives.

In:   nothing.
Out:  Query, Hit, ClaimMatch: frozen, one JSON form.
Why:  command line, service and page show the same thing."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Query:
    """A search, encoded."""

    text: str
    """For the full-text side, and to show."""
    vector: NDArray[np.float32]
    """(D,)"""
    claims: tuple[tuple[int, str], ...] = ()
    """(number, text) of the claims searched with; a free text is claim 0."""
    claim_vectors: NDArray[np.float32] | None = None
    """(m, D), beside ``claims``."""
    number: str = ""
    """The indexed patent searched with; it is left out of its own hits."""


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """The pair of claims, one of the query and one of the hit, that are most alike."""

    query_claim: int
    query_text: str
    claim: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One patent found."""

    number: str
    score: float
    """Cosine with the query; in hybrid ranking the fused score."""
    title: str
    snippet: str
    ipc: tuple[str, ...]
    publication_date: str
    family: str
    office: str
    language: str
    match: ClaimMatch | None = None
    family_members: tuple[str, ...] = ()
    """Other members of the family, where families collapse."""

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return asdict(self)

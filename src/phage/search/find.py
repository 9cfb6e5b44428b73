"""Query → hits with their best-matching claims.

In:   an Index, and a text, a claim set or the number of an indexed patent.
Out:  Hits, best first.
Why:  "similar" is a claim, so each hit shows the pair of claims that makes it so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import Section, claims_text
from phage.claims.types import Claim, Patent
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.extras import require
from phage.search.filters import Filters
from phage.search.index import Index, quoted, section_vectors
from phage.search.rows import claim_vectors
from phage.search.state import sound
from phage.search.types import ClaimMatch, Hit, Query

REFINE = 50
"""How many times more candidates an approximate index rescores exactly."""
PROBES = 40
"""Partitions an approximate index looks into; ``results/search.json`` has the recall."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to search."""

    top: int = 20
    filters: Filters = field(default_factory=Filters)
    hybrid: bool = False
    """Fuse vector and full-text ranks (reciprocal rank fusion)."""
    collapse: bool = False
    """Show one hit per family."""


def from_text(text: str, encoder: Encoder) -> Query:
    """Make a query of free words; they are taken for one claim."""
    return queries([text], encoder)[0]


def from_patent(patent: Patent, encoder: Encoder, section: str = Section.WHOLE) -> Query:
    """Make a query of a claim set, a draft or a patent that is not in the index.

    ``section`` is that of the index (``index.settings.section``).
    """
    (query,) = queries([patent], encoder)
    if section == Section.WHOLE:
        return query
    return replace(query, vector=section_vectors([patent], encoder, section)[0])


def queries(
    asked: Sequence[str | Patent],
    encoder: Encoder,
    advance: Callable[[int], None] | None = None,
) -> list[Query]:
    """Make several queries in one pass over the model; long ones are read in windows.

    ``advance`` is called after every batch with the number of queries done.
    """
    texts = [one for one in asked if isinstance(one, str)]
    if not all(text.strip() for text in texts):
        raise PhageError("there is nothing to search for", remedy="give some words, or a claim")
    made: list[Query] = []
    for one, found in zip(asked, encoder.read(asked, advance=advance), strict=True):
        claims = (Claim(0, one),) if isinstance(one, str) else one.claims
        text = one if isinstance(one, str) else claims_text(claims)
        pairs = tuple((claim.number, claim.text) for claim in claims)
        made.append(Query(text, found.patent, pairs, found.vectors))
    return made


def from_index(index: Index, number: str) -> Query:
    """Make a query of a patent in the index, without encoding anything."""
    row = index.get(number)
    if row is None:
        raise PhageError(
            f"{number} is not in this index", place=str(index.path), remedy="search with its text"
        )
    claims = tuple((claim["number"], claim["text"]) for claim in row["claims"])
    vectors = claim_vectors(row, index.settings.dimension)
    vector = np.asarray(row["vector"], dtype=np.float32)
    return Query(" ".join(text for _, text in claims), vector, claims, vectors, row["number"])


def find(index: Index, query: Query, search: Search) -> list[Hit]:
    """Search, best first."""
    condition = search.filters.condition
    if query.number:
        condition = f"number != {quoted([query.number])}" + (
            f" AND {condition}" if condition else ""
        )
    wanted = search.top * (4 if search.collapse else 1)
    rows = _rows(index, query, condition, wanted, hybrid=search.hybrid)
    hits = [_hit(row, query, index.settings.dimension) for row in rows]
    return (_collapsed(hits) if search.collapse else hits)[: search.top]


def _rows(
    index: Index, query: Query, condition: str, top: int, *, hybrid: bool
) -> list[dict[str, Any]]:
    if not len(index):
        return []
    with sound(index.path):
        return _asked(index, query, condition, top, hybrid=hybrid)


def _asked(
    index: Index, query: Query, condition: str, top: int, *, hybrid: bool
) -> list[dict[str, Any]]:
    if hybrid:
        fuse = require("lancedb.rerankers", extra="search").RRFReranker()
        asked = index.table.search(query_type="hybrid").vector(query.vector)
        # the first words are enough for the full-text side; a whole claim set would match all
        asked = asked.text(" ".join(query.text.split()[:64])).rerank(fuse)
    else:
        asked = index.table.search(query.vector, vector_column_name="vector")
    asked = asked.distance_type("cosine").limit(top)
    if not hybrid and index.approximate:
        asked = asked.nprobes(PROBES).refine_factor(REFINE)
    if condition:
        asked = asked.where(condition)
    rows: list[dict[str, Any]] = asked.to_list()
    return rows


def _hit(row: dict[str, Any], query: Query, dimension: int) -> Hit:
    match = best_pair(query, row, dimension)
    score = row["_relevance_score"] if "_relevance_score" in row else 1.0 - row["_distance"]
    return Hit(
        number=row["number"],
        score=round(float(score), 4),
        title=row["title"],
        snippet=_shortened(row["abstract"] or (match.text if match else "")),
        ipc=tuple(row["ipc"]),
        publication_date=row["publication_date"],
        family=row["family"],
        office=row["office"],
        language=row["language"],
        match=match,
    )


def best_pair(query: Query, row: dict[str, Any], dimension: int) -> ClaimMatch | None:
    """Find the most alike pair of a claim of the query and a claim of the hit."""
    if query.claim_vectors is None or not row["claims"]:
        return None
    ours: NDArray[np.float32] = claim_vectors(row, dimension)
    likeness = query.claim_vectors @ ours.T  # (m, n)
    asked, found = np.unravel_index(int(likeness.argmax()), likeness.shape)
    claim = row["claims"][int(found)]
    number, text = query.claims[int(asked)]
    score = round(float(likeness[asked, found]), 4)
    return ClaimMatch(number, text, claim["number"], claim["text"], score)


def _shortened(text: str, size: int = 240) -> str:
    """Cut at a blank.

    >>> _shortened("a pump with a shaft", size=8)
    'a pump …'
    """
    if len(text) <= size:
        return text
    return text[: text.rfind(" ", 0, size)] + " …"


def _collapsed(hits: list[Hit]) -> list[Hit]:
    best: dict[str, Hit] = {}
    for hit in hits:
        family = hit.family or hit.number
        if family in best:
            members = (*best[family].family_members, hit.number)
            best[family] = replace(best[family], family_members=members)
        else:
            best[family] = hit
    return list(best.values())

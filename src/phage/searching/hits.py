"""Query → hits with their best-matching claims.

In:   an Index, a Query, and how to search.
Out:  Hits, best first.
Why:  a hit should explain itself, so each shows its most similar pair of claims."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from phage.claims.normal import shortened
from phage.searching.index import Index
from phage.searching.numbers import quoted
from phage.searching.ranking import Ranked, rank
from phage.searching.rows import claim_vectors
from phage.searching.state import sound
from phage.searching.types import ClaimMatch, Hit, Hits, Query, Search

SNIPPET = 240
"""Characters of the abstract that a hit shows."""


def find(index: Index, query: Query, search: Search) -> Hits:
    """Search, best first."""
    wanted = replace(search, top=search.top * (4 if search.collapse else 1))
    found = rank(index, query, wanted)
    rows = _rows(index, [one.number for one in found])
    hits = [_hit(index, one, rows[one.number], query) for one in found if one.number in rows]
    return Hits((_collapsed(hits) if search.collapse else hits)[: search.top])


def _rows(index: Index, numbers: list[str]) -> dict[str, dict[str, Any]]:
    if not numbers:
        return {}
    columns = ["number", "title", "abstract", "ipc", "publication_date", "family", "office",
               "language", "assignees", "claims", "claim_vectors"]  # fmt: skip
    with sound(index.path):
        asked = index.table.search().where(f"number IN ({quoted(numbers)})").select(columns)
        return {row["number"]: row for row in asked.limit(len(numbers)).to_list()}


def _hit(index: Index, found: Ranked, row: dict[str, Any], query: Query) -> Hit:
    match = best_pair(index, query, row, found.claims)
    return Hit(
        number=found.number,
        score=round(found.score, 4),
        cosine=None if found.cosine is None else round(found.cosine, 4),
        title=row["title"],
        snippet=shortened(row["abstract"] or (match.text if match else ""), SNIPPET),
        ipc=tuple(row["ipc"]),
        publication_date=row["publication_date"],
        family=row["family"],
        office=row["office"],
        language=row["language"],
        assignees=tuple(row["assignees"]),
        match=match,
        words=None if found.words is None else round(found.words, 3),
    )


def best_pair(
    index: Index, query: Query, row: dict[str, Any], pair: tuple[int, int] | None = None
) -> ClaimMatch | None:
    """Return the given pair of claims, or else the most similar one between query and hit."""
    if query.claim_vectors is None or not row["claims"]:
        return None
    likeness = query.claim_vectors @ claim_vectors(row, index.settings.dimension).T  # (m, n)
    if pair is None:
        asked, found = map(int, np.unravel_index(int(likeness.argmax()), likeness.shape))
    else:
        numbers = [claim["number"] for claim in row["claims"]]
        asked, found = pair[0], numbers.index(pair[1]) if pair[1] in numbers else 0
    claim, (number, text) = row["claims"][found], query.claims[asked]
    score = round(float(likeness[asked, found]), 4)
    terms = index.words.shared(text, claim["text"])
    return ClaimMatch(number, text, claim["number"], claim["text"], score, terms)


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

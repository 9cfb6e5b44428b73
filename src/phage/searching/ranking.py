"""Query → numbers of patents, best first.

In:   an Index, a Query and how to search.
Out:  Ranked: numbers with their scores, without texts.
Why:  ranking reads two columns, which is all that a thousand queries need. A page of hits fetches
      the rest for the few hits it shows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.searching.index import Index
from phage.searching.lance import indexed
from phage.searching.numbers import quoted
from phage.searching.state import sound
from phage.searching.types import Level, Query, Rank, Search

DEPTH = 1_000
"""Candidates that vectors and words each contribute."""
WEIGHT = 0.8
"""Share of the vectors in the fused score, chosen on validation queries (docs/decisions.md)."""
REFINE = 50
"""How many times more candidates an approximate index rescores exactly."""
PROBES = 40
"""Partitions an approximate index looks into, at least; ``results/search.json`` has the recall."""
SHARE = 0.08
"""Of the partitions of a large index, of which it has the root of its rows."""
PHRASES = 5_000
"""The most patents searched for a phrase, out of those that contain all its words."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A patent and its scores."""

    number: str
    score: float
    cosine: float | None = None
    claims: tuple[int, int] | None = None
    """At claim level: which of the query's claims, and the number of the patent's claim."""
    words: float | None = None
    """Similarity of the words; None if words were not used for ranking."""


def rank(index: Index, query: Query, search: Search) -> list[Ranked]:
    """Rank the patents of an index, except the query's own."""
    width = index.settings.dimension
    if query.vector is not None and query.vector.shape != (width,):
        raise PhageError(
            f"the query was encoded by another model: its vector has {query.vector.size} numbers, "
            f"and those of this index have {width}",
            place=str(index.path),
            remedy=f"encode it with the index's model, '{index.settings.model}'",
        )
    if not len(index):
        return []
    conditions = [f"({search.filters.condition})"] if search.filters.condition else []
    if query.numbers:
        conditions.append(f"number NOT IN ({quoted(query.numbers)})")
    with sound(index.path):
        for phrase in search.filters.phrases:
            conditions.append(f"number IN ({quoted(_holding(index, phrase))})")
        where = " AND ".join(conditions)
        if query.vector is None:
            return _listed(index, where, search.top)
        if search.level is Level.CLAIM:
            return _by_claims(index, query, where, search.top)
        return _by_patents(index, query, where, search)


def _by_patents(index: Index, query: Query, where: str, search: Search) -> list[Ranked]:
    dense, lexical = candidates(index, query, where, search.rank, max(DEPTH, search.top))
    scores = {Rank.VECTOR: dense, Rank.WORDS: lexical}.get(search.rank)
    if scores is None:
        scores = fused(dense, lexical)
    best = sorted(scores, key=lambda number: (-scores[number], number))[: search.top]
    return [
        Ranked(number, scores[number], dense.get(number), None, lexical.get(number))
        for number in best
    ]


def candidates(
    index: Index, query: Query, where: str, by: Rank, depth: int = DEPTH
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the patents that vectors and words find, each with both scores."""
    found = []
    if by is not Rank.WORDS and query.vector is not None:
        found.append(_asked(_near(index.table, query.vector, depth), where, "_distance"))
    if by is not Rank.VECTOR and (asked := _matching(index, query.text, depth)):
        found.append(_asked(asked, where, "_score"))
    if not found:
        return {}, {}
    rows = pa.concat_tables(found).combine_chunks()
    if not len(rows):
        return {}, {}
    numbers = rows["number"].to_pylist()
    dense: dict[str, float] = {}
    if by is not Rank.WORDS and query.vector is not None:
        vectors = rows["vector"].combine_chunks().flatten().to_numpy()
        vectors = vectors.reshape(-1, len(query.vector))
        sizes = np.linalg.norm(vectors, axis=1) * np.linalg.norm(query.vector) + 1e-12
        dense = dict(zip(numbers, (vectors @ query.vector / sizes).tolist(), strict=True))
    if by is Rank.VECTOR:
        return dense, {}
    alike = index.wording.alike(query.text, rows["terms"].combine_chunks())
    return dense, dict(zip(numbers, alike.tolist(), strict=True))


def fused(
    dense: Mapping[str, float], lexical: Mapping[str, float], weight: float = WEIGHT
) -> dict[str, float]:
    """Add the two scores of the same candidates, each in standard deviations above its mean.

    >>> fused({"a": 0.9, "b": 0.1}, {"a": 0.3, "b": 0.3}, weight=0.5)
    {'a': 0.5, 'b': -0.5}
    """
    found: dict[str, float] = dict.fromkeys(dense, 0.0)
    for scores, share in ((dense, weight), (lexical, 1 - weight)):
        if len(set(scores.values())) < 2:
            continue  # all scores are equal, so they rank nothing
        mean, spread = fmean(scores.values()), pstdev(scores.values())
        for number in found:
            found[number] += share * (scores[number] - mean) / spread
    return found


def _by_claims(index: Index, query: Query, where: str, top: int) -> list[Ranked]:
    """Return the patents with the claims nearest to any claim of the query."""
    vectors = query.vector[None] if query.claim_vectors is None else query.claim_vectors  # type: ignore[index]
    best: dict[str, Ranked] = {}
    for place, vector in enumerate(vectors):
        depth = 4 * top
        while True:
            asked = _near(index.claims, vector, depth)
            asked = asked.where(where, prefilter=True) if where else asked
            rows = asked.select(["number", "claim", "_distance"]).to_list()
            if len(rows) < depth or len({row["number"] for row in rows}) >= top:
                break
            depth *= 4  # all of them are claims of few patents
        for row in rows:
            score = 1.0 - row["_distance"]
            if row["number"] not in best or score > best[row["number"]].score:
                best[row["number"]] = Ranked(row["number"], score, None, (place, row["claim"]))
    return sorted(best.values(), key=lambda one: (-one.score, one.number))[:top]


def _near(table: Any, vector: NDArray[np.float32], top: int) -> Any:  # noqa: ANN401
    asked = table.search(vector, vector_column_name="vector").distance_type("cosine").limit(top)
    if indexed(table, "vector"):
        probes = max(PROBES, int(SHARE * table.count_rows() ** 0.5))
        asked = asked.nprobes(probes).refine_factor(max(1, math.ceil(REFINE * 10 / top)))
    return asked


def _matching(index: Index, text: str, top: int) -> Any:  # noqa: ANN401
    terms = " ".join(index.words.telling(text))
    if not terms or not indexed(index.table, "text"):
        return None  # the index is being made for the first time: vectors alone find
    return index.table.search(terms, query_type="fts", fts_columns="text").limit(top)


def _asked(asked: Any, where: str, order: str) -> pa.Table:  # noqa: ANN401
    """Read only the columns that are scored: claims and their vectors are large."""
    if where:
        asked = asked.where(where, prefilter=True)
    columns = ["number", "vector", "terms"]
    return asked.select([*columns, order]).to_arrow().select(columns)


def _holding(index: Index, phrase: str) -> list[str]:
    """Return the patents whose text contains a phrase literally, ignoring case."""
    if not indexed(index.table, "text"):
        raise PhageError(
            "phrases can be searched for once the index is finished",
            place=str(index.path),
            remedy="wait for `phage index`, or run it again if it was stopped",
        )
    asked = index.table.search(phrase, query_type="fts", fts_columns="text").limit(PHRASES)
    rows = asked.select(["number", "text", "_score"]).to_list()
    return [row["number"] for row in rows if phrase in row["text"].lower()]


def _listed(index: Index, where: str, top: int) -> list[Ranked]:
    if not where:
        raise PhageError("the query is empty", remedy="give some words, or a claim")
    rows = index.table.search().where(where).select(["number"]).limit(top).to_list()
    return [Ranked(number, 0.0) for number in sorted(row["number"] for row in rows)]


def combined(liked: list[Query], unliked: list[Query], away: float = 0.3) -> Query:
    """Make one query of several: near the mean of some, away from the mean of others.

    ``away`` is the share of the others' mean that is subtracted (Rocchio's method).
    """
    if len(liked) == 1 and not unliked:
        return liked[0]
    if not liked:
        raise PhageError(
            "the query holds only patents to stay away from",
            remedy="say what to find: add words, or --like NUMBER",
        )
    vector = np.mean([query.vector for query in liked if query.vector is not None], axis=0)
    others = [query.vector for query in unliked if query.vector is not None]
    if others:
        vector = vector - away * np.mean(others, axis=0)
    vector = (vector / (np.linalg.norm(vector) + 1e-12)).astype(np.float32)
    stacked = [query.claim_vectors for query in liked if query.claim_vectors is not None]
    return replace(
        liked[0],
        text=" ".join(query.text for query in liked),
        vector=vector,
        claims=tuple(claim for query in liked for claim in query.claims),
        claim_vectors=np.concatenate(stacked) if stacked else None,
        numbers=tuple(number for query in (*liked, *unliked) for number in query.numbers),
    )

"""Requests → queries with their vectors.

In:   an Index and an understood query; an encoder if something must be encoded.
Out:  Query.
Why:  an indexed patent already has its vectors, so searching with it loads no model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from phage.claims.text import Section
from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.searching.asking import NOTHING, Asked, Kind
from phage.searching.index import Index, section_vectors
from phage.searching.rows import claim_vectors, full_text
from phage.searching.short import short_query
from phage.searching.types import NotIndexed, Query

if TYPE_CHECKING:
    from phage.encoder import Encoder

Load = Callable[[], "Encoder"]
"""Loads the encoder of an index, when it is needed."""


def query_of(index: Index, asked: Asked, load: Load) -> Query:
    """Make the requested query."""
    if asked.kind is Kind.FIELDS:
        return Query("", None)
    if asked.kind is Kind.NUMBER or (len(asked.words.split()) == 1 and index.get(asked.words)):
        return from_index(index, asked.words)  # in one's own files anything may be a number
    if asked.kind is Kind.TEXT and (short := short_query(index.settings, asked.words)):
        return short
    return queries([asked.meant], load(), section=index.settings.section)[0]


def from_text(text: str, encoder: Encoder) -> Query:
    """Make a query of free words, treated as one claim."""
    return queries([text], encoder)[0]


def from_patent(patent: Patent, encoder: Encoder, section: str = Section.WHOLE) -> Query:
    """Make a query of a claim set, a draft or a patent that is not in the index.

    ``section`` is that of the index (``index.settings.section``).
    """
    return queries([patent], encoder, section=section)[0]


def queries(
    asked: Sequence[str | Patent],
    encoder: Encoder,
    advance: Callable[[int], None] | None = None,
    section: str = Section.WHOLE,
) -> list[Query]:
    """Make several queries in one pass over the model; long ones are read in windows.

    ``advance`` is called after every batch with the number of queries done.
    """
    if not all(one.strip() for one in asked if isinstance(one, str)):
        raise PhageError(NOTHING, remedy="give some words, or a claim")
    made: list[Query] = []
    for one, found in zip(asked, encoder.read(asked, advance=advance), strict=True):
        claims = (Claim(0, one),) if isinstance(one, str) else one.claims
        text = one if isinstance(one, str) else full_text(one)
        pairs = tuple((claim.number, claim.text) for claim in claims)
        query = Query(text, found.patent, pairs, found.vectors)
        if section != Section.WHOLE and isinstance(one, Patent):
            query = replace(query, vector=section_vectors([one], encoder, section)[0])
        made.append(query)
    return made


def from_index(index: Index, number: str) -> Query:
    """Make a query of a patent in the index, without encoding anything."""
    row = index.get(number)
    if row is None:
        raise NotIndexed(
            f"{number} is not in this index",
            place=str(index.path),
            remedy="search with its text, or put it in quotes to search for it as a word",
        )
    claims = tuple((claim["number"], claim["text"]) for claim in row["claims"])
    vectors = claim_vectors(row, index.settings.dimension)
    vector = np.asarray(row["vector"], dtype=np.float32)
    return Query(row["text"], vector, claims, vectors, (row["number"],))

"""The rows of an index.

In:   patents with their vectors.
Out:  Arrow tables with the index's columns; the claim vectors and the patent of a row.
Why:  writing and reading the columns stay in one place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from phage.claims.types import LISTS, TEXTS, Patent
from phage.searching.filters import name_words
from phage.searching.likeness import packed
from phage.searching.numbers import digits_of
from phage.vector_files import checked_vectors

if TYPE_CHECKING:
    from phage.encoder import ClaimVectors

_PLAIN = ("office", *(name for name in TEXTS if name != "description"))
_LISTS = tuple(name for name in LISTS if name not in ("publications", "cancelled"))
MADE = {
    "digest": "Hash of everything that the index holds of the patent; a changed patent is encoded again.",
    "digits": "The digits of the number, for numbers in other spellings.",
    "ipc_line": "All IPC symbols in one text, each between bars: the field ``ipc:`` looks here.",
    "cpc_line": "The same for CPC symbols.",
    "assignee_line": "The words of all assignees, each between bars: the field ``assignee:``.",
    "inventor_line": "The same for inventors.",
    "text": "Title, abstract and claims in one text: the full-text side searches here.",
}
"""Columns computed for searching → what they hold."""
FILTERED = ("office", "language", "family", "publication_date", "ipc_line", "cpc_line",
            "assignee_line", "inventor_line")  # fmt: skip
"""Columns that the fields of a query search; single claims have them, too."""


def schema(dimension: int) -> pa.Schema:
    """Return the columns of the patents."""
    claim = pa.struct([("number", pa.int32()), ("text", pa.string())])
    return pa.schema(
        [
            *((name, pa.string()) for name in (*_PLAIN, *MADE)),
            *((name, pa.list_(pa.string())) for name in _LISTS),
            ("claims", pa.list_(claim)),
            # the words of ``text`` with their counts, as ``phage.searching.likeness`` packs them
            ("terms", pa.list_(pa.uint32())),
            # (n, D) float16, row by row: as many rows as claims
            ("claim_vectors", pa.large_binary()),
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def claim_schema(dimension: int) -> pa.Schema:
    """Return the columns of the single claims."""
    names = ("number", *FILTERED)
    return pa.schema(
        [
            *((name, pa.string()) for name in names),
            ("claim", pa.int32()),
            # float16 would halve the table, but LanceDB clusters it three times as slowly
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def digest(patent: Patent) -> str:
    """Hash what an index holds of a patent, to detect changes."""
    held = replace(patent, description="", citations=())
    return hashlib.sha256(json.dumps(held.to_json()).encode()).hexdigest()[:16]


def claim_vectors(row: dict[str, Any], dimension: int) -> NDArray[np.float32]:
    """Return a row's claim vectors: (n, D)."""
    stored = np.frombuffer(row["claim_vectors"], dtype=np.float16)
    return stored.reshape(-1, dimension).astype(np.float32)


def patent_of(row: dict[str, Any]) -> Patent:
    """Return a row's patent; an index holds no descriptions and no citations."""
    return Patent.from_json({name: row[name] for name in (*_PLAIN, *_LISTS, "claims")})


def full_text(patent: Patent) -> str:
    """Return the words that the full-text side reads."""
    return " ".join((patent.title, patent.abstract, *(claim.text for claim in patent.claims)))


def rows_of(
    patents: Sequence[Patent],
    encoded: Sequence[ClaimVectors],
    own: NDArray[np.float32],
    dimension: int,
) -> pa.Table:
    """Lay patents and their vectors out as rows; all vectors must be finite."""
    numbers = [patent.number for patent in patents]
    checked_vectors(own, numbers)
    halves = [vectors.vectors.astype(np.float16) for vectors in encoded]
    for number, vectors in zip(numbers, halves, strict=True):
        checked_vectors(vectors, [number] * len(vectors))
    texts = [full_text(patent) for patent in patents]
    columns: dict[str, Any] = {
        name: [getattr(patent, name) for patent in patents] for name in _PLAIN
    }
    columns |= {name: [list(getattr(patent, name)) for patent in patents] for name in _LISTS}
    columns |= {
        "digest": [digest(patent) for patent in patents],
        "digits": [digits_of(patent.number) for patent in patents],
        "ipc_line": [_codes(patent.ipc) for patent in patents],
        "cpc_line": [_codes(patent.cpc) for patent in patents],
        "assignee_line": [_names(patent.assignees) for patent in patents],
        "inventor_line": [_names(patent.inventors) for patent in patents],
        "text": texts,
        "terms": [packed(text) for text in texts],
        "claims": [[{"number": c.number, "text": c.text} for c in p.claims] for p in patents],
        "claim_vectors": [vectors.tobytes() for vectors in halves],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(own.ravel()), dimension),
    }
    return pa.table(columns, schema=schema(dimension))


def claim_rows(patents: pa.Table, dimension: int) -> pa.Table:
    """Turn the claims of patent rows into rows of their own."""
    columns: dict[str, list[Any]] = {name: [] for name in ("number", *FILTERED, "claim")}
    vectors: list[NDArray[Any]] = []
    for row in patents.to_pylist():
        stored = np.frombuffer(row["claim_vectors"], dtype=np.float16).reshape(-1, dimension)
        vectors.append(stored)
        columns["claim"] += [claim["number"] for claim in row["claims"]]
        for name in ("number", *FILTERED):
            columns[name] += [row[name]] * len(stored)
    flat = pa.array(np.concatenate([*vectors, np.empty((0, dimension))]).astype(np.float32).ravel())
    held = {**columns, "vector": pa.FixedSizeListArray.from_arrays(flat, dimension)}
    return pa.table(held, schema=claim_schema(dimension))


def _codes(symbols: Iterable[str]) -> str:
    return f"|{'|'.join(symbols)}|"


def _names(names: Iterable[str]) -> str:
    return "".join(f" {name_words(name)} |" for name in names)

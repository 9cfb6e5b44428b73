"""The rows of an index.

In:   patents with their vectors.
Out:  an Arrow table of the index's columns; a row's claim vectors again.
Why:  what is written and what is read back stand in one place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.encoder import ClaimVectors
from phage.vector_files import checked_vectors


def schema(dimension: int) -> pa.Schema:
    """Give the columns of an index."""
    text = ("number", "digest", "title", "abstract", "family", "office", "language", "kind",
            "application", "filing_date", "publication_date", "classes", "text")  # fmt: skip
    claim = pa.struct([("number", pa.int32()), ("text", pa.string())])
    return pa.schema(
        [
            *((name, pa.string()) for name in text),
            ("ipc", pa.list_(pa.string())),
            ("cpc", pa.list_(pa.string())),
            ("claims", pa.list_(claim)),
            # (n, D) float16, row by row: as many rows as claims
            ("claim_vectors", pa.large_binary()),
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )


def digest(patent: Patent) -> str:
    """Hash what an index holds of a patent, to see whether it changed."""
    held = replace(patent, description="", citations=())
    return hashlib.sha256(json.dumps(held.to_json()).encode()).hexdigest()[:16]


def claim_vectors(row: dict[str, Any], dimension: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Unfold a row's claim vectors: (n, D)."""
    stored = np.frombuffer(row["claim_vectors"], dtype=np.float16)
    return stored.reshape(-1, dimension).astype(np.float32)


def rows_of(
    patents: Sequence[Patent],
    encoded: Sequence[ClaimVectors],
    own: NDArray[np.float32],
    dimension: int,
) -> pa.Table:
    """Lay patents and their vectors out as rows of the table; all vectors must be finite."""
    numbers = [patent.number for patent in patents]
    checked_vectors(own, numbers)
    halves = [vectors.vectors.astype(np.float16) for vectors in encoded]
    for number, vectors in zip(numbers, halves, strict=True):
        checked_vectors(vectors, [number] * len(vectors))
    columns: dict[str, Any] = {
        name: [getattr(patent, name) for patent in patents]
        for name in ("number", "title", "abstract", "family", "office", "language", "kind",
                     "application", "filing_date", "publication_date")
    }  # fmt: skip
    columns |= {
        "digest": [digest(patent) for patent in patents],
        "classes": ["|" + "|".join((*p.ipc, *p.cpc)) + "|" for p in patents],
        "text": [" ".join((p.title, p.abstract, *(c.text for c in p.claims))) for p in patents],
        "ipc": [list(patent.ipc) for patent in patents],
        "cpc": [list(patent.cpc) for patent in patents],
        "claims": [[{"number": c.number, "text": c.text} for c in p.claims] for p in patents],
        "claim_vectors": [vectors.tobytes() for vectors in halves],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(own.ravel()), dimension),
    }
    return pa.table(columns, schema=schema(dimension))

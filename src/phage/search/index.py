"""An index of patents on disk.

In:   patents and an encoder.
Out:  a LanceDB table: text and metadata, one vector per patent, one per claim.
Why:  embedded and versioned: every batch is committed whole, a crash leaves the last good version,
      and the same table grows to object storage and millions of rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from phage.claims.text import Section, section_text
from phage.claims.types import Patent
from phage.encoder import ClaimVectors, Encoder
from phage.encoder.items import unsaid
from phage.errors import PhageError
from phage.extras import require
from phage.storage import read_json, write_json

TABLE = "patents"
EXACT_UP_TO = 100_000
"""Rows searched exactly; above, an IVF-PQ index is built."""


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What the vectors of an index have in common."""

    model: str
    dimension: int
    format: int = 1
    section: str = Section.CLAIMS.value
    """What of a patent its own vector is made of; claims have theirs in any case."""


@dataclass(frozen=True, slots=True)
class Added:
    """What one call of ``add`` did."""

    added: int = 0
    unchanged: int = 0
    without_claims: int = 0


class Index:
    """An index folder: ``Index.open(path)`` or ``Index.create(path, encoder)``."""

    def __init__(self, path: Path, settings: IndexSettings, table: Any) -> None:  # noqa: ANN401
        """Join the parts; use ``open`` or ``create``."""
        self.path, self.settings, self.table = path, settings, table

    @classmethod
    def create(
        cls, path: Path | str, encoder: Encoder, section: Section | str = Section.CLAIMS
    ) -> Index:
        """Open the index at ``path`` for this encoder and section, or make it."""
        path = Path(path)
        wanted = IndexSettings(encoder.name, encoder.dimension, section=Section(section).value)
        if (path / "index.json").is_file():
            index = cls.open(path)
            made = index.settings
            if made != wanted:
                option = f"--model {made.model} --section {made.section}"
                raise PhageError(
                    f"this index was made with the model '{made.model}' from '{made.section}'",
                    place=str(path),
                    remedy=f"use {option}, or another output folder",
                )
            return index
        table = _connect(path).create_table(TABLE, schema=schema(encoder.dimension), exist_ok=True)
        write_json(path / "index.json", asdict(wanted))
        return cls(path, wanted, table)

    @classmethod
    def open(cls, path: Path | str) -> Index:
        """Open an index, at its last committed state."""
        path = Path(path)
        if not (path / "index.json").is_file():
            raise PhageError(
                "there is no index here",
                place=str(path),
                remedy=f"make one: phage index patents.parquet -o {path}",
            )
        said = read_json(path / "index.json")
        return cls(path, IndexSettings(**said), _connect(path).open_table(TABLE))

    def __len__(self) -> int:
        """Count the patents."""
        return int(self.table.count_rows())

    def add(self, patents: Sequence[Patent], encoder: Encoder) -> Added:
        """Add or replace patents, in one commit; what is there unchanged is not encoded again."""
        known = self._digests([patent.number for patent in patents])
        last = {patent.number: patent for patent in patents if patent.claims}
        fresh = [p for p in last.values() if known.get(p.number) != digest(p)]
        if fresh:
            # a claim beyond a whole window is found by its start
            found = encoder.encode_claims(fresh, on_cut=unsaid)
            if self.settings.section == Section.CLAIMS:
                own = np.stack([vectors.patent for vectors in found])
            else:
                own = section_vectors(fresh, encoder, self.settings.section)
            rows = _rows(fresh, found, own, self.settings.dimension)
            merge = self.table.merge_insert("number").when_matched_update_all()
            merge.when_not_matched_insert_all().execute(rows)
        empty = sum(not patent.claims for patent in patents)
        return Added(len(fresh), len(patents) - empty - len(fresh), empty)

    def delete(self, numbers: Iterable[str]) -> int:
        """Remove patents; return how many were there."""
        before = len(self)
        self.table.delete(f"number IN ({quoted(numbers)})")
        return before - len(self)

    def finish(self) -> None:
        """Compact, and build what makes searching fast; safe to call again after more was added."""
        kinds = require("lancedb.index", extra="search")
        self.table.create_index("text", config=kinds.FTS(), replace=True)
        self.table.create_index("number", config=kinds.BTree(), replace=True)
        if len(self) > EXACT_UP_TO:
            config = kinds.IvfPq(
                distance_type="cosine",
                num_partitions=max(64, int(len(self) ** 0.5)),
                num_sub_vectors=max(8, self.settings.dimension // 8),
                # enough for k-means to settle; the defaults take ten times as long at 1 M rows
                sample_rate=64,
                max_iterations=20,
            )
            self.table.create_index("vector", config=config, replace=True)
        self.table.optimize()

    @property
    def approximate(self) -> bool:
        """Whether the vectors have an index of their own; without one, search is exact."""
        return any("vector" in index.columns for index in self.table.list_indices())

    def get(self, number: str) -> dict[str, Any] | None:
        """Give a patent's row; a number without its kind code finds the first kind."""
        found = self.table.search().where(f"number = {quoted([number])}").limit(1).to_list()
        if not found and number[-1:].isdigit():
            # the range of all strings that continue the number with a letter
            low, high = quoted([number + "A"]), quoted([number + "Z~"])
            where = f"number >= {low} AND number <= {high}"
            found = self.table.search().where(where).limit(1).to_list()
        return dict(found[0]) if found else None

    def _digests(self, numbers: Sequence[str]) -> dict[str, str]:
        if not numbers or not len(self):
            return {}
        where = f"number IN ({quoted(numbers)})"
        rows = self.table.search().where(where).select(["number", "digest"])
        found = rows.limit(len(numbers)).to_arrow()
        pairs = zip(found["number"].to_pylist(), found["digest"].to_pylist(), strict=True)
        return dict(pairs)


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


def section_vectors(
    patents: Sequence[Patent], encoder: Encoder, section: str
) -> NDArray[np.float32]:
    """Encode a section of each patent, or its claims where that is empty: (N, D)."""
    texts = [section_text(p, section) or section_text(p) for p in patents]
    return encoder.encode(texts, on_cut=unsaid)


def _rows(
    patents: Sequence[Patent],
    encoded: Sequence[ClaimVectors],
    own: NDArray[np.float32],
    dimension: int,
) -> pa.Table:
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
        "claim_vectors": [vectors.vectors.astype(np.float16).tobytes() for vectors in encoded],
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(own.ravel()), dimension),
    }
    return pa.table(columns, schema=schema(dimension))


def batches(patents: Iterable[Patent], size: int = 256) -> Iterator[list[Patent]]:
    """Group a stream into commits."""
    batch: list[Patent] = []
    for patent in patents:
        batch.append(patent)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def quoted(values: Iterable[str]) -> str:
    """Spell strings as SQL.

    >>> quoted(["US1A", "o'neil"])
    "'US1A', 'o''neil'"
    """
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values) or "''"


def _connect(path: Path) -> Any:  # noqa: ANN401
    return require("lancedb", extra="search").connect(str(path))

"""An index of patents on disk.

In:   patents and an encoder.
Out:  a LanceDB table: text and metadata, one vector per patent, one per claim.
Why:  embedded and versioned: every batch is committed whole, a crash leaves the last good version,
      and the same table grows to object storage and millions of rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import Section, section_text
from phage.claims.types import Patent
from phage.encoder import Encoder
from phage.encoder.inputs import unsaid
from phage.errors import PhageError
from phage.extras import require
from phage.search.rows import digest, rows_of, schema
from phage.search.state import (
    FILES,
    SETTINGS,
    IndexSettings,
    read_settings,
    record,
    sound,
    verify,
    write_settings,
)
from phage.storage import alone

TABLE = "patents"
LOCK = ".lock"
EXACT_UP_TO = 100_000
"""Rows searched exactly; above, an IVF-PQ index is built."""


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
        cls, path: Path | str, encoder: Encoder, section: Section | str = Section.WHOLE
    ) -> Index:
        """Open the index at ``path`` for this encoder and section, or make it."""
        path = Path(path)
        if not (path / SETTINGS).is_file():
            return cls._made(path, IndexSettings.of(encoder, section))
        index = cls.open(path)
        made = index.settings
        if (made.model, made.section) != (encoder.name, Section(section).value):
            option = f"--model {made.model} --section {made.section}"
            raise PhageError(
                f"this index was made with the model '{made.model}' from '{made.section}'",
                place=str(path),
                remedy=f"use {option}, or another output folder",
            )
        made.check(encoder, path)
        return index

    @classmethod
    def _made(cls, path: Path, settings: IndexSettings) -> Index:
        kind = schema(settings.dimension)
        with alone(path, path / LOCK):
            with sound(path):
                table = _connect(path).create_table(TABLE, schema=kind, exist_ok=True)
                if table.count_rows():
                    raise ValueError(f"there is a table of patents, but no {SETTINGS}")
            write_settings(path, settings)
        return cls(path, settings, table)

    @classmethod
    def open(cls, path: Path | str) -> Index:
        """Open an index, at its last committed state; a damaged one is refused."""
        path = Path(path)
        if not (path / SETTINGS).is_file():
            raise PhageError(
                "there is no index here",
                place=str(path),
                remedy=f"make one: phage index patents.parquet -o {path}",
            )
        settings = read_settings(path)
        verify(path)
        with sound(path):
            table = _connect(path).open_table(TABLE)
            if table.schema != schema(settings.dimension):
                raise ValueError("the columns of the table are not those of an index")
        return cls(path, settings, table)

    def __len__(self) -> int:
        """Count the patents."""
        with sound(self.path):
            return int(self.table.count_rows())

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Be the only writer, at the table's last state; its hashes hold again when it is finished."""
        with alone(self.path, self.path / LOCK):
            with sound(self.path):
                self.table.checkout_latest()
                (self.path / FILES).unlink(missing_ok=True)
            yield

    def add(self, patents: Sequence[Patent], encoder: Encoder) -> Added:
        """Add or replace patents, in one commit; what is there unchanged is not encoded again."""
        with self._writing():
            return self._add(patents, encoder)

    def _add(self, patents: Sequence[Patent], encoder: Encoder) -> Added:
        known = self._digests([patent.number for patent in patents])
        last = {patent.number: patent for patent in patents if patent.claims}
        fresh = [p for p in last.values() if known.get(p.number) != digest(p)]
        if fresh:
            found = list(encoder.read(fresh))
            if self.settings.section == Section.WHOLE:
                own = np.stack([vectors.patent for vectors in found])
            else:
                own = section_vectors(fresh, encoder, self.settings.section)
            rows = rows_of(fresh, found, own, self.settings.dimension)
            merge = self.table.merge_insert("number").when_matched_update_all()
            with sound(self.path):
                merge.when_not_matched_insert_all().execute(rows)
        empty = sum(not patent.claims for patent in patents)
        return Added(len(fresh), len(patents) - empty - len(fresh), empty)

    def delete(self, numbers: Iterable[str]) -> int:
        """Remove patents; return how many were there."""
        with self._writing():
            before = len(self)
            with sound(self.path):
                self.table.delete(f"number IN ({quoted(numbers)})")
            return before - len(self)

    def heal(self) -> int:
        """Keep one row of every patent; return how many more there were.

        Two runs that wrote at once left them, in versions that did not lock the folder.
        """
        with alone(self.path, self.path / LOCK), sound(self.path):
            self.table.checkout_latest()
            found = self.table.search().select(["number"]).with_row_id(True).limit(len(self) + 1)
            rows = found.to_arrow()
            numbers, ids = rows["number"].to_pylist(), rows["_rowid"].to_pylist()
            kept = dict(sorted(zip(numbers, ids, strict=True), key=lambda pair: pair[1]))
            more = sorted(set(ids) - set(kept.values()))
            for start in range(0, len(more), 1_000):
                chosen = ", ".join(map(str, more[start : start + 1_000]))
                with self._writing():
                    self.table.delete(f"_rowid IN ({chosen})")
        return len(more)

    def finish(self) -> None:
        """Compact, and build what makes searching fast; safe to call again after more was added."""
        with self._writing():
            with sound(self.path):
                self._finish()
            record(self.path)

    def _finish(self) -> None:
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
        found = self._first(f"number = {quoted([number])}")
        if not found and number[-1:].isdigit():
            # the range of all strings that continue the number with a letter
            low, high = quoted([number + "A"]), quoted([number + "Z~"])
            found = self._first(f"number >= {low} AND number <= {high}")
        return found

    def _first(self, where: str) -> dict[str, Any] | None:
        with sound(self.path):
            found = self.table.search().where(where).limit(1).to_list()
        return dict(found[0]) if found else None

    def _digests(self, numbers: Sequence[str]) -> dict[str, str]:
        if not numbers or not len(self):
            return {}
        where = f"number IN ({quoted(numbers)})"
        with sound(self.path):
            rows = self.table.search().where(where).select(["number", "digest"])
            found = rows.limit(len(numbers)).to_arrow()
        pairs = zip(found["number"].to_pylist(), found["digest"].to_pylist(), strict=True)
        return dict(pairs)


def section_vectors(
    patents: Sequence[Patent], encoder: Encoder, section: str
) -> NDArray[np.float32]:
    """Encode a section of each patent, or its claims where that is empty: (N, D)."""
    texts = [section_text(p, section) or section_text(p) for p in patents]
    return encoder.encode(texts, long="cut", on_cut=unsaid)


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

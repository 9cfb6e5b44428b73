"""An index of patents on disk.

In:   patents and an encoder.
Out:  LanceDB tables: patents with text, fields and one vector each; single claims with theirs.
Why:  it is embedded and versioned. Every batch is committed whole, and a crash leaves the last good
      version. The tables scale to object storage and millions of rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import Section, section_text
from phage.claims.types import Patent
from phage.errors import PhageError, chosen, given
from phage.extras import require
from phage.searching.lance import connect, outgrown
from phage.searching.likeness import Wording, known
from phage.searching.numbers import condition, preference, quoted, recognised
from phage.searching.rows import claim_rows, claim_schema, digest, rows_of, schema
from phage.searching.state import (
    FILES,
    SETTINGS,
    IndexSettings,
    check_loaded,
    folder_of,
    read_settings,
    record,
    sound,
    verify,
    write_settings,
)
from phage.searching.types import Added
from phage.searching.words import SAMPLE, Frequencies, count, save
from phage.storage import alone

if TYPE_CHECKING:
    from phage.encoder import ClaimVectors, Encoder

TABLE, CLAIMS = "patents", "claims"
LOCK = ".lock"
EXACT_UP_TO = {TABLE: 100_000, CLAIMS: 20_000}
"""The most rows searched exactly; above, an IVF-PQ index is built. Each claim is one query."""
Advance = Callable[[int], None]
"""Receives the number of patents that were just encoded."""


class Index:
    """An index folder: ``Index.open(path)`` or ``Index.create(path, encoder)``."""

    def __init__(self, path: Path, settings: IndexSettings, table: Any, claims: Any) -> None:  # noqa: ANN401
        """Join the parts; use ``open`` or ``create``."""
        self.path, self.settings, self.table, self.claims = path, settings, table, claims

    @classmethod
    def create(
        cls, path: Path | str, encoder: Encoder, section: Section | str = Section.WHOLE
    ) -> Index:
        """Open the index at ``path`` for this encoder and section, or make it."""
        section = chosen(Section, section)
        path = folder_of(path)
        check_loaded(encoder)
        if not (path / SETTINGS).is_file():
            return cls._made(path, IndexSettings.of(encoder, section))
        index = cls.open(path)
        made = index.settings
        if (made.model, made.section) != (encoder.name, section.value):
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
        width = settings.dimension
        with alone(path, path / LOCK):
            with sound(path):
                home = connect(path)
                table = home.create_table(TABLE, schema=schema(width), exist_ok=True)
                claims = home.create_table(CLAIMS, schema=claim_schema(width), exist_ok=True)
                if table.count_rows():
                    raise ValueError(f"the index has a table of patents but lacks {SETTINGS}")
            write_settings(path, settings)
        return cls(path, settings, table, claims)

    @classmethod
    def open(cls, path: Path | str) -> Index:
        """Open an index at its last committed state; refuse a damaged one."""
        path = folder_of(path)
        if not (path / SETTINGS).is_file():
            raise PhageError(
                "there is no index here",
                place=str(path),
                remedy=f"make one: phage index patents.parquet -o {path}",
            )
        settings = read_settings(path)
        verify(path)
        with sound(path):
            home = connect(path)
            table, claims = home.open_table(TABLE), home.open_table(CLAIMS)
            wanted = schema(settings.dimension), claim_schema(settings.dimension)
            # in any order: tables are read and written by the names of their columns
            if ({*table.schema}, {*claims.schema}) != tuple(map(set, wanted)):
                raise ValueError("the columns of the tables are not those of an index")
        return cls(path, settings, table, claims)

    def __repr__(self) -> str:
        """Describe it in one line."""
        return f"Index({str(self.path)!r}, {len(self):,} patents, {self.settings.model!r})"

    def __len__(self) -> int:
        """Count the patents."""
        with sound(self.path):
            return int(self.table.count_rows())

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Become the only writer, at the tables' last state; ``finish`` renews the hashes."""
        with alone(self.path, self.path / LOCK):
            with sound(self.path):
                self.table.checkout_latest()
                self.claims.checkout_latest()
                (self.path / FILES).unlink(missing_ok=True)
            yield

    def add(
        self, patents: Iterable[Patent], encoder: Encoder, advance: Advance | None = None
    ) -> Added:
        """Add or replace patents; unchanged ones are not encoded again.

        A list is added in one commit; a stream, such as ``phage.read`` gives, in several.
        """
        given(patents, Iterable, "give patents, as a list or as phage.read gives them")
        check_loaded(encoder)
        total = Added()
        for batch in [patents] if isinstance(patents, list | tuple) else batches(patents):
            for patent in batch:
                given(patent, Patent, "give patents, as a list or as phage.read gives them")
            with self._writing():
                total += self._add(batch, encoder, advance or (lambda _: None))
        return total

    def _add(self, patents: Sequence[Patent], encoder: Encoder, advance: Advance) -> Added:
        there = self._digests([patent.number for patent in patents])
        last = {patent.number: patent for patent in patents if patent.claims}
        fresh = [p for p in last.values() if there.get(p.number) != digest(p)]
        advance(len(patents) - len(fresh))
        if fresh:
            found = _read(fresh, encoder, advance)
            if self.settings.section == Section.WHOLE:
                own = np.stack([vectors.patent for vectors in found])
            else:
                own = section_vectors(fresh, encoder, self.settings.section)
            rows = rows_of(fresh, found, own, self.settings.dimension)
            numbers = quoted(patent.number for patent in fresh)
            merge = self.table.merge_insert("number").when_matched_update_all()
            with sound(self.path):
                # claims first: a patent that is there has its claims, whenever a run is stopped
                self.claims.delete(f"number IN ({numbers})")
                self.claims.add(claim_rows(rows, self.settings.dimension))
                merge.when_not_matched_insert_all().execute(rows)
        empty = sum(not patent.claims for patent in patents)
        return Added(len(fresh), len(patents) - empty - len(fresh), empty)

    def delete(self, numbers: Iterable[str]) -> int:
        """Remove patents, named in any spelling; return how many were there."""
        found = [self.get(number) for number in numbers]
        gone = quoted(row["number"] for row in found if row)
        with self._writing():
            before = len(self)
            with sound(self.path):
                self.table.delete(f"number IN ({gone})")
                self.claims.delete(f"number IN ({gone})")
            return before - len(self)

    def finish(self) -> None:
        """Compact the tables and build the search indexes; safe to call again later."""
        with self._writing():
            with sound(self.path):
                self._finish()
                rows = self.table.count_rows()
                places = range(0, rows, max(1, -(-rows // SAMPLE)))
                texts = self.table.take_offsets(list(places)).select(["text"]).to_arrow()["text"]
            save(self.path, count(text.as_py() for text in texts))
            record(self.path)

    @property
    def words(self) -> Frequencies:
        """The number of patents with each word, counted when the index was last finished."""
        return known(self.path)[0]

    @property
    def wording(self) -> Wording:
        """The weight of each word, from the same counts."""
        return known(self.path)[1]

    def _finish(self) -> None:
        kinds = require("lancedb.index", extra="search")
        self.table.create_index("text", config=kinds.FTS(), replace=True)
        for column in ("number", "digits", "application"):
            self.table.create_index(column, config=kinds.BTree(), replace=True)
        self.claims.create_index("number", config=kinds.BTree(), replace=True)
        for table in (self.table, self.claims):
            rows = table.count_rows()
            if rows > EXACT_UP_TO[table.name] and outgrown(table):
                config = kinds.IvfPq(
                    distance_type="cosine",
                    num_partitions=max(64, int(rows**0.5)),
                    num_sub_vectors=max(8, self.settings.dimension // 8),
                    # enough for k-means to settle; the defaults take ten times as long at 1 M rows
                    sample_rate=64,
                    max_iterations=20,
                )
                table.create_index("vector", config=config, replace=True)
            table.optimize()

    def get(self, number: str) -> dict[str, Any] | None:
        """Return a patent's row, for any spelling of its number; None if it is absent."""
        found = self._rows(f"number = {quoted([number])}", 1)
        readings = recognised(number)
        if not found and readings:
            found = self._rows(" OR ".join(map(condition, readings)), 50)
        return min(found, key=lambda row: preference(row, readings), default=None)

    def _rows(self, where: str, most: int) -> list[dict[str, Any]]:
        with sound(self.path):
            found: list[dict[str, Any]] = self.table.search().where(where).limit(most).to_list()
        return found

    def _digests(self, numbers: Sequence[str]) -> dict[str, str]:
        if not numbers or not len(self):
            return {}
        where = f"number IN ({quoted(numbers)})"
        with sound(self.path):
            rows = self.table.search().where(where).select(["number", "digest"])
            found = rows.limit(len(numbers)).to_arrow()
        pairs = zip(found["number"].to_pylist(), found["digest"].to_pylist(), strict=True)
        return dict(pairs)


def _read(patents: Sequence[Patent], encoder: Encoder, advance: Advance) -> list[ClaimVectors]:
    """Read patents a few at a time, so that progress is steady; a GPU takes them all at once."""
    few = len(patents) if encoder.device.type == "cuda" else 16
    found: list[ClaimVectors] = []
    for start in range(0, len(patents), few):
        found += encoder.read(patents[start : start + few])
        advance(len(found) - start)
    return found


def section_vectors(
    patents: Sequence[Patent], encoder: Encoder, section: str
) -> NDArray[np.float32]:
    """Encode a section of each patent, or its claims if the section is empty: (N, D)."""
    texts = [section_text(p, section) or section_text(p) for p in patents]
    return encoder.encode(texts, long="cut", on_cut=lambda _: None)


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

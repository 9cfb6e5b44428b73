"""Parts become one file.

In:   the files of finished parts, in order.
Out:  one Parquet file or one file of JSON lines.
Why:  the output must not depend on how often a run was stopped. The parts are the same, so joining
      them in order gives the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from phage.errors import PhageError

ROW_GROUP = 1000
"""The fewest rows of a row group: small groups are slow to read."""


def to_ipc(table: pa.Table) -> bytes:
    """Pack a table for a part: quick to write and to read back."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as out:
        out.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def from_ipc(data: bytes) -> pa.Table:
    """Unpack what ``to_ipc`` packed."""
    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()


def join_parquet(parts: Sequence[Path], out: Path) -> None:
    """Join parts of ``to_ipc`` into one Parquet file, a row group in memory at a time."""
    if not parts:
        raise PhageError("nothing was written, because the input holds no items")
    held: list[pa.Table] = []
    schema = from_ipc(parts[0].read_bytes()).schema
    with pq.ParquetWriter(out, schema, compression="zstd", write_page_checksum=True) as writer:
        for place, path in enumerate(parts, start=1):
            held.append(from_ipc(path.read_bytes()))
            if sum(len(table) for table in held) >= ROW_GROUP or place == len(parts):
                writer.write_table(pa.concat_tables(held), row_group_size=1 << 30)
                held.clear()


def join_lines(parts: Sequence[Path], out: Path) -> None:
    """Join parts that are lines of text, as they are."""
    with out.open("wb") as whole:
        for path in parts:
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)

"""Patents in Parquet and JSON lines: one fixed schema, written atomically.

In:   a stream of patents and a file name.
Out:  the file, whole or absent; batches, so that memory does not grow with the corpus.
Why:  every later step reads this, and a schema that depends on its first rows breaks them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from phage.claims.types import LISTS, TEXTS, Citation, Claim, Patent
from phage.errors import PhageError
from phage.storage import atomic

_CLAIMS = pa.list_(
    pa.struct(
        {
            "number": pa.int32(),
            "text": pa.string(),
            "span": pa.list_(pa.int64()),
            "references": pa.list_(pa.int32()),
            "printed": pa.int32(),
        }
    )
)
_TYPES = {
    "str": pa.string(),
    "tuple[str, ...]": pa.list_(pa.string()),
    "tuple[int, ...]": pa.list_(pa.int32()),
    "tuple[Claim, ...]": _CLAIMS,
    "tuple[Citation, ...]": pa.list_(
        pa.struct([(one.name, pa.string()) for one in fields(Citation)])
    ),
    "Mapping[str, tuple[Claim, ...]]": pa.list_(
        pa.struct({"language": pa.string(), "claims": _CLAIMS})
    ),
}
"""Type of a field in ``Patent`` → type of its column."""
FORMATS = {"phage-patents": 1, "phage-graphs": 1}
"""Name of a Parquet table → its number; it rises where an older version would read it wrongly."""
_MARK = b"phage.format"


def marked(schema: pa.Schema, name: str) -> pa.Schema:
    """Note the number of its format in a schema."""
    return schema.with_metadata({_MARK: f"{name}/{FORMATS[name]}".encode()})


SCHEMA = marked(
    pa.schema([(one.name, _TYPES[str(one.type)]) for one in fields(Patent)]), "phage-patents"
)
"""Dates are text (``YYYY-MM-DD`` or empty), as in JSON; nothing is null but a claim's span."""

BATCH = 500
"""Patents held before they are written; about 20 MB."""


def write(patents: Iterable[Patent], path: Path | str) -> int:
    """Write patents to ``.parquet`` or ``.jsonl``; return how many."""
    path = Path(path)
    writers = {".parquet": _write_parquet, ".jsonl": _write_lines}
    if path.suffix not in writers:
        raise PhageError(
            f"cannot tell the format of {path.name}",
            remedy="name the output patents.parquet or patents.jsonl",
        )
    with atomic(path) as partial:
        return writers[path.suffix](patents, partial)


def _write_lines(patents: Iterable[Patent], path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as out:
        for patent in patents:
            out.write(json.dumps(patent.to_json(), ensure_ascii=False) + "\n")
            count += 1
    return count


def _write_parquet(patents: Iterable[Patent], path: Path) -> int:
    count = 0
    with pq.ParquetWriter(path, SCHEMA, compression="zstd", write_page_checksum=True) as out:
        for batch in _batches(patents):
            out.write_table(table(batch))
            count += len(batch)
    return count


def table(patents: Sequence[Patent]) -> pa.Table:
    """Turn patents into one Arrow table of the fixed schema, column by column."""
    columns = {
        name: pa.array([getattr(patent, name) for patent in patents], SCHEMA.field(name).type)
        for name in (*TEXTS, *LISTS)
    }
    columns["claims"] = _nested([patent.claims for patent in patents], _claim_columns)
    columns["citations"] = _nested([patent.citations for patent in patents], _citation_columns)
    columns["translations"] = _nested(
        [tuple(patent.translations.items()) for patent in patents], _translation_columns
    )
    return pa.table([columns[name].cast(SCHEMA.field(name).type) for name in SCHEMA.names], SCHEMA)


def _nested(
    lists: Sequence[Sequence[Any]], columns: Callable[[list[Any]], dict[str, pa.Array]]
) -> pa.Array:
    """Build a list of structures from flat columns; a dictionary per item would take far longer."""
    offsets = [0, *itertools.accumulate(map(len, lists))]
    flat = columns([item for one in lists for item in one])
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.StructArray.from_arrays(list(flat.values()), list(flat))
    )


def _claim_columns(claims: list[Claim]) -> dict[str, pa.Array]:
    return {
        "number": pa.array([claim.number for claim in claims], pa.int32()),
        "text": pa.array([claim.text for claim in claims], pa.string()),
        "span": pa.array([claim.span for claim in claims], pa.list_(pa.int64())),
        "references": pa.array([claim.references for claim in claims], pa.list_(pa.int32())),
        "printed": pa.array([claim.printed for claim in claims], pa.int32()),
    }


def _citation_columns(citations: list[Citation]) -> dict[str, pa.Array]:
    return {
        one.name: pa.array([getattr(cited, one.name) for cited in citations], pa.string())
        for one in fields(Citation)
    }


def _translation_columns(versions: list[tuple[str, Sequence[Claim]]]) -> dict[str, pa.Array]:
    return {
        "language": pa.array([code for code, _ in versions], pa.string()),
        "claims": _nested([claims for _, claims in versions], _claim_columns),
    }


def _batches(patents: Iterable[Patent]) -> Iterator[list[Patent]]:
    patents = iter(patents)
    while batch := list(itertools.islice(patents, BATCH)):
        yield batch


def rows(path_or_file: Any) -> Iterator[dict[str, Any] | Exception]:  # noqa: ANN401  (path or file)
    """Yield the rows of any Parquet file as dictionaries, a batch at a time.

    A row that holds what Python cannot (a text that is not UTF-8, the year 20,000) is given as
    the error it raised.
    """
    # pre_buffer would keep all that was read in memory until the file is closed.
    with pq.ParquetFile(path_or_file, page_checksum_verification=True, pre_buffer=False) as source:
        _check_format(source.schema_arrow.metadata or {})
        for batch in source.iter_batches(batch_size=BATCH):
            yield from batch_rows(batch)


def _check_format(about: Mapping[bytes, bytes]) -> None:
    """Refuse a table of a later version, which could mean something else."""
    name, _, number = about.get(_MARK, b"").decode("utf-8", "replace").partition("/")
    if name in FORMATS and number.isdecimal() and int(number) > FORMATS[name]:
        raise PhageError(
            f"this table has the format {name}/{number}; this version of phage reads up to "
            f"{FORMATS[name]}",
            remedy="update phage, or write the table with this version",
        )


def batch_rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any] | Exception]:
    """Yield the rows of a batch, or the error that one raised."""
    try:
        yield from batch.to_pylist()
    except _UNFIT:
        yield from map(_single, (batch.slice(place, 1) for place in range(len(batch))))


_UNFIT = (ValueError, ArithmeticError)


def _single(batch: pa.RecordBatch) -> dict[str, Any] | Exception:
    try:
        [row] = batch.to_pylist()
    except _UNFIT as error:
        return error
    return dict(row)

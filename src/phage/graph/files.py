"""Claim graphs from files.

In:   ``graphs.parquet`` or ``graphs.jsonl`` as ``phage graph`` writes them, or an invented corpus.
Out:  ClaimGraph, one after the other, a batch in memory at a time.
Why:  statistics, drawings and training read graphs from the same files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from phage.claims.tables import marked
from phage.claims.tables import rows as parquet_rows
from phage.errors import PhageError
from phage.graph.types import ClaimGraph
from phage.storage import readable

_SPOT = {"start": pa.int32(), "end": pa.int32(), "phrase": pa.string()}
_EVIDENCE = pa.struct(
    {
        "claim": pa.int32(),
        **_SPOT,
        "signal": pa.string(),
        "term": pa.string(),
        "verb": pa.string(),
    }
)
SCHEMA = marked(
    pa.schema(
        {
            "patent": pa.string(),
            "language": pa.string(),
            "claims": pa.list_(pa.int32()),
            "edges": pa.list_(
                pa.struct(
                    {
                        "source": pa.int32(),
                        "target": pa.int32(),
                        "relation": pa.string(),
                        "kind": pa.string(),
                        "evidence": pa.list_(_EVIDENCE),
                    }
                )
            ),
            "diagnostics": pa.list_(
                pa.struct(
                    {"claim": pa.int32(), "reference": pa.int32(), "reason": pa.string(), **_SPOT}
                )
            ),
            "settings": pa.struct(
                {
                    "parser": pa.string(),
                    "citations": pa.string(),
                    "rho": pa.float64(),
                    "max_components": pa.int32(),
                    "functional": pa.string(),
                    "lexicon": pa.string(),
                }
            ),
        }
    ),
    "phage-graphs",
)
"""``graphs.parquet``: the JSON form of ``ClaimGraph``, column by column."""


def graph_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Turn graphs in their JSON form into one Arrow table of the fixed schema."""
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def read_graphs(path: Path | str) -> Iterator[ClaimGraph]:
    """Yield the graphs of a file; of an invented corpus, the true ones."""
    path = Path(path)
    if not path.is_file():
        raise PhageError(f"no such file: {path}", remedy="name the output of 'phage graph'")
    for place, row in enumerate(_rows(path), start=1):
        yield _graph(row, f"{path}, row {place}")


def _rows(path: Path) -> Iterator[Any]:
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic == b"PAR1":
        with readable(path, "build the graphs again: phage graph PATENTS -o graphs.parquet"):
            try:
                yield from parquet_rows(path)
            except OSError as error:  # so Arrow calls a page whose checksum is wrong
                raise ValueError(str(error)) from error
        return
    number = 0
    with _text(path, magic) as lines:
        try:
            for line in lines:
                number += 1
                if line.strip():
                    yield json.loads(line)
        except (ValueError, RecursionError) as error:  # those of JSON and UTF-8 are the first
            raise PhageError(
                f"not JSON lines: {error}",
                place=f"{path}, line {number}",
                remedy="give graphs.parquet or graphs.jsonl, as 'phage graph' writes them",
            ) from error


def _text(path: Path, magic: bytes) -> IO[str]:
    if magic.startswith(b"\x1f\x8b"):
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _graph(row: Any, place: str) -> ClaimGraph:  # noqa: ANN401  (as the file gave it)
    found = row.get("graph", row) if isinstance(row, Mapping) else {}
    try:
        return _checked(ClaimGraph.from_json(found))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise PhageError(
            f"this row is not a claim graph ({error})",
            place=place,
            remedy="build graphs first: phage graph PATENTS -o graphs.parquet",
        ) from error


def _checked(graph: ClaimGraph) -> ClaimGraph:
    """Refuse values of other types, which later steps would count or draw as they are."""
    claims = set(graph.claims)
    if not isinstance(graph.patent, str) or not isinstance(graph.language, str):
        raise TypeError("'patent' and 'language' must be texts")
    if any(type(number) is not int for number in claims):
        raise TypeError("'claims' must be whole numbers")
    if any(edge.source not in claims or edge.target not in claims for edge in graph.edges):
        raise ValueError("an edge leads to a claim that does not exist")
    return graph

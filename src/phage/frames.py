"""Patents, claims, edges, mentions and vectors as data frames.

In:   patents, claim graphs, or vectors with the numbers they belong to.
Out:  an Arrow table, a pandas or a polars frame; one row for each thing, days as dates.
Why:  what is counted, joined and plotted is counted, joined and plotted in frames."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from phage.claims.tables import table as patent_table
from phage.claims.types import TEXTS, Patent
from phage.errors import PhageError, chosen, given
from phage.extras import require
from phage.graph import ClaimGraph
from phage.language import language_of
from phage.structure import find_mentions


class Rows(StrEnum):
    """What a row of a frame is."""

    PATENTS = "patents"
    CLAIMS = "claims"
    EDGES = "edges"
    MENTIONS = "mentions"
    VECTORS = "vectors"


CLAIMS = pa.schema(
    {
        "patent": pa.string(),
        "claim": pa.int32(),
        "text": pa.string(),
        "references": pa.list_(pa.int32()),
    }
)
EDGES = pa.schema(
    {
        "patent": pa.string(),
        "source": pa.int32(),
        "target": pa.int32(),
        "relation": pa.string(),
        "kind": pa.string(),
        "phrases": pa.list_(pa.string()),
        "terms": pa.list_(pa.string()),
    }
)
MENTIONS = pa.schema(
    {
        "patent": pa.string(),
        "claim": pa.int32(),
        "term": pa.string(),
        "determiner": pa.string(),
        "phrase": pa.string(),
        "start": pa.int32(),
        "end": pa.int32(),
    }
)


def to_arrow(items: Any, rows: str = "", numbers: Sequence[str] = ()) -> pa.Table:  # noqa: ANN401
    """Return an Arrow table.

    ``items`` are patents (rows: patents, claims or mentions), claim graphs (rows: edges) or
    vectors (N, D), whose ``numbers`` name them. A single patent or graph will do. Left out,
    ``rows`` follows from the first item.

    >>> from phage.claims import Claim
    >>> patent = Patent("US1A", (Claim(1, "A pump."), Claim(2, "The pump of claim 1.")))
    >>> to_arrow(patent, "claims").to_pylist()[1]
    {'patent': 'US1A', 'claim': 2, 'text': 'The pump of claim 1.', 'references': []}
    """
    if isinstance(items, np.ndarray):
        return _vectors(items, numbers)
    remedy = "give patents, the graphs that build_graph makes, or what encode returns"
    if isinstance(items, (Patent, ClaimGraph)):
        items = [items]
    given(items, Iterable, remedy)
    listed = list(items)
    first: object = listed[0] if listed else None
    graphs = isinstance(first, ClaimGraph)
    kind = chosen(Rows, rows) if rows else Rows.EDGES if graphs else Rows.PATENTS
    fits = ClaimGraph if kind is Rows.EDGES else Patent
    strange = [one for one in listed if not isinstance(one, fits)]
    if kind is Rows.VECTORS or strange:
        wanted = {Rows.EDGES: "claim graphs", Rows.VECTORS: "an array of vectors"}
        raise PhageError(
            f"rows of {kind} are made from {wanted.get(kind, 'patents')}, "
            f"not from {type((strange or [first])[0]).__name__}",
            remedy=remedy,
        )
    return _MADE[kind](listed)


def to_pandas(items: Any, rows: str = "", numbers: Sequence[str] = ()) -> Any:  # noqa: ANN401
    """Return a pandas frame; the arguments are those of ``to_arrow``."""
    require("pandas", extra="frames")
    return to_arrow(items, rows, numbers).to_pandas(date_as_object=False)


def to_polars(items: Any, rows: str = "", numbers: Sequence[str] = ()) -> Any:  # noqa: ANN401
    """Return a polars frame; the arguments are those of ``to_arrow``."""
    return require("polars", extra="frames").from_arrow(to_arrow(items, rows, numbers))


def _patents(patents: list[Patent]) -> pa.Table:
    table = patent_table(patents)
    for name in TEXTS:
        if name.endswith("_date"):
            days = [_day(patent, name) for patent in patents]
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, pa.array(days, pa.date32()))
    return table


def _day(patent: Patent, name: str) -> datetime.date | None:
    text = getattr(patent, name)
    try:
        return datetime.date.fromisoformat(text) if text else None
    except (ValueError, TypeError):
        raise PhageError(
            f"{name} is {text!r}, which is not a date",
            place=patent.number,
            remedy='write it as "2014-05-31", or leave it empty',
        ) from None


def _claims(patents: list[Patent]) -> pa.Table:
    return _table(
        CLAIMS,
        (
            (patent.number, claim.number, claim.text, claim.references)
            for patent in patents
            for claim in patent.claims
        ),
    )


def _edges(graphs: list[ClaimGraph]) -> pa.Table:
    return _table(
        EDGES,
        (
            (
                graph.patent,
                edge.source,
                edge.target,
                str(edge.relation),
                str(edge.kind) if edge.kind else None,
                list(dict.fromkeys(item.phrase for item in edge.evidence)),
                list(dict.fromkeys(item.term for item in edge.evidence if item.term)),
            )
            for graph in graphs
            for edge in graph.edges
        ),
    )


def _mentions(patents: list[Patent]) -> pa.Table:
    def rows() -> Iterator[tuple[Any, ...]]:
        for patent in patents:
            language = language_of(patent.language, place=patent.number)
            for claim in patent.claims:
                for one in find_mentions(claim.text, language):
                    phrase = claim.text[one.start : one.end]
                    yield (patent.number, claim.number, one.term, str(one.determiner), phrase,
                           one.start, one.end)  # fmt: skip

    return _table(MENTIONS, rows())


def _vectors(vectors: np.ndarray[Any, Any], numbers: Sequence[str]) -> pa.Table:
    if vectors.ndim != 2 or len(numbers) != len(vectors):
        raise PhageError(
            f"{len(numbers):,} numbers for vectors of the shape {vectors.shape}",
            remedy="give one number for each: to_arrow(vectors, numbers=[p.number for p in patents])",
        )
    flat = pa.array(vectors.astype(np.float32).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    return pa.table({"number": pa.array(numbers, pa.string()), "vector": column})


def _table(schema: pa.Schema, rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema)


_MADE: dict[Rows, Callable[[list[Any]], pa.Table]] = {
    Rows.PATENTS: _patents,
    Rows.CLAIMS: _claims,
    Rows.EDGES: _edges,
    Rows.MENTIONS: _mentions,
}

"""Tables that are not files of text: data frames in memory, Feather and Arrow files.

In:   whatever speaks Arrow (pandas, polars, pyarrow), or gives its rows as objects (a list of
      dictionaries, a ``datasets.Dataset``).
Out:  patents; a Problem that names row and column for what cannot be read.
Why:  the Arrow protocols ask for the data, not for the package: none of them is imported here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from phage.claims.readers.columns import Wanted
from phage.claims.readers.placed import in_order, undamaged
from phage.claims.readers.rows import Found, read_placed
from phage.claims.readers.sources import Entry
from phage.errors import PhageError

if TYPE_CHECKING:
    import pyarrow as pa

_STREAM, _FRAME = "__arrow_c_stream__", "__dataframe__"
_REMEDY = (
    "give paths, a pandas or polars frame, an Arrow table, a Dataset, or a list of dictionaries"
)


def is_frame(source: object) -> bool:
    """Return whether something is a table itself, not the path of one.

    >>> import pyarrow as pa
    >>> is_frame(pa.table({"number": ["US1A"]})), is_frame([{"number": "US1A"}]), is_frame("a.csv")
    (True, True, False)
    """
    if hasattr(source, _STREAM) or hasattr(source, _FRAME) or isinstance(source, Mapping):
        return True
    if isinstance(source, (list, tuple)):
        return bool(source) and isinstance(source[0], Mapping)
    return hasattr(source, "column_names") and hasattr(source, "__getitem__")


def read_frame(source: Any, wanted: Wanted, descriptions: bool) -> Iterator[Found]:  # noqa: ANN401
    """Read a table in memory."""
    name = type(source).__name__
    if isinstance(source, Mapping):
        if any(is_frame(one) for one in source.values() if not isinstance(one, (list, tuple))):
            first = next(iter(source))
            raise PhageError(
                f"a {name} holds several tables", remedy=f"read one of them: read(it[{first!r}])"
            )
        source = [source]
    if hasattr(source, "collect") and not hasattr(source, "to_dict"):
        raise PhageError(f"a {name} is not computed yet", remedy="read(frame.collect())")
    whole = isinstance(source, (list, tuple)) or hasattr(source, "columns")
    yield from read_placed(in_order(_rows(source), name), wanted, descriptions, gather=whole)


def read_arrow(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read a Feather file, or an Arrow file or stream."""
    with entry.seekable() as source:
        rows = in_order(undamaged(_arrow_rows(source), "Arrow file"), entry.name)
        yield from read_placed(rows, entry.wanted, descriptions)


def _arrow_rows(source: BinaryIO) -> Iterator[Any]:
    import pyarrow as pa  # slow to import, and a draft needs none

    from phage.claims.tables import BATCH, batch_rows

    head = source.read(6)
    source.seek(0)
    if head.startswith(b"FEA1"):
        from pyarrow import feather

        batches: Iterable[pa.RecordBatch] = feather.read_table(source).to_batches(BATCH)
    elif head == b"ARROW1":
        opened = pa.ipc.open_file(source)
        batches = (opened.get_batch(at) for at in range(opened.num_record_batches))
    else:
        batches = pa.ipc.open_stream(source)
    yield from itertools.chain.from_iterable(map(batch_rows, batches))


def _rows(source: Any) -> Iterator[Any]:  # noqa: ANN401
    """Yield the rows of a frame."""
    import pyarrow as pa

    from phage.claims.tables import BATCH, batch_rows

    if hasattr(source, _STREAM):
        try:
            reader = pa.RecordBatchReader.from_stream(source)
        except (pa.ArrowException, TypeError, ValueError) as error:
            # a column of pandas may hold values of several types; Arrow's may not
            if not hasattr(source, "to_dict") or not hasattr(source, "columns"):
                name = type(source).__name__
                raise PhageError(f"a {name} is not a table: {error}", remedy=_REMEDY) from error
            yield from source.to_dict("records")
            return
        for batch in reader:
            for start in range(0, len(batch), BATCH):
                yield from batch_rows(batch.slice(start, BATCH))
    elif hasattr(source, _FRAME):
        from pyarrow.interchange import from_dataframe

        yield from _rows(from_dataframe(source))
    else:
        yield from source


def paths_of(sources: Any) -> Iterable[Any]:  # noqa: ANN401
    """Return the paths that were named; what is neither a path nor a table is an error."""
    try:
        named = iter(sources)
    except TypeError:
        raise PhageError(
            f"a value of type {type(sources).__name__} cannot be read", remedy=_REMEDY
        ) from None
    first = next(named, None)
    if (
        first is not None
        and not isinstance(first, (str, bytes))
        and not hasattr(first, "__fspath__")
    ):
        raise PhageError(f"a list of {type(first).__name__} cannot be read", remedy=_REMEDY)
    return itertools.chain([] if first is None else [first], named)

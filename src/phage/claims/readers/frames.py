"""Tables that are not files of text: data frames in memory, Feather and Arrow files.

In:   whatever speaks Arrow (pandas, polars, pyarrow), or gives its rows as objects (a list of
      dictionaries, a ``datasets.Dataset``).
Out:  patents; a ReadProblem that names row and column for what cannot be read.
Why:  the Arrow protocols ask for the data, not for the package: none of them is imported here."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from phage.claims.readers.columns import Wanted
from phage.claims.readers.documents import Malformed
from phage.claims.readers.placed import in_order, undamaged
from phage.claims.readers.rows import Found, read_placed
from phage.claims.readers.sources import Entry
from phage.claims.report import instructed
from phage.errors import PhageError

if TYPE_CHECKING:
    import pyarrow as pa

_STREAM, _FRAME = "__arrow_c_stream__", "__dataframe__"
_REMEDY = (
    "give paths, a pandas or polars frame, an Arrow table, a Dataset, or dictionaries: "
    "a list of them, or an iterator"
)


def is_frame(source: object) -> bool:
    """Return whether something is a table itself, not the path of one.

    >>> import pyarrow as pa
    >>> is_frame(pa.table({"number": ["US1A"]})), is_frame([{"number": "US1A"}]), is_frame("a.csv")
    (True, True, False)
    """
    if any(hasattr(source, way) for way in (_STREAM, _FRAME, "collect")):
        return True
    if isinstance(source, (list, tuple)):
        return bool(source) and is_frame(source[0])
    return isinstance(source, Mapping) or (
        hasattr(source, "column_names") and hasattr(source, "__getitem__")
    )


def read_frame(
    source: Any,  # noqa: ANN401  (a table, or an iterator of its rows or parts)
    wanted: Wanted,
    descriptions: bool,
    name: str = "",
) -> Iterator[Found]:
    """Read a table in memory."""
    name = name or type(source).__name__
    if isinstance(source, Mapping):
        plain = (list, tuple, Mapping)
        if any(is_frame(one) for one in source.values() if not isinstance(one, plain)):
            first = next(iter(source))
            raise PhageError(
                f"a {name} holds several tables", remedy=f"read one of them: read(it[{first!r}])"
            )
        source = [source]
    whole = isinstance(source, (list, tuple)) or (
        not hasattr(source, "collect") and hasattr(source, "columns")
    )
    rows = in_order(_rows(source, wanted, name), name)
    yield from read_placed(rows, wanted, descriptions, gather=whole)


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


def _rows(source: Any, wanted: Wanted, name: str) -> Iterator[Any]:  # noqa: ANN401
    """Yield the rows of a frame, or of several."""
    import pyarrow as pa

    from phage.claims.tables import BATCH, batch_rows

    if hasattr(source, "collect") and not hasattr(source, "to_dict"):
        kind = type(source).__name__
        raise PhageError(f"a {kind} is not computed yet", remedy="read(frame.collect())")
    _check_names(source, wanted, name)
    if hasattr(source, _STREAM):
        try:
            reader = pa.RecordBatchReader.from_stream(source)
        except (pa.ArrowException, TypeError, ValueError) as error:
            # a column of pandas may hold values of several types; Arrow's may not
            if not hasattr(source, "to_dict") or not hasattr(source, "columns"):
                kind = type(source).__name__
                raise PhageError(f"a {kind} is not a table: {error}", remedy=_REMEDY) from error
            yield from map(_plain, source.to_dict("records"))
            return
        for batch in reader:
            for start in range(0, len(batch), BATCH):
                yield from batch_rows(batch.slice(start, BATCH))
    elif hasattr(source, _FRAME):
        from pyarrow.interchange import from_dataframe

        yield from _rows(from_dataframe(source), wanted, name)
    else:
        for one in source:
            part = is_frame(one) and not isinstance(one, (Mapping, list, tuple))
            yield from _rows(one, wanted, name) if part else [_plain(one)]


def _check_names(source: Any, wanted: Wanted, name: str) -> None:  # noqa: ANN401
    """Refuse a frame with two columns of one name that is used: a row would hold the last one."""
    names = getattr(getattr(source, "schema", None), "names", None)
    if not isinstance(names, list):
        names = [str(one) for one in getattr(source, "columns", ())]
    if len(set(names)) < len(names):
        try:
            wanted.of(name, names)
        except Malformed as error:
            why, remedy = instructed(str(error))
            raise PhageError(why, place=name, remedy=remedy) from None


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a row as JSON would give it: arrays and tuples as lists, names as texts."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if not isinstance(value, (str, bytes)) and hasattr(value, "tolist"):
        value = value.tolist()
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def opened(sources: Any) -> tuple[Any, Iterable[Any]]:  # noqa: ANN401
    """Return the table that was given, or None, and the paths; what is neither is an error."""
    if isinstance(sources, (str, Path)):
        return None, [sources]
    if is_frame(sources):
        return sources, ()
    kind = type(sources).__name__
    if isinstance(sources, bytes):  # its items are numbers
        raise PhageError(f"a value of type {kind} cannot be read", remedy=_REMEDY)
    if hasattr(sources, "readline"):
        raise PhageError(
            f"an open file, {kind}, cannot be read", remedy="give its path: read('patents.csv')"
        )
    try:
        named = iter(sources)
    except TypeError:
        raise PhageError(f"a value of type {kind} cannot be read", remedy=_REMEDY) from None
    first = list(itertools.islice(named, 1))
    if any(map(is_frame, first)):
        return itertools.chain(first, named), ()
    return None, map(_path, itertools.chain(first, named))


def _path(one: Any) -> Any:  # noqa: ANN401
    if isinstance(one, str) or hasattr(one, "__fspath__"):
        return one
    raise PhageError(f"a value of type {type(one).__name__} is not a path", remedy=_REMEDY)

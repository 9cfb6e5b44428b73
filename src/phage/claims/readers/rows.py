"""Patents in rows: JSON, JSON lines, Parquet.

In:   a file of objects, of any of the schemas we know.
Out:  patents, recognised row by row: our own, HUPD's, Google's, DAPFAM's; a ReadProblem for
      each row that could not be read as it is.
Why:  the container says nothing of what is in it; the keys of a row do."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from phage.claims.readers import bigquery, hupd, phage_json, testsets
from phage.claims.readers.columns import Columns, Wanted
from phage.claims.readers.documents import Malformed
from phage.claims.readers.loading import LARGEST, Loader, Unloaded
from phage.claims.readers.placed import Placed, in_order, joined, undamaged
from phage.claims.readers.records import Record, not_a_row, shown
from phage.claims.readers.sources import Entry, decoded
from phage.claims.report import ReadProblem
from phage.claims.types import Patent

Row = Mapping[str, Any]
SCHEMAS: dict[str, tuple[Callable[[Row], bool], Callable[[Record, bool], Patent]]] = {
    "google": (bigquery.is_google, bigquery.patent),
    "hupd": (hupd.is_hupd, hupd.patent),
    "dapfam": (testsets.is_dapfam, testsets.dapfam),
    "phage": (phage_json.is_own, phage_json.patent),
}
"""Schema → whether a row is of it, and how such a row is read; the least particular comes last."""

Found = tuple[str, Patent] | ReadProblem
_NAMES = (".jsonl", ".ndjson")
_ODD = (TypeError, ValueError, AttributeError, KeyError, IndexError, ArithmeticError)
"""What a value of the wrong shape raises where no check foresaw it."""


def read_parquet(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read a Parquet file."""
    from phage.claims.tables import rows  # slow to import, and a draft needs none

    with entry.seekable() as source:
        placed = in_order(undamaged(rows(source), "Parquet"), entry.name)
        yield from read_placed(placed, entry.wanted, descriptions, flat=False)


def is_json(head: bytes, name: str = "") -> bool:
    r"""Return whether a file begins like an object, or a list of them, and not like "[Claim 1]".

    >>> is_json(b'[ {"number"'), is_json(b"[]"), is_json(b"[Claim 1] A pump.")
    (True, True, False)
    >>> is_json(b'3\n{"number": "US1A"}', "mine.jsonl")
    True
    """
    if head[:1] == b"[":
        return head[1:].lstrip()[:1] in (b"{", b"]", b"[") or _named_lines(head, name)
    return head[:1] == b"{" or _named_lines(head, name)


HOPELESS = 100_000
"""Rows without a patent among them after which the rest is not looked at."""


def read_json(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read JSON lines, or one JSON value: an object, or a list of them.

    A few kilobytes can unpack to millions of empty rows, so a file that begins with too many is
    given up.
    """
    hope = HOPELESS
    for found in read_placed(_json_rows(entry), entry.wanted, descriptions, flat=False):
        yield found
        if hope and not isinstance(found, ReadProblem):
            hope = 0  # it holds patents
        elif hope:
            hope -= 1
            if not hope:
                why = f"refused: the first {HOPELESS:,} rows hold no patent"
                yield ReadProblem(entry.name, 0, why)
                return


def _json_rows(entry: Entry) -> Iterator[Placed]:
    head = entry.stream.peek(1 << 16)
    if not _is_lines(head) and not _named_lines(head, entry.name):
        yield from _whole(entry)
        return
    loader = Loader()
    for line in entry.lines(LARGEST):
        here = ReadProblem(entry.name, line.offset, "", line=line.number)
        if line.lost:
            yield here, line.flaw, []
        elif line.text.strip():
            value = loader.value(line.text)
            flaws = [*loader.changes, *([line.flaw] if line.flaw else [])]
            several = isinstance(value, list) and any(isinstance(one, Mapping) for one in value)
            for one in value if several else [value]:
                yield here, _loaded(one), flaws


def _whole(entry: Entry) -> Iterator[Placed]:
    loader = Loader()
    if _is_list(entry.stream.peek(1 << 10)):
        for row, line, value in loader.elements(entry.stream, lambda row: bool(_schema(row))):
            here = ReadProblem(entry.name, 0, "", row=row, line=line)
            yield here, _loaded(value), loader.changes
        return
    data = entry.whole(LARGEST)
    text, flaw = decoded(data, json.detect_encoding(data))
    value = _loaded(loader.value(text))
    flaws = [*loader.changes, *([flaw] if flaw else [])]
    yield ReadProblem(entry.name, 0, "", line=1), value, flaws


def _loaded(value: Any) -> Any:  # noqa: ANN401  (whatever JSON holds)
    """Return a row, or why there is none."""
    if isinstance(value, str):
        return not_a_row(value)
    return value.reason if isinstance(value, Unloaded) else value


def _is_list(head: bytes) -> bool:
    """Return whether a file begins with a bracket, in any encoding of JSON."""
    return decoded(head, json.detect_encoding(head))[0].lstrip().startswith("[")


def _schema(row: Row) -> str:
    return next((schema for schema, (fits, _) in SCHEMAS.items() if fits(row)), "")


def _lines(head: bytes) -> list[bytes]:
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()[:50]
    return [line.strip() for line in lines if line.strip()]


def _is_lines(head: bytes) -> bool:
    """Return whether the second line begins an object of its own, or the first is a whole one."""
    lines = _lines(head)
    if not lines or not lines[0].startswith(b"{") or len(lines[0]) < 3:
        return False
    return len(lines) == 1 or lines[1].startswith(b"{") or lines[0].endswith(b"}")


def _named_lines(head: bytes, name: str) -> bool:
    """Return whether a file is named as JSON lines and holds one, though it begins with another."""
    return name.lower().endswith(_NAMES) and any(
        line.startswith(b"{") and line.endswith(b"}") for line in _lines(head)
    )


def read_placed(
    rows: Iterable[Placed],
    columns: Columns | Wanted,
    descriptions: bool,
    *,
    flat: bool = True,
    gather: bool = False,
) -> Iterator[Found]:
    """Read the rows of a table; where each row is a claim, rows of one number are one patent.

    In a ``flat`` table, lists stand as texts in single cells. ``gather`` says that all rows are in
    memory: those of one patent may then stand anywhere.
    """
    taken = functools.partial(_claim_columns, columns=columns, flat=flat)
    last = ""
    for here, row, flaws in joined(rows, taken, gather):
        if isinstance(row, str):
            yield replace(here, reason=row)
            continue
        if isinstance(columns, Columns):
            found = _own(row, here, columns, descriptions, flaws)
        else:
            found = _row(row, here, columns, descriptions, flaws, flat=flat)
        for one in found:
            yield one
            if isinstance(one, ReadProblem) or one[0] != "table":
                continue
            number, claims = one[1].number, one[1].claims
            if number == last and len(claims) == 1:
                yield replace(here, reason=_AGAIN, document=number, partial=True)
            last = number if len(claims) == 1 else ""


_AGAIN = (
    "this number, with one claim, was in the row before: name the column of the claim's number "
    "if each row is a claim: columns={'claim_number': …}, or --columns claim_number=…"
)


def _claim_columns(
    here: ReadProblem, row: Row, columns: Columns | Wanted, flat: bool
) -> Mapping[str, str]:
    """Return the columns of a row, if it may be a single claim."""
    if isinstance(columns, Columns):
        return columns.fitting(row).taken
    if isinstance(row.get("claims"), (list, Mapping)):
        return {}
    if _schema(row) not in (("", "phage") if flat else ("",)):
        return {}
    try:
        return columns.of(here.file, map(str, row)).fitting(row).taken
    except Malformed:
        return {}


def _row(
    row: Any,  # noqa: ANN401  (whatever JSON holds)
    here: ReadProblem,
    wanted: Wanted,
    descriptions: bool,
    flaws: Sequence[str] = (),
    *,
    flat: bool = False,
) -> Iterator[Found]:
    """Read one row by the schema its keys show, or by its columns.

    In a ``flat`` table, lists stand as texts in single cells.
    """
    if not isinstance(row, Mapping):
        yield replace(here, reason=not_a_row(row))
        return
    named = next((row[key] for key in ("number", "publication_number", "id") if row.get(key)), "")
    here = replace(here, document=named if isinstance(named, str) else shown(named))
    schema = "" if wanted.given else _schema(row)
    if not schema or (flat and schema == "phage" and isinstance(row.get("claims"), str)):
        try:
            columns = wanted.of(here.file, map(str, row))
        except Malformed as error:
            yield replace(here, reason=f"not a patent: {error}")
            return
        yield from _own(row, here, columns, descriptions, flaws)
        return
    yield from _read(schema, Record(row), here, descriptions, flaws)


def _own(
    row: Row, here: ReadProblem, columns: Columns, descriptions: bool, flaws: Sequence[str]
) -> Iterator[Found]:
    """Read a row of a table with the user's own columns."""
    losses: list[str] = []
    columns = columns.fitting(row)
    try:
        found = columns.row(row, losses)
    except Malformed as error:
        yield replace(here, reason=str(error))
        return
    number = found.get("number")
    here = replace(here, document=number if isinstance(number, str) else "")
    for part in ("number", "claims"):
        if part in columns.taken and part not in found:
            column = columns.taken[part]
            yield replace(here, reason=f"column '{column}', the {part}, is empty")
            return
    record = Record({"claims": [], **found}, columns.taken)
    record.losses.extend(losses)
    yield from _read("table", record, here, descriptions, flaws)


def _read(
    schema: str, record: Record, here: ReadProblem, descriptions: bool, flaws: Sequence[str]
) -> Iterator[Found]:
    """Read one record; then name what was changed in it."""
    record.repairs.extend(flaws)
    read = phage_json.patent if schema == "table" else SCHEMAS[schema][1]
    try:
        patent = read(record, descriptions)
    except Malformed as error:
        yield replace(here, reason=str(error))
    except _ODD as error:
        yield replace(here, reason=f"not as its schema says: {error}")
    else:
        yield schema, patent
        if record.flaws:
            lost = bool(record.losses)
            yield replace(
                here,
                reason=record.flaws,
                document=patent.number,
                partial=lost,
                repaired=not lost,
            )

"""Patents in rows: JSON, JSON lines, Parquet.

In:   a file of objects, of any of the schemas we know.
Out:  patents, recognised row by row: our own, HUPD's, Google's, DAPFAM's.
Why:  the container says nothing of what is in it; the keys of a row do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from phage.claims.normal import sound
from phage.claims.readers import bigquery, hupd, own, testsets
from phage.claims.readers.documents import Malformed
from phage.claims.readers.sources import Entry
from phage.claims.report import Problem
from phage.claims.tables import rows
from phage.claims.types import Patent

Row = Mapping[str, Any]
SCHEMAS: dict[str, tuple[Callable[[Row], bool], Callable[[Row, bool], Patent]]] = {
    "google": (bigquery.is_google, bigquery.patent),
    "hupd": (hupd.is_hupd, hupd.patent),
    "dapfam": (testsets.is_dapfam, testsets.dapfam),
    "phage": (own.is_own, own.patent),
}
"""Schema → whether a row is of it, and how such a row is read; the least particular comes last."""

Found = tuple[str, Patent] | Problem
_LARGEST_LINE = 64 << 20


def read_parquet(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read a Parquet file."""
    place = 0
    try:
        with entry.seekable() as source:
            for row in rows(source):
                yield _row(row, entry.name, place, descriptions)
                place += 1
    except (pa.ArrowException, ValueError, OSError) as error:
        yield Problem(entry.name, place, f"damaged Parquet: {' '.join(str(error).split())[:200]}")


def is_json(head: bytes) -> bool:
    """Say whether a file begins like an object, or a list of them, and not like "[Claim 1]".

    >>> is_json(b'[ {"number"'), is_json(b"[]"), is_json(b"[Claim 1] A pump.")
    (True, True, False)
    """
    return head[:1] == b"{" or (head[:1] == b"[" and head[1:].lstrip()[:1] in (b"{", b"]", b"["))


def read_json(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read JSON lines, or one JSON value: an object, or a list of them."""
    if _is_lines(entry.stream.peek(1 << 16)):
        for offset, line in entry.lines(_LARGEST_LINE):
            if line.strip():
                yield from _loaded(line, entry.name, offset, descriptions)
    else:
        yield from _loaded(entry.whole(), entry.name, 0, descriptions)


def _is_lines(head: bytes) -> bool:
    """Say whether the second line begins an object of its own, or the first is a whole one."""
    lines = [
        line.strip() for line in head.lstrip(b"\xef\xbb\xbf").splitlines()[:50] if line.strip()
    ]
    if not lines or not lines[0].startswith(b"{") or len(lines[0]) < 3:
        return False
    return len(lines) == 1 or lines[1].startswith(b"{") or lines[0].endswith(b"}")


def _loaded(text: str | bytes, name: str, offset: int, descriptions: bool) -> Iterator[Found]:
    try:
        value = _sound(json.loads(text), text)
    except ValueError as error:
        yield Problem(name, offset, f"not valid JSON: {error}")
        return
    except RecursionError:
        yield Problem(name, offset, "refused: JSON nested too deep")
        return
    if isinstance(value, list):
        for place, row in enumerate(value):
            yield _row(row, name, place, descriptions)
    else:
        yield _row(value, name, offset, descriptions)


def _sound(value: Any, text: str | bytes) -> Any:  # noqa: ANN401  (whatever JSON holds)
    """Mend halves of surrogate pairs, which only escapes can bring in; few files have any."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if rb"\ud" not in raw and rb"\uD" not in raw:
        return value
    return json.loads(sound(json.dumps(value, ensure_ascii=False)))


def _row(row: Any, name: str, offset: int, descriptions: bool) -> Found:  # noqa: ANN401
    """Read one row by the schema its keys show."""
    if not isinstance(row, Mapping):
        return Problem(name, offset, "not a patent: a row is not an object")
    for schema, (fits, patent) in SCHEMAS.items():
        if fits(row):
            try:
                return schema, patent(row, descriptions)
            except Malformed as error:
                number = row.get("number") or row.get("publication_number") or row.get("id")
                return Problem(name, offset, str(error), str(number or ""))
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                return Problem(name, offset, f"not as its schema says: {error}")
    return Problem(name, offset, "not a patent: no number, or no claims, under any known key")

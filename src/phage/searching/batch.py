"""Many searches in one go.

In:   a file of queries, one JSON object a line: ``text``, ``number`` or ``claims``, and an ``id``.
Out:  for each, in order, its ranked patents, or an error.
Why:  the model is loaded once and reads many queries together; a broken line affects no other."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phage.claims.readers import phage_json
from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import Record
from phage.errors import PhageError
from phage.searching.asking import Asked, Kind
from phage.searching.index import Index
from phage.searching.queries import Load, from_index, queries
from phage.searching.types import Query
from phage.storage import source

TOGETHER = 256
"""Queries that are encoded together."""
FORM = '{"id": 1, "text": …}, {"id": 2, "number": …} or {"id": 3, "claims": […]}'


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file."""

    id: Any
    """As given; without one, the number of the line."""
    asked: Asked | None
    error: str = ""


def read_queries(path: Path | str) -> Iterator[Line]:
    """Read the lines; an unreadable line becomes an error, and reading goes on."""
    file = source(path)
    if not file.exists() or file.is_dir():
        raise PhageError(
            "this file of queries does not exist", place=str(path), remedy=f"write {FORM}"
        )
    with file.open(encoding="utf-8-sig", errors="replace") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield _line(number, line)


def _line(number: int, line: str) -> Line:
    name: Any = number
    try:
        row = json.loads(line, parse_constant=_constant)
        if not isinstance(row, Mapping):
            raise Malformed(f"not an object: write {FORM}")
        name = row.get("id", number)
        return Line(name, _asked(row))
    except (ValueError, RecursionError, Malformed) as error:
        return Line(name, None, f"line {number} cannot be read: {error}")


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not a value of JSON")


def _asked(row: Mapping[str, Any]) -> Asked:
    given = [key for key in ("text", "number", "claims") if row.get(key)]
    if len(given) != 1:
        raise Malformed("it needs one of text, number or claims")
    if given == ["claims"]:
        found = phage_json.patent(Record({**row, "id": "query"}))
        if not found.claims:
            raise Malformed("no claim has a text")
        return Asked(Kind.CLAIMS, "", found)
    value = row[given[0]]
    if type(value) not in (str, int) or not any(map(str.isalnum, str(value))):
        raise Malformed(f"{given[0]} holds no text")
    return Asked(Kind.TEXT if given == ["text"] else Kind.NUMBER, str(value))


def encoded(index: Index, lines: Iterable[Line], load: Load) -> Iterator[tuple[Line, Query | str]]:
    """Make the queries of all lines, many at a time; an error stands in for a query that failed."""
    stream = iter(lines)
    while some := list(itertools.islice(stream, TOGETHER)):
        made: list[Query | str] = [line.error for line in some]
        meant: dict[int, Any] = {}
        for place, line in enumerate(some):
            if line.asked is None:
                continue
            if line.asked.kind is Kind.NUMBER:
                try:
                    made[place] = from_index(index, line.asked.words)
                except PhageError as error:
                    made[place] = error.message
            else:
                meant[place] = line.asked.meant
        if meant:
            found = queries(list(meant.values()), load(), section=index.settings.section)
            for place, query in zip(meant, found, strict=True):
                made[place] = query
        yield from zip(some, made, strict=True)

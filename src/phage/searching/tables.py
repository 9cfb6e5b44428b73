"""Hits as a table: CSV and XLSX.

In:   hits, with the query that each answers.
Out:  a file that a spreadsheet program opens.
Why:  hits are judged, sorted and shared in spreadsheets. No text of a patent may become a formula
      there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from phage.claims.normal import printable
from phage.errors import PhageError
from phage.searching.types import Hit
from phage.storage import atomic

COLUMNS = (
    "query", "rank", "number", "score", "cosine", "title", "publication date", "assignees", "ipc",
    "family", "your claim", "their claim", "claim score", "shared terms", "claim text",
)  # fmt: skip
ENDINGS = (".csv", ".xlsx")
TEXTS = (".json", ".jsonl")
"""Endings of files that hold what ``phage search --json`` prints."""
CELL = 32_767
"""The most characters in a spreadsheet cell."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Found = tuple[str, int, Hit]
"""The query's name, the rank from 1, and the hit."""


def check_ending(path: Path) -> None:
    """Refuse other file types before any long work begins."""
    if path.suffix.lower() not in (*ENDINGS, *TEXTS):
        names = ", ".join(f"hits{ending}" for ending in (*ENDINGS, *TEXTS))
        raise PhageError(
            f"cannot write hits to {path.name}", remedy=f"name the file one of {names}"
        )


def write_table(found: Iterable[Found], path: Path) -> int:
    """Write hits as CSV or XLSX, depending on the file's ending; return their number."""
    check_ending(path)
    with atomic(path) as partial, partial.open("wb") as stream:
        return write_stream(found, stream, path.suffix.lower())


def write_stream(found: Iterable[Found], stream: IO[bytes], ending: str) -> int:
    """Write hits as ``.csv`` or ``.xlsx`` to an open stream; return their number."""
    rows = (_row(*one) for one in found)
    return (_write_csv if ending == ".csv" else _write_xlsx)(rows, stream)


def _row(name: str, place: int, hit: Hit) -> Sequence[Any]:
    pair: tuple[Any, ...] = ("", "", "", "", "")
    if match := hit.match:
        pair = (
            match.query_claim or "",
            match.claim,
            match.score,
            ", ".join(match.terms),
            match.text,
        )
    return (
        name, place, hit.number, hit.score, "" if hit.cosine is None else hit.cosine, hit.title,
        hit.publication_date, "; ".join(hit.assignees), "; ".join(hit.ipc), hit.family, *pair,
    )  # fmt: skip


def _write_csv(rows: Iterable[Sequence[Any]], stream: IO[bytes]) -> int:
    count = 0
    # the mark at the beginning tells spreadsheet programs that it is UTF-8
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="", errors="replace")
    out = csv.writer(text)
    out.writerow(COLUMNS)
    for row in rows:
        out.writerow([_harmless(cell) for cell in row])
        count += 1
    text.detach()  # flushes; the stream stays open for whoever opened it
    return count


def _harmless(cell: Any) -> Any:  # noqa: ANN401
    """Put an apostrophe before a text that a spreadsheet program would take for a formula.

    >>> _harmless("=1+1"), _harmless(-0.5), _harmless("a pump")
    ("'=1+1", -0.5, 'a pump')
    """
    if not isinstance(cell, str):
        return cell
    text = printable(cell, " ")[:CELL]
    return f"'{text}" if text.startswith(_FORMULA) else text


ROWS = 1_048_575
"""The most hits in a sheet, below its header."""


def _write_xlsx(rows: Iterable[Sequence[Any]], stream: IO[bytes]) -> int:
    """Write one sheet; a stream in memory needs no disk."""
    import xlsxwriter  # late: a search that writes no sheet need not wait for it

    count = 0
    memory = isinstance(stream, io.BytesIO)
    options = {"in_memory": memory, "constant_memory": not memory}
    with xlsxwriter.Workbook(stream, options) as book:
        sheet = book.add_worksheet("hits")
        sheet.write_row(0, 0, COLUMNS)
        for count, row in enumerate(rows, start=1):
            if count > ROWS:
                raise PhageError(f"a sheet holds {ROWS:,} hits", remedy="write them as hits.csv")
            for column, value in enumerate(row):
                if isinstance(value, int | float):
                    sheet.write_number(count, column, value)
                else:  # never a formula or a link, whatever it says
                    sheet.write_string(count, column, printable(str(value), " ")[:CELL])
    return count

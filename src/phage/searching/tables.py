"""Hits as a table: CSV and XLSX.

In:   hits, with the query that each answers.
Out:  a file that a spreadsheet program opens.
Why:  hits are judged, sorted and sent around in spreadsheets. Nothing in a patent's text may act
      there: no cell becomes a formula."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

from phage.claims.normal import printable
from phage.errors import PhageError
from phage.searching.types import Hit
from phage.storage import atomic

COLUMNS = (
    "query", "rank", "number", "score", "cosine", "title", "publication date", "assignees", "ipc",
    "family", "your claim", "their claim", "claim score", "shared terms", "claim text",
)  # fmt: skip
ENDINGS = (".csv", ".xlsx")
CELL = 32_767
"""Characters that a cell of a spreadsheet holds."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Found = tuple[str, int, Hit]
"""The query's name, the rank from 1, and the hit."""


def check_ending(path: Path) -> None:
    """Refuse a table of another kind before anything long begins."""
    if path.suffix.lower() not in ENDINGS:
        raise PhageError(
            f"cannot write hits to {path.name}", remedy="name the file hits.csv or hits.xlsx"
        )


def write_table(found: Iterable[Found], path: Path) -> int:
    """Write hits as CSV or XLSX, by the file's ending; return how many."""
    check_ending(path)
    with atomic(path) as partial, partial.open("wb") as stream:
        return write_stream(found, stream, path.suffix.lower())


def write_stream(found: Iterable[Found], stream: IO[bytes], ending: str) -> int:
    """Write hits as ``.csv`` or ``.xlsx`` to an open stream; return how many."""
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


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="hits" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}
"""The parts of a workbook of one sheet that are always the same."""


def _write_xlsx(rows: Iterable[Sequence[Any]], stream: IO[bytes]) -> int:
    count = -1  # the head is not a hit
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in _PARTS.items():
            book.writestr(name, _HEAD + text)
        with book.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for count, row in enumerate(_with_head(rows)):  # noqa: B007
                cells = "".join(map(_cell, row))
                sheet.write(f"<row>{cells}</row>".encode())
            sheet.write(b"</sheetData></worksheet>")
    return count


def _with_head(rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    yield COLUMNS
    yield from rows


def _cell(value: Any) -> str:  # noqa: ANN401
    """Write one cell: a number, or a text that nothing takes for a formula.

    >>> _cell(0.5), _cell("=A1 & <b>")
    ('<c><v>0.5</v></c>', '<c t="inlineStr"><is><t xml:space="preserve">=A1 &amp; &lt;b&gt;</t></is></c>')
    """
    if isinstance(value, int | float):
        return f"<c><v>{value}</v></c>"
    text = escape(printable(str(value), " ")[:CELL])
    return f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

"""A chart as a spreadsheet.

In:   a Chart.
Out:  an XLSX file: one row per element, words marked inside the cells, no formula anywhere.
Why:  charts are sorted, annotated and merged with others in spreadsheets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import xlsxwriter

from phage.claims.normal import printable, shortened
from phage.compare.types import NOTICE, Chart, Span

CELL = 32_000
"""Characters that a cell holds, less the marks inside it."""
_COLUMNS = (
    ("element", 10), ("text", 60), ("best passage", 70), ("place", 18), ("score", 8),
    ("cosine", 9), ("words", 8), ("close", 8), ("notes", 30),
)  # fmt: skip


def write_sheet(chart: Chart, target: Path | IO[bytes]) -> None:
    """Write a chart as a workbook of one sheet; on its way to a stream it touches no disk."""
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(target, {**options, "in_memory": True}) as book:
        sheet = book.add_worksheet("chart")
        bold = book.add_format({"bold": True, "valign": "top"})
        wrapped = book.add_format({"text_wrap": True, "valign": "top"})
        figure = book.add_format({"num_format": "0.00", "valign": "top"})
        middle = book.add_format({"align": "center", "valign": "top"})
        lack = book.add_format({"bold": True, "font_color": "#A3201A"})
        both = book.add_format({"underline": 1, "font_color": "#0B5A94"})
        head = f"{chart.number} {chart.title} against {chart.other} {chart.other_title}"
        sheet.write_string(0, 0, printable(shortened(head, 2_000)), bold)
        for column, (name, width) in enumerate(_COLUMNS):
            sheet.set_column(column, column, width)
            sheet.write_string(1, column, name, bold)
        sheet.freeze_panes(2, 1)
        for line, row in enumerate(chart.rows, start=2):
            best = row.matches[0] if row.matches else None
            sheet.write_string(line, 0, printable(row.element.label), bold)
            missing = best.missing if best else ()
            sheet.set_row(line, _height(row.element.text, best.passage.text if best else ""))
            _write(sheet, (line, 1), row.element.text, missing, (lack, wrapped))
            if best:
                _write(sheet, (line, 2), best.passage.text, best.shared, (both, wrapped))
                sheet.write_string(line, 3, printable(best.passage.place), wrapped)
                for column, value in enumerate((best.score, best.cosine, best.words), start=4):
                    sheet.write_number(line, column, value, figure)
                sheet.write_string(line, 7, "yes" if row.close else "no", middle)
        sheet.write_string(len(chart.rows) + 3, 0, NOTICE)
        sheet.repeat_rows(1)
        sheet.set_landscape()
        sheet.set_paper(9)  # A4, like the Word file
        sheet.set_margins(0.4, 0.4, 0.5, 0.5)
        sheet.fit_to_pages(1, 0)


def _height(element: str, passage: str) -> float:
    """Estimate a row's height in points: spreadsheet programs do not fit cells with marked words."""
    widths = dict(_COLUMNS)
    lines = max(len(element) / widths["text"], len(passage) / widths["best passage"])
    return min(400.0, 15.0 * (math.floor(lines * 1.1) + 1))


def _write(
    sheet: Any,  # noqa: ANN401
    cell: tuple[int, int],
    text: str,
    spans: Iterable[Span],
    looks: tuple[Any, Any],
) -> None:
    """Write a text with some of its words marked."""
    marked, wrapped = looks
    parts: list[Any] = []
    at = 0
    for start, end in spans:
        if end > CELL:
            break
        before, inside = printable(text[at:start]), printable(text[start:end])
        parts += [before] if before else []
        parts += [marked, inside] if inside else []
        at = end
    rest = printable(text[at:CELL])
    parts += [rest] if rest else []
    pieces = sum(isinstance(part, str) for part in parts)
    if pieces > 1:
        sheet.write_rich_string(*cell, *parts, wrapped)
    else:
        sheet.write_string(*cell, printable(text[:CELL]), wrapped)

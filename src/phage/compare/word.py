"""A chart or a diff as a Word file.

In:   a Chart or a Diff.
Out:  a table of elements and passages; or the claims as an amendment shows them.
Why:  charts go into opinions and amendments go to an office, and both are written in Word."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from docx import Document
from docx.enum.section import WD_ORIENT
from docx.oxml import OxmlElement
from docx.shared import Cm, Pt, RGBColor

from phage.claims.normal import printable
from phage.compare.types import NOTICE, Change, Chart, ClaimChange, Diff, Span

_LACK, _BOTH, _GREY = (
    RGBColor(0xA3, 0x20, 0x1A),
    RGBColor(0x0B, 0x5A, 0x94),
    RGBColor(0x56, 0x61, 0x6E),
)
_WIDTHS = (2.1, 9.0, 10.9, 3.5)
"""Centimetres of the columns, on A4 across."""
_STATUS = {
    Change.SAME: "Original",
    Change.AMENDED: "Currently amended",
    Change.CANCELLED: "Canceled",
    Change.NEW: "New",
}
BRACKETED = 5
"""Characters up to which a deletion stands in double brackets (37 CFR 1.121(c)(2))."""


def write_chart(chart: Chart, target: Path | IO[bytes]) -> None:
    """Write a chart as a table."""
    document = _document(f"Claim chart: {chart.number} against {chart.other}", across=True)
    for number, title in ((chart.number, chart.title), (chart.other, chart.other_title)):
        line = document.add_paragraph()
        line.add_run(printable(number)).bold = True
        line.add_run(printable(f" {title}"))
    table = document.add_table(rows=1, cols=4)
    table.style, table.autofit = "Table Grid", False
    for cell, name in zip(
        table.rows[0].cells, ("", "Element", "Best passage", "Score"), strict=True
    ):
        cell.paragraphs[0].add_run(name).bold = True
    for row in chart.rows:
        label, element, passage, score = (cell.paragraphs[0] for cell in table.add_row().cells)
        label.add_run(printable(row.element.label)).bold = True
        best = row.matches[0] if row.matches else None
        _marked(element, row.element.text, best.missing if best else (), _LACK)
        if best:
            place = passage.add_run(printable(f"{best.passage.place}: "))
            place.font.color.rgb = _GREY
            _marked(passage, best.passage.text, best.shared, _BOTH, underline=True)
            score.add_run(f"{best.score:.2f}").bold = True
            score.add_run(f"\ncosine {best.cosine:.2f}\nwords {best.words:.2f}")
            if not row.close:
                score.add_run("\nno close passage").font.color.rgb = _GREY
    for column, width in zip(table.columns, _WIDTHS, strict=True):
        column.width = Cm(width)  # LibreOffice reads this one, Word that of the cells
        for cell in column.cells:
            cell.width = Cm(width)
    for place, line in enumerate(table.rows):
        _kept(line, "w:cantSplit", *(() if place else ("w:tblHeader",)))
    _say(document, "Red bold words of an element are missing in the passage; underlined words of a "
         "passage are in the element, too.")  # fmt: skip
    _say(document, NOTICE)
    document.save(str(target) if isinstance(target, Path) else target)


def write_diff(diff: Diff, target: Path | IO[bytes]) -> None:
    """Write the claims as an amendment shows them: underlined, struck through, with their status."""
    document = _document(f"Claims of {diff.before} and {diff.after}")
    if diff.title:
        document.add_paragraph(printable(diff.title))
    for one in diff.claims:
        line = document.add_paragraph()
        number = one.before if one.after is None else one.after
        line.add_run(f"{number}. ({status(one)}) ").bold = True
        if one.change is Change.NEW:
            line.add_run(printable(one.pieces[0].text))
        elif one.after is not None:
            _amended(line, one)
    _say(document, "Underlined: inserted. Struck through, or in double brackets where it is five "
         "characters or fewer: deleted (37 CFR 1.121(c)).")  # fmt: skip
    _say(document, NOTICE)
    document.save(str(target) if isinstance(target, Path) else target)


def status(one: ClaimChange) -> str:
    """Return the status of a claim as US amendments name it.

    >>> status(ClaimChange(Change.AMENDED, 5, 3, 0.9, ()))
    'Currently amended, formerly claim 5'
    >>> status(ClaimChange(Change.MERGED, 2, None, 0.0, (), 1))
    'Canceled, merged into claim 1'
    """
    if one.change is Change.MERGED:
        return f"Canceled, merged into claim {one.into}"
    named = _STATUS.get(one.change, "Previously presented")
    moved = one.before is not None and one.after is not None and one.before != one.after
    return f"{named}, formerly claim {one.before}" if moved else named


def _amended(line: Any, one: ClaimChange) -> None:  # noqa: ANN401  (python-docx has no types)
    for piece in one.pieces:
        text = printable(piece.text)
        if piece.kind == "deleted" and len(text.strip()) <= BRACKETED:
            line.add_run(f"[[{text.strip()}]]{' ' if text.endswith(' ') else ''}")
            continue
        run = line.add_run(text)
        run.font.underline = piece.kind == "inserted" or None
        run.font.strike = piece.kind == "deleted" or None


def _marked(
    line: Any,  # noqa: ANN401
    text: str,
    spans: Iterable[Span],
    colour: RGBColor,
    *,
    underline: bool = False,
) -> None:
    at = 0
    for start, end in spans:
        line.add_run(printable(text[at:start]))
        run = line.add_run(printable(text[start:end]))
        run.font.color.rgb = colour
        run.font.underline, run.bold = underline or None, (not underline) or None
        at = end
    line.add_run(printable(text[at:]))


def _kept(row: Any, *marks: str) -> None:  # noqa: ANN401
    """Keep a row on one page, or repeat it on every page."""
    for name in marks:
        row._tr.get_or_add_trPr().append(OxmlElement(name))  # python-docx has no other way


def _document(title: str, *, across: bool = False) -> Any:  # noqa: ANN401
    document = Document()
    document.core_properties.title = printable(title)[:255]
    document.core_properties.author = "phage"
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    if across:
        section.orientation = WD_ORIENT.LANDSCAPE
        section.page_width, section.page_height = Cm(29.7), Cm(21)
    section.left_margin = section.right_margin = section.top_margin = section.bottom_margin = Cm(2)
    document.styles["Normal"].font.size = Pt(10)
    document.add_heading(printable(title), level=1)
    return document


def _say(document: Any, text: str) -> None:  # noqa: ANN401
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.space_before = Pt(6)  # not right under the table
    run = paragraph.add_run(text)
    run.font.size, run.font.color.rgb = Pt(8.5), _GREY

"""Excel workbooks (.xlsx): every sheet whose header names a number and claims.

In:   a workbook; the first row of a sheet that is not empty is its header.
Out:  patents; a ReadProblem that names sheet, row and column for what cannot be read.
Why:  a workbook is a zip of XML files, which we read safely already; no package is needed."""

from __future__ import annotations

import datetime
import re
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from lxml import etree

from phage.claims.readers.columns import headed
from phage.claims.readers.documents import Malformed
from phage.claims.readers.placed import Placed
from phage.claims.readers.records import Flawed, shown
from phage.claims.readers.rows import Found, read_placed
from phage.claims.readers.sources import Entry
from phage.claims.readers.unpack import Peek, open_member, within
from phage.claims.report import ReadProblem

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DAYS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
"""Formats of dates that a workbook need not define."""
_DATED = re.compile(r'[ymdhs](?![^"]*"[^"]*$)', re.IGNORECASE)
_MOST_DAYS = 2_958_465
"""9999-12-31, the last day that Excel knows."""

Cells = dict[int, Any]
"""Column, from 0 → value."""


def read_xlsx(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read one workbook; a sheet without a header of ours is passed over, if another one has it."""
    refused: list[ReadProblem] = []
    try:
        with entry.seekable() as source, zipfile.ZipFile(source) as archive:
            yield from _sheets(_Book(archive), entry, descriptions, refused)
    except (etree.XMLSyntaxError, LookupError, ValueError, OverflowError) as error:
        yield ReadProblem(entry.name, 0, f"damaged workbook: {' '.join(str(error).split())[:200]}")
        return
    yield from refused[:1]


def _sheets(
    book: _Book, entry: Entry, descriptions: bool, refused: list[ReadProblem]
) -> Iterator[Found]:
    understood = False
    for title, member in book.sheets():
        rows = book.rows(member)
        row, head = next(((n, cells) for n, cells in rows if cells), (1, {}))
        here = ReadProblem(f"{entry.name}!{title}", 0, "", row=row)
        names = [str(head.get(place, "")).strip() for place in range(max(head, default=0) + 1)]
        try:
            columns = entry.wanted.of(here.file, names)
        except Malformed as error:
            said = headed(f"row {row}", error) if head else "the sheet is empty"
            refused.append(replace(here, reason=said))
            continue
        understood = True
        yield from read_placed(
            _placed(rows, names, columns.taken.values(), here), columns, descriptions
        )
    if understood:
        refused.clear()


def _placed(
    rows: Iterator[tuple[int, Cells]], names: list[str], used: Collection[str], here: ReadProblem
) -> Iterator[Placed]:
    """Yield the columns that are used; what stands beside or below them is not the table's."""
    places = [(at, name) for at, name in enumerate(names) if name in used]
    for number, cells in rows:
        row = {name: cells[at] for at, name in places if at in cells}
        if row:
            yield replace(here, row=number), row, []


class _Book:
    """A workbook's parts."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.texts = list(self._shared())
        self.days = self._day_styles()
        book = self._tree("xl/workbook.xml")
        setting = book.find(f"{_MAIN}workbookPr") if book is not None else None
        old = setting is not None and setting.get("date1904") in ("1", "true")
        self.begin = datetime.datetime(1904, 1, 1) if old else datetime.datetime(1899, 12, 30)

    def _open(self, member: str) -> Peek:
        info = self.archive.getinfo(member)
        return within(open_member(self.archive, info), max(1, info.compress_size))

    def _elements(self, member: str, tag: str) -> Iterator[Any]:
        """Yield the elements of one name, each forgotten after it was used."""
        with_care = {"resolve_entities": False, "no_network": True, "load_dtd": False}
        found = etree.iterparse(self._open(member), tag=f"{_MAIN}{tag}", **with_care)
        for _, element in found:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]

    def _tree(self, member: str) -> Any:  # noqa: ANN401  (an element of lxml)
        if member not in self.archive.namelist():
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        return etree.parse(self._open(member), parser).getroot()  # type: ignore[arg-type]

    def sheets(self) -> Iterator[tuple[str, str]]:
        """Yield each sheet's title and its file inside the workbook."""
        links = self._tree("xl/_rels/workbook.xml.rels")
        places = {} if links is None else {link.get("Id"): link.get("Target") for link in links}
        for sheet in self._tree("xl/workbook.xml").iter(f"{_MAIN}sheet"):
            target = (places.get(sheet.get(_LINK)) or "").removeprefix("/")
            member = target if target.startswith("xl/") else f"xl/{target}"
            if "worksheets/" in member:
                yield sheet.get("name") or "sheet", member

    def _shared(self) -> Iterator[str]:
        if "xl/sharedStrings.xml" in self.archive.namelist():
            for item in self._elements("xl/sharedStrings.xml", "si"):
                yield _words(item)

    def _day_styles(self) -> set[str]:
        """Return the styles that show a number as a day."""
        styles = self._tree("xl/styles.xml")
        if styles is None:
            return set()
        own = {
            one.get("numFmtId"): bool(_DATED.search(re.sub(r"\[[^\]]*\]", "", one.get("formatCode") or "")))
            for one in styles.iter(f"{_MAIN}numFmt")
        }  # fmt: skip
        found = styles.find(f"{_MAIN}cellXfs")
        kinds = [] if found is None else [one.get("numFmtId") or "0" for one in found]
        return {
            str(place)
            for place, kind in enumerate(kinds)
            if own.get(kind, kind.isdecimal() and int(kind) in _DAYS)
        }

    def rows(self, member: str) -> Iterator[tuple[int, Cells]]:
        """Yield each row's number and its cells that are not empty."""
        last = 0
        for row in self._elements(member, "row"):
            given = row.get("r") or ""
            last = int(given) if given.isdecimal() and len(given) < 16 else last + 1
            cells: Cells = {}
            at = -1
            for cell in row.iter(f"{_MAIN}c"):
                at = _column(cell.get("r") or "", at + 1)
                try:
                    value = self._value(cell)
                except ValueError:
                    value = Flawed(shown(cell.findtext(f"{_MAIN}v")))
                if value not in (None, ""):
                    cells[at] = value
            yield last, cells

    def _value(self, cell: Any) -> Any:  # noqa: ANN401
        kind, held = cell.get("t") or "n", cell.findtext(f"{_MAIN}v")
        if kind == "inlineStr":
            return _words(cell)
        if not held:
            computed = kind != "n" or cell.find(f"{_MAIN}f") is None
            return None if computed else Flawed("a formula without its value")
        if kind == "s":
            place = int(held)
            return self.texts[place] if 0 <= place < len(self.texts) else Flawed("a missing text")
        if kind == "e":
            return Flawed(held[:40])
        if kind == "n":
            return self._number(float(held), cell.get("s") or "0")
        return held == "1" if kind == "b" else held

    def _number(self, value: float, style: str) -> Any:  # noqa: ANN401
        if style in self.days and 0 < value <= _MOST_DAYS:
            return (self.begin + datetime.timedelta(days=value)).date()
        return int(value) if value.is_integer() else value


def _words(element: Any) -> str:  # noqa: ANN401
    """Join the runs of a text; how it is pronounced is not part of it."""
    runs = [one for one in element.iter(f"{_MAIN}t") if one.getparent().tag != f"{_MAIN}rPh"]
    return "".join(one.text or "" for one in runs)


def _column(reference: str, expected: int) -> int:
    """Return a cell's column, from 0.

    >>> _column("A1", 5), _column("AB12", 5), _column("", 5)
    (0, 27, 5)
    """
    letters = re.match(r"[A-Z]{1,3}", reference)
    if not letters:
        return expected
    place = 0
    for letter in letters[0]:
        place = place * 26 + ord(letter) - 64
    return place - 1

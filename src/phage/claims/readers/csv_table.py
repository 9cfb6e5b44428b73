"""Tables as text: CSV and TSV, with a header.

In:   a file whose first line names its columns, set apart by comma, semicolon, tab or bar.
Out:  patents; a ReadProblem that names line and column for what cannot be read.
Why:  this is how most people hold their own patents."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace

from phage.claims.readers.columns import headed, resolve
from phage.claims.readers.documents import Malformed
from phage.claims.readers.rows import Found, read_placed
from phage.claims.readers.sources import Entry
from phage.claims.report import ReadProblem

ENDINGS = (".csv", ".tsv", ".tab")
_CELL = 16 << 20
"""Longest cell believed; an open quote would swallow the rest of the table."""
_SIGNS = ",;\t|"


def is_table(head: bytes, name: str) -> bool:
    """Return whether a text file is a table: by its name, or by a header with number and claims.

    >>> is_table(b"Pub No;Claims", "export"), is_table(b"1. A pump, in use", "draft")
    (True, False)
    """
    if name.lower().endswith(ENDINGS):
        return head.count(b"\x00") <= 1 + len(head) // 100  # a stray one must not cost the table
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    if len(line) > 4000 or not any(sign in line for sign in _SIGNS):
        return False
    try:
        resolve(_header(line, _separator(line)))
    except (Malformed, csv.Error, StopIteration):
        return False
    return True


def read_csv(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read one table."""
    csv.field_size_limit(_CELL)
    here = ReadProblem(entry.name, 0, "", line=1)
    # Bytes that are not UTF-8 are kept apart and reported cell by cell.
    text = io.TextIOWrapper(
        entry.buffered(), encoding="utf-8-sig", errors="surrogateescape", newline=""
    )
    lines = _Kept(text)
    separator, first = _begin(lines)
    here = replace(here, line=max(1, lines.count))
    if not first:
        yield replace(here, reason="the table is empty")
        return
    try:
        names = _header(first, separator)
        columns = entry.wanted.of(entry.name, names)
    except Malformed as error:
        why = headed(f"line {here.line}", error)
        if not any(sign in first for sign in _SIGNS):
            why = f"line {here.line} holds one column: write a comma, semicolon, tab or bar between columns"
        yield replace(here, reason=why)
        return
    except csv.Error as error:
        yield replace(here, reason=str(error))
        return
    lines.held.clear()
    yield from read_placed(_rows(lines, names, separator, here), columns, descriptions)


def _rows(
    lines: _Kept, names: list[str], separator: str, here: ReadProblem
) -> Iterator[tuple[ReadProblem, dict[str, str] | str, list[str]]]:
    table = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    while True:
        place = replace(here, line=lines.count + 1)
        try:
            cells = next(table)
        except StopIteration:
            return
        except csv.Error as error:
            column = names[min(_broken(lines.taken(), separator), len(names) - 1)]
            yield place, f"column '{column}': {_said(error)}", []
            continue
        lines.taken()
        if not any(cell.strip() for cell in cells):
            continue
        if why := _misfit(cells, names):
            yield place, why, []
            continue
        flaws: list[str] = []
        row = {name: _sound(cell, name, flaws) for name, cell in zip(names, cells, strict=True)}
        yield place, row, flaws


class _Kept:
    """Lines of a text that remembers those of the current row."""

    def __init__(self, text: io.TextIOBase) -> None:
        self.text, self.held, self.count = text, list[str](), 0

    def __iter__(self) -> _Kept:
        return self

    def __next__(self) -> str:
        line = self.text.readline(_CELL)
        if not line:
            raise StopIteration
        self.held.append(line)
        self.count += 1
        return line

    def taken(self) -> str:
        """Return the lines since the last call."""
        found = "".join(self.held)
        self.held.clear()
        return found


def _begin(lines: _Kept) -> tuple[str, str]:
    r"""Pass blank lines, and the line in which Excel names the separator; return it and the header.

    >>> _begin(_Kept(io.StringIO("sep=|\n,,\nnumber,1|claims,1")))
    ('|', 'number,1|claims,1')
    """
    separator = ""
    for line in lines:
        if named := re.fullmatch(r'"?sep=([,;\t|])"?\s*', line):
            separator = named[1]
        elif line.strip(f' "\r\n{_SIGNS}'):
            return separator or _separator(line), line
        lines.held.clear()
    return ",", ""


def _separator(line: str) -> str:
    bare = re.sub(r'"[^"]*"', "", line)
    return max(_SIGNS, key=bare.count)


def _header(line: str, separator: str) -> list[str]:
    names = [
        name.strip()
        for name in next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    ]
    while names and not names[-1]:
        names.pop()  # a separator at the end of each line
    return names


def _misfit(cells: list[str], names: list[str]) -> str:
    """Describe a wrong number of cells; empty cells at the end are ignored."""
    while len(cells) > len(names) and not cells[-1].strip():
        cells.pop()
    if len(cells) > len(names):
        extra = cells[len(names)][:40]
        return f"{len(cells)} cells for {len(names)} columns: {extra!r} comes after '{names[-1]}'"
    if len(cells) < len(names):
        return f"only {len(cells)} cells: column '{names[len(cells)]}' and what follows is missing"
    return ""


_WHOLE = r' *+(?:"(?:[^"]++|"")*+"|[^"{0}][^{0}]*|)'


def _broken(text: str, separator: str) -> int:
    """Return the place of the first cell, from 0, whose quotes do not end as they should.

    >>> _broken('US1,"a pump,2014', ","), _broken('US1,"a" pump,x', ",")
    (1, 1)
    """
    cell = re.compile(_WHOLE.format(re.escape(separator)))
    place, column = 0, 0
    while (found := cell.match(text, place)) and text[found.end() : found.end() + 1] == separator:
        place, column = found.end() + 1, column + 1
    return column


def _said(error: csv.Error) -> str:
    said = str(error)
    if "unexpected end" in said or "field larger" in said:
        return "a quote is opened and never closed"
    return "a quote inside the cell; write it twice" if "expected after" in said else said


def _sound(cell: str, name: str, flaws: list[str]) -> str:
    """Decode a cell that is not UTF-8 as Windows writes it."""
    if cell.isascii() or not any("\udc80" <= sign <= "\udcff" for sign in cell):
        return cell
    flaws.append(f"column '{name}': bytes that are not UTF-8 taken as Windows-1252")
    return cell.encode("utf-8", "surrogateescape").decode("cp1252", "replace")

"""One file per format, and ``read`` that recognises which.

In:   paths (files, folders, globs, archives), or a table in memory.
Out:  patents, one after another; a ReadReport of what could not be read and why.
Why:  no later step should know any format but Patent."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phage.claims.readers import (
    csv_table,
    draft,
    epo,
    frames,
    greenbook,
    markup,
    patentsview,
    rows,
    testsets,
    xlsx,
)
from phage.claims.readers.columns import Wanted, named
from phage.claims.readers.documents import Malformed
from phage.claims.readers.kinds import merge_kinds
from phage.claims.readers.sources import Entry, entries
from phage.claims.readers.unpack import BROKEN, reason, recoded
from phage.claims.report import ReadProblem, ReadReport
from phage.claims.types import Patent

Sources = str | Path | Iterable[Any]
"""Paths, or one table."""
Found = tuple[str, Patent] | ReadProblem


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of file is recognised by its first bytes, and how it is read."""

    recognise: Callable[[bytes, str], bool]
    read: Callable[[Entry, bool], Iterator[Patent | Found]]


def _first_line(head: bytes) -> str:
    return head.split(b"\n", 1)[0].decode("utf-8", "replace")


def _greenbook(entry: Entry, descriptions: bool) -> Iterator[Found]:
    for document in greenbook.documents(entry.stream):
        try:
            patent, said = greenbook.patent(document.data, descriptions)
        except Malformed as error:
            yield ReadProblem(entry.name, document.offset, str(error))
            continue
        yield "greenbook", patent
        why = markup.irregular(patent, said) or ("" if patent.claims else "no claims")
        if not why and patent.claims[-1].text[-1] not in ".;:)]":
            why = "the last claim is incomplete"
        if why:
            yield ReadProblem(entry.name, document.offset, why, patent.number, partial=True)


FORMATS: dict[str, Format] = {
    "xlsx": Format(lambda head, name: False, xlsx.read_xlsx),  # recognised when it is opened
    "arrow": Format(lambda head, name: _is_arrow(head, name), frames.read_arrow),
    "parquet": Format(lambda head, name: head.startswith(b"PAR1"), rows.read_parquet),
    "json": Format(lambda head, name: rows.is_json(head, name), rows.read_json),
    "greenbook": Format(lambda head, name: greenbook.is_greenbook(head), _greenbook),
    "markup": Format(lambda head, name: markup.is_markup(head), markup.read_markup),
    "ep-text": Format(lambda head, name: epo.is_row(_first_line(head)), epo.read_table),
    "patentsview": Format(
        lambda head, name: patentsview.is_header(_first_line(head)), patentsview.read_table
    ),
    "uspto-70k": Format(
        lambda head, name: testsets.is_uspto70k(_first_line(head)), testsets.read_uspto70k
    ),
    "csv": Format(csv_table.is_table, csv_table.read_csv),
    "draft": Format(lambda head, name: _is_draft(head, name), draft.read_draft),
}
"""Asked in this order; the first that recognises a file reads it."""


UNREAD = {
    b"%PDF": "PDF files cannot be read: save the draft as .docx, or its text as .txt (pdftotext -layout)",
    b"\xd0\xcf\x11\xe0": "old Word and Excel files cannot be read: save it as .docx or .xlsx",
    b"{\\rtf": "RTF files cannot be read: save it as .docx or .txt",
}
"""First bytes → why a file is not read, and what to do."""


def _is_arrow(head: bytes, name: str) -> bool:
    stream = head.startswith(b"\xff\xff\xff\xff") and name.lower().endswith((".arrow", ".arrows"))
    return stream or head.startswith((b"ARROW1", b"FEA1"))


def _is_draft(head: bytes, name: str) -> bool:
    if head.startswith(b"PK"):
        return True  # all other zip files were opened before
    if head.count(b"</") >= 3:
        return False  # a piece of markup whose begin is lost
    if name.lower().endswith((".txt", ".docx", ".text")):
        return True
    return b"\x00" not in head and ("." not in Path(name).name or draft.has_claims(head))


def read(
    sources: Sources,
    *,
    columns: Mapping[str, str] | None = None,
    report: ReadReport | None = None,
    strict: bool = False,
    descriptions: bool = False,
) -> Iterator[Patent]:
    """Read patents from files, folders, globs and archives of any known format, or from a table.

    A table may be a pandas or polars frame (or an iterator of such parts), an Arrow table, a
    ``datasets.Dataset``, or a list or iterator of dictionaries. ``columns`` says which of its columns holds what: ``{"claims": "Claims Text"}``;
    the others are guessed by their names.

    Documents that cannot be read are skipped. Mistyped values are repaired or left out. ``report``
    lists all of them; with ``strict`` the first one is an error. Without a ``report`` they are
    warned about, and an input in which nothing could be read is an error.

    >>> [patent.claims[0].text for patent in read([{"id": "US1A", "claims": "1. A pump."}])]
    ['A pump.']
    """
    if report is None:
        report = ReadReport()
        options: dict[str, Any] = {"strict": strict, "descriptions": descriptions}
        yield from read_some(sources, columns=columns, report=report, **options)
        if lines := list(report.remarks()):
            from phage.terminal import plain

            warnings.warn(plain("\n".join(lines)), stacklevel=2)
        return
    wanted = Wanted(named(columns), report.columns)
    merged: list[int] = []
    for found in merge_kinds(_all(sources, report, wanted, descriptions), merged):
        if isinstance(found, ReadProblem):
            report.note(found, strict)
        else:
            report.add(found[1], found[0])
            report.merged += sum(merged)
            merged.clear()
            yield found[1]
    report.merged += sum(merged)


def read_some(
    sources: Sources,
    *,
    columns: Mapping[str, str] | None = None,
    report: ReadReport | None = None,
    strict: bool = False,
    descriptions: bool = False,
) -> Iterator[Patent]:
    """Read as ``read`` does, but raise an error at the end if nothing could be read.

    For steps whose answer would mislead without patents: "nothing leaks", an empty index.
    """
    report = ReadReport() if report is None else report
    yield from read(
        sources, columns=columns, report=report, strict=strict, descriptions=descriptions
    )
    if not report.patents:
        raise report.nothing(_named(sources))


def _named(sources: Sources) -> str:
    """Name the sources in an error."""
    if isinstance(sources, (str, Path)):
        return str(sources)
    if isinstance(sources, (list, tuple)) and all(isinstance(one, (str, Path)) for one in sources):
        return ", ".join(map(str, sources))
    return type(sources).__name__


def _all(
    sources: Sources, report: ReadReport, wanted: Wanted, descriptions: bool
) -> Iterator[Found]:
    table, paths = frames.opened(sources)
    if table is not None:
        yield from frames.read_frame(table, wanted, descriptions, type(sources).__name__)
        return
    for entry in entries(paths, report):
        if isinstance(entry, ReadProblem):
            yield entry
        else:
            entry.wanted = wanted
            yield from _read(entry, descriptions)


def _read(entry: Entry, descriptions: bool) -> Iterator[Found]:
    try:
        entry.stream = recoded(entry.stream)
        head = entry.stream.peek(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
        if why := next((why for begin, why in UNREAD.items() if head.startswith(begin)), ""):
            yield ReadProblem(entry.name, 0, why)
            return
        name = entry.format or _format(head, entry)
        if not name:
            yield ReadProblem(entry.name, 0, "unknown format")
            return
        empty = True
        for found in FORMATS[name].read(entry, descriptions):
            yield (name, found) if isinstance(found, Patent) else found
            empty = False
        if empty:
            yield ReadProblem(entry.name, 0, "the file holds no patents")
    except BROKEN as error:
        yield ReadProblem(entry.name, entry.stream.offset, reason(error))


def _format(head: bytes, entry: Entry) -> str:
    """Recognise a file; where the user named columns, a table is read by them."""
    name = next((n for n, form in FORMATS.items() if form.recognise(head, entry.name)), "")
    return "csv" if entry.wanted.given and name in ("patentsview", "uspto-70k") else name

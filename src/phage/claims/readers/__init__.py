"""One file per format, and ``read`` that recognises which.

In:   paths: files, folders, globs, archives.
Out:  patents, one after another; a Report of what could not be read and why.
Why:  no later step should know any format but Patent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from phage.claims.readers import draft, epo, greenbook, markup, patentsview, rows, testsets
from phage.claims.readers.documents import Malformed
from phage.claims.readers.kinds import merge_kinds
from phage.claims.readers.sources import Entry, entries
from phage.claims.readers.unpack import BROKEN, reason, recoded
from phage.claims.report import ReadProblem, ReadReport
from phage.claims.types import Patent

Sources = str | Path | Iterable[str | Path]
Found = tuple[str, Patent] | ReadProblem


@dataclass(frozen=True, slots=True)
class Format:
    """How one kind of file is recognised by its first bytes, and read."""

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
            why = "the last claim breaks off"
        if why:
            yield ReadProblem(entry.name, document.offset, why, patent.number, partial=True)


FORMATS: dict[str, Format] = {
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
    "draft": Format(lambda head, name: _is_draft(head, name), draft.read_draft),
}
"""Asked in this order; the first that recognises a file reads it."""


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
    report: ReadReport | None = None,
    strict: bool = False,
    descriptions: bool = False,
) -> Iterator[Patent]:
    """Read patents from files, folders, globs and archives of any known format.

    What cannot be read is skipped, mistyped values are repaired or left out, and all of it is
    noted in ``report``; with ``strict`` it is an error.
    """
    report = ReadReport() if report is None else report
    paths = [sources] if isinstance(sources, (str, Path)) else sources
    merged: list[int] = []
    for found in merge_kinds(_all(paths, report, descriptions), merged):
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
    report: ReadReport | None = None,
    strict: bool = False,
    descriptions: bool = False,
) -> Iterator[Patent]:
    """Read as ``read`` does; where nothing at all could be read, that is an error at the end.

    For steps whose answer would be wrong on no patents: "nothing leaks", an empty index.
    """
    report = ReadReport() if report is None else report
    yield from read(sources, report=report, strict=strict, descriptions=descriptions)
    if not report.patents:
        named = [sources] if isinstance(sources, (str, Path)) else sources
        raise report.nothing(", ".join(map(str, named)))


def _all(paths: Iterable[str | Path], report: ReadReport, descriptions: bool) -> Iterator[Found]:
    for entry in entries(paths, report):
        if isinstance(entry, ReadProblem):
            yield entry
        else:
            yield from _read(entry, descriptions)


def _read(entry: Entry, descriptions: bool) -> Iterator[Found]:
    try:
        entry.stream = recoded(entry.stream)
        head = entry.stream.peek(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
        name = next((n for n, form in FORMATS.items() if form.recognise(head, entry.name)), "")
        if not name:
            yield ReadProblem(entry.name, 0, "unknown format")
            return
        empty = True
        for found in FORMATS[name].read(entry, descriptions):
            yield (name, found) if isinstance(found, Patent) else found
            empty = False
        if empty:
            yield ReadProblem(entry.name, 0, "it holds no patents")
    except BROKEN as error:
        yield ReadProblem(entry.name, entry.stream.offset, reason(error))

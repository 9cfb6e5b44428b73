"""One file per format, and ``read`` that recognises which.

In:   paths: files, folders, globs, archives.
Out:  patents, one after another; a Report of what could not be read and why.
Why:  no later step should know any format but Patent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from phage.claims.readers import own, redbook
from phage.claims.readers.documents import Malformed, documents, parse
from phage.claims.readers.sources import Entry, entries
from phage.claims.readers.unpack import BROKEN, reason
from phage.claims.report import Problem, Report
from phage.claims.tables import rows
from phage.claims.types import Patent

Sources = str | Path | Iterable[str | Path]


def read(
    sources: Sources,
    *,
    report: Report | None = None,
    strict: bool = False,
    descriptions: bool = False,
) -> Iterator[Patent]:
    """Read patents from files, folders, globs and archives of any known format.

    What cannot be read is skipped and noted in ``report``; with ``strict`` it is an error.
    """
    report = Report() if report is None else report
    paths = [sources] if isinstance(sources, (str, Path)) else sources
    for entry in entries(paths, report):
        for found in [entry] if isinstance(entry, Problem) else _read(entry, descriptions):
            if isinstance(found, Problem):
                report.note(found)
                if strict:
                    raise found.error()
            else:
                form, patent = found
                report.add(patent, form)
                yield patent


def _read(entry: Entry, descriptions: bool) -> Iterator[tuple[str, Patent] | Problem]:
    head = entry.stream.peek(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
    try:
        if head.startswith(b"PAR1"):
            for place, row in enumerate(rows(entry.seekable())):
                try:
                    yield "phage", own.patent(row)
                except Malformed as error:
                    yield Problem(entry.name, place, str(error))
        elif head.startswith(b"{"):
            yield from _lines(entry)
        elif b"<us-patent-" in head:
            for document in documents(entry.stream, redbook.START):
                try:
                    yield "redbook", redbook.patent(parse(document.data), descriptions)
                except Malformed as error:
                    yield Problem(entry.name, document.offset, str(error))
        else:
            yield Problem(entry.name, 0, "unknown format")
    except BROKEN as error:
        yield Problem(entry.name, entry.stream.offset, reason(error))


def _lines(entry: Entry) -> Iterator[tuple[str, Patent] | Problem]:
    offset = 0
    held = b""
    while block := entry.stream.read(1 << 20):
        *lines, held = (held + block).split(b"\n")
        for line in lines:
            if line.strip():
                yield _line(entry, offset, line)
            offset += len(line) + 1
    if held.strip():
        yield _line(entry, offset, held)


def _line(entry: Entry, offset: int, line: bytes) -> tuple[str, Patent] | Problem:
    try:
        row = json.loads(line)
        if not isinstance(row, dict) or not own.is_own(row):
            raise Malformed("not a patent: no 'number' or no list of 'claims'")
        return "phage", own.patent(row)
    except (ValueError, RecursionError) as error:
        return Problem(entry.name, offset, f"not valid JSON: {error}")
    except Malformed as error:
        return Problem(entry.name, offset, str(error))

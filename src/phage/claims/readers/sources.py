"""Open what the user names: files, folders, globs, archives in archives.

In:   paths.
Out:  one Entry per plain file inside, as a stream; a ReadProblem for what cannot be opened.
Why:  a reader of a format should see bytes only, and nothing is ever unpacked to disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from phage.claims.readers.columns import Wanted
from phage.claims.readers.listing import FOREIGN, files
from phage.claims.readers.unpack import (
    BROKEN,
    MAGIC,
    Ahead,
    Peek,
    Refused,
    open_member,
    reason,
    unpacker,
    within,
)
from phage.claims.report import ReadProblem, ReadReport

DEPTH = 5
"""Layers of packing that a real source has at most: a tar of tar.gz of .json.gz is four."""
IN_MEMORY = 512 << 20
"""A zip inside another archive, or a Parquet file inside any, is held in memory up to here."""
LARGE = 1 << 20
"""Packed files from this size on are unpacked by a thread of their own."""


class Line(NamedTuple):
    """One line of a text."""

    offset: int
    number: int
    """From 1."""
    text: str
    flaw: str = ""
    """What is wrong with its bytes."""
    lost: bool = False
    """It is too long to be held: ``text`` is empty."""


def _line(offset: int, number: int, pieces: list[bytes], too_long: bool) -> Line:
    if too_long:
        return Line(offset, number, "", "refused: a line too long to be a record", lost=True)
    text, flaw = decoded(b"".join(pieces))
    return Line(offset, number, text, flaw)


def decoded(data: bytes, code: str = "utf-8") -> tuple[str, str]:
    r"""Decode a text; other bytes are replaced, and this is reported.

    >>> decoded(b"A pump"), decoded(b"\xe4")
    (('A pump', ''), ('\ufffd', 'bytes that are not UTF-8 were replaced'))
    """
    try:
        text, flaw = data.decode(code), ""
    except UnicodeDecodeError:
        text, flaw = data.decode(code, "replace"), "bytes that are not UTF-8 were replaced"
    return text.removeprefix("\ufeff"), flaw


@dataclass(slots=True)
class Entry:
    """One plain file, wherever it lay."""

    name: str
    stream: Peek
    path: Path | None = None
    """Set where the file lies on disk as it is."""
    format: str = ""
    """Set where opening it showed what it is."""
    wanted: Wanted = field(default_factory=Wanted)
    """What the user said of a table's columns."""

    def whole(self, limit: int = IN_MEMORY) -> bytes:
        """Read all of it, within reason."""
        data = self.stream.read(limit + 1)
        if len(data) > limit:
            raise Refused(f"larger than {limit >> 20} MB")
        self.stream.read(1)  # raises where the stream broke: a part is not all of it
        return data

    def lines(self, longest: int = 64 << 20) -> Iterator[Line]:
        """Yield each line, decoded; lines end with line feeds only."""
        held: list[bytes] = []
        offset = size = number = 0
        while block := self.stream.read(1 << 20):
            *whole, rest = block.split(b"\n")
            for piece in whole:
                number += 1
                size += len(piece)
                yield _line(offset, number, [*held, piece], size > longest)
                offset, size, held = offset + size + 1, 0, []
            size += len(rest)
            held = [*held, rest] if size <= longest else []
        if size:
            yield _line(offset, number + 1, held, size > longest)

    def buffered(self) -> io.BufferedReader:
        """Return it as Python's own kind of stream."""
        return io.BufferedReader(_Raw(self.stream))

    def seekable(self) -> BinaryIO:
        """Return it as a file that can be read in any order."""
        return self.path.open("rb") if self.path else io.BytesIO(self.whole())


class _Raw(io.RawIOBase):
    """A stream for libraries that want Python's own."""

    def __init__(self, stream: Peek) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self.stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def entries(paths: Iterable[str | Path], report: ReadReport) -> Iterator[Entry | ReadProblem]:
    """Open each path in turn; the stream of one must be read before the next is asked for."""
    strays: list[ReadProblem] = []
    for path in files(paths, strays):
        yield from strays
        strays.clear()
        report.files += 1
        before = report.bytes
        try:
            with path.open("rb") as raw:
                counted = _Counted(raw, report)
                peek = Peek(counted)
                # A pipe can be read once and in order only: it has no place on disk.
                yield from _open(str(path), peek, 0, path if path.is_file() else None)
            # What needs any order (zip, Parquet) was opened a second time, uncounted.
            report.bytes = max(report.bytes, before + path.stat().st_size)
        except BROKEN as error:
            yield ReadProblem(str(path), 0, reason(error))
    yield from strays


class _Counted:
    """A file on disk that tells the report how far it was read."""

    def __init__(self, raw: BinaryIO, report: ReadReport) -> None:
        self.raw, self.report = raw, report

    def read(self, size: int = -1) -> bytes:
        data = self.raw.read(size)
        self.report.bytes += len(data)
        return data


def _open(
    name: str, stream: Peek, depth: int, path: Path | None = None
) -> Iterator[Entry | ReadProblem]:
    head = stream.peek(512)
    if depth > DEPTH:
        yield ReadProblem(name, 0, "nested too deep: more than 5 archives inside each other")
    elif not head:
        yield ReadProblem(name, 0, "empty file")
    elif head.startswith(MAGIC["zip"]):
        yield from _zip(name, stream, depth, path)
    elif kind := next((k for k in ("gz", "xz", "zst", "bz2") if head.startswith(MAGIC[k])), None):
        yield from _packed(name, stream, depth, kind)
    elif head[257:262] == b"ustar":
        yield from _tar(name, stream, depth)
    else:
        yield Entry(name, stream, path)


def _packed(name: str, stream: Peek, depth: int, kind: str) -> Iterator[Entry | ReadProblem]:
    opened, inner = unpacker(kind, stream), name.removesuffix(f".{kind}")
    if depth or len(stream.peek(LARGE)) < LARGE:
        yield from _inside(inner, opened, depth, name)
        return
    ahead = Ahead(opened)
    try:
        yield from _inside(inner, Peek(ahead), depth, name)
    finally:
        ahead.close()


def _inside(name: str, stream: Peek, depth: int, outer: str) -> Iterator[Entry | ReadProblem]:
    try:
        yield from _open(name, stream, depth + 1)
    except BROKEN as error:
        yield ReadProblem(outer, stream.offset, reason(error))


def _tar(name: str, stream: Peek, depth: int) -> Iterator[Entry | ReadProblem]:
    watched = _Watched(stream)
    with tarfile.open(fileobj=watched, mode="r|") as archive:  # type: ignore[call-overload]
        for member in archive:
            if member.isfile() and Path(member.name).suffix.lower() not in FOREIGN:
                inner = archive.extractfile(member)
                if inner is not None:
                    place = f"{name}!{member.name}"
                    yield from _inside(place, Peek(inner), depth, place)
    if watched.last.strip(b"\x00") or len(watched.last) < tarfile.BLOCKSIZE:
        # The library takes a damaged or missing header for the end, and says nothing.
        raise EOFError("the tar breaks off before its end mark")


class _Watched:
    """A stream that remembers the last block of what was read."""

    def __init__(self, stream: Peek) -> None:
        self.stream, self.last = stream, b""

    def read(self, size: int) -> bytes:
        data = self.stream.read(size)
        if data:  # a multiple of the block, but at an end that was cut
            self.last = data[-(len(data) % tarfile.BLOCKSIZE or tarfile.BLOCKSIZE) :]
        return data


_OFFICE = {"word/document.xml": "draft", "xl/workbook.xml": "xlsx"}
"""Member that a zip file of an office program has → the format that it is read as."""


def _zip(name: str, stream: Peek, depth: int, path: Path | None) -> Iterator[Entry | ReadProblem]:
    if path is None:
        data = stream.read(IN_MEMORY + 1)
        if len(data) > IN_MEMORY:
            raise Refused(f"a zip inside an archive is larger than {IN_MEMORY >> 20} MB")
        source: Path | io.BytesIO = io.BytesIO(data)
    else:
        source = path
    with zipfile.ZipFile(source) as archive:
        infos = archive.infolist()
        inside = {info.filename for info in infos}
        if form := next((form for mark, form in _OFFICE.items() if mark in inside), ""):
            opened = io.BytesIO(data) if path is None else path.open("rb")
            with opened:
                yield Entry(name, Peek(opened), path, form)
            return
        packed = sum(info.compress_size for info in infos)
        for info in infos:
            place = f"{name}!{info.filename}"
            if not info.filename:
                yield ReadProblem(place, 0, "damaged archive: a member without a name")
                continue
            if info.is_dir() or Path(info.filename).suffix.lower() in FOREIGN:
                continue
            if info.flag_bits & 1:
                yield ReadProblem(place, 0, "encrypted")
                continue
            try:
                with open_member(archive, info) as member:
                    guarded = within(member, max(1, min(info.compress_size, packed)))
                    yield from _inside(place, guarded, depth, place)
            except BROKEN as error:
                yield ReadProblem(place, 0, reason(error))

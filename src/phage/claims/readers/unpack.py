"""Unpack streams, with bounds.

In:   a packed stream.
Out:  the plain one, a block at a time; Refused where it grows like a bomb.
Why:  a few kilobytes can unpack to more than any disk holds, and input is not trusted."""

from __future__ import annotations

import bz2
import codecs
import contextlib
import lzma
import queue
import re
import struct
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol

import zstandard

MAGIC = {
    "gz": b"\x1f\x8b",
    "xz": b"\xfd7zXZ\x00",
    "zst": b"\x28\xb5\x2f\xfd",
    "bz2": b"BZh",
    "zip": b"PK\x03\x04",
}
BLOCK = 1 << 20
RATIO = 250
"""Patent text packs 4 to 20 times, a very repetitive one perhaps 100; a bomb 1,000 and more."""
FLOOR = 64 << 20
"""Below this a bad ratio does no harm."""
MEMORY = 256 << 20
"""What a decompressor may claim for its window; the strongest usual preset takes 65 MB."""


class Refused(Exception):
    """Input that would take more memory or time than any real one."""


BROKEN = (
    EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, tarfile.TarError,
    zstandard.ZstdError, NotImplementedError, RuntimeError, struct.error, Refused,
)  # fmt: skip
"""All that an archive cut short, damaged or hostile can raise."""


def open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str) -> IO[bytes]:
    """Open a member of a zip archive; a damaged directory raises BadZipFile, whatever it leads to."""
    try:
        return archive.open(member)
    except (ValueError, LookupError) as error:  # an offset before the file's begin, say
        raise zipfile.BadZipFile(str(error)) from error


def reason(error: BaseException) -> str:
    """Describe what is wrong with an archive.

    >>> reason(EOFError("Compressed file ended before the end-of-stream marker was reached"))
    'cut short: Compressed file ended before the end-of-stream marker was reached'
    """
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, Refused):
        return f"refused: {text}"
    if isinstance(error, EOFError) or "unexpected end" in text:
        return f"cut short: {text}"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be opened: {error.strerror}"
    return f"damaged archive: {text}"


class Readable(Protocol):
    """All that is asked of a stream."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes; none at the end."""


class Peek:
    """A stream that can be looked into before it is read, and knows how far it was read.

    Where it breaks, all that came before is given first, and the error after it: an archive cut
    short still holds whole documents. Whoever wants all of a stream must read until its end.
    """

    def __init__(self, stream: Readable) -> None:
        """Wrap; nothing is read yet."""
        self.stream, self.ahead, self.offset = stream, b"", 0
        self.error: BaseException | None = None

    def _more(self, size: int) -> bytes:
        if self.error is None:
            try:
                return self.stream.read(size)
            except BROKEN as error:
                self.error = error
        return b""

    def peek(self, size: int) -> bytes:
        """Look at the first bytes without taking them."""
        while len(self.ahead) < size and (more := self._more(size - len(self.ahead))):
            self.ahead += more
        if self.error and not self.ahead:
            raise self.error
        return self.ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """Take bytes, fewer than asked only at the end."""
        taken = [self.ahead] if size < 0 else [self.ahead[:size]]
        self.ahead = b"" if size < 0 else self.ahead[size:]
        left = size - len(taken[0])
        while (size < 0 or left > 0) and (more := self._more(BLOCK if size < 0 else left)):
            taken.append(more)
            left -= len(more)
        data = b"".join(taken)
        if self.error and not data and size:
            raise self.error
        self.offset += len(data)
        return data


class _Measured:
    """A stream that counts what went in."""

    def __init__(self, stream: Readable) -> None:
        self.stream, self.taken = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self.stream.read(size)
        self.taken += len(data)
        return data


class _Bounded:
    """A plain stream that refuses to outgrow its packed source."""

    def __init__(self, plain: Readable, packed: _Measured | int) -> None:
        self.plain, self.packed, self.given = plain, packed, 0

    def read(self, size: int = -1) -> bytes:
        data = self.plain.read(BLOCK if size < 0 else min(size, BLOCK))
        self.given += len(data)
        packed = self.packed if isinstance(self.packed, int) else self.packed.taken
        if self.given > FLOOR and self.given > RATIO * packed:
            raise Refused(f"unpacks to more than {RATIO} times its size, like a zip bomb")
        return data


class _Decompressed:
    """Streams of gz, xz, bz2 or zst, one or several in a row."""

    def __init__(self, source: Readable, kind: str) -> None:
        self.source, self.kind, self.left = source, kind, b""
        self.engine: Any = _ENGINES[kind]()

    def read(self, size: int = -1) -> bytes:
        # zstd has no bound on its output, so it gets little at a time: 1 kB is at most 32 MB.
        bound = () if self.kind == "zst" else (BLOCK if size < 0 else size,)
        step = 1 << 10 if self.kind == "zst" else 1 << 16
        while True:
            if self.engine.eof:
                rest = (self.engine.unused_data or self.source.read(step)).lstrip(b"\x00")
                if not rest:
                    return b""
                self.engine, self.left = _ENGINES[self.kind](), rest
            hungry = getattr(self.engine, "needs_input", True)
            block = self.left or (self.source.read(step) if hungry else b"")
            if not block and hungry:
                raise EOFError(f"the {self.kind} stream ends before its end mark")
            data = bytes(self.engine.decompress(block, *bound))
            self.left = getattr(self.engine, "unconsumed_tail", b"")
            if data:
                return data


_ENGINES: dict[str, Callable[[], Any]] = {
    "gz": lambda: zlib.decompressobj(wbits=31),
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY),
    "bz2": bz2.BZ2Decompressor,
    "zst": lambda: zstandard.ZstdDecompressor(max_window_size=MEMORY).decompressobj(),
}


def unpacker(kind: str, stream: Readable) -> Peek:
    """Open one packed stream."""
    packed = _Measured(stream)
    return Peek(_Bounded(_Decompressed(packed, kind), packed))


class Ahead:
    """A stream read by a thread, a few blocks ahead: unpacking then costs no time of ours."""

    def __init__(self, stream: Readable) -> None:
        """Begin to read."""
        self.blocks: queue.Queue[bytes | BaseException] = queue.Queue(maxsize=8)
        self.left, self.stopped = b"", threading.Event()
        self.thread = threading.Thread(target=self._fill, args=(stream,), daemon=True)
        self.thread.start()

    def _fill(self, stream: Readable) -> None:
        block: bytes | BaseException = b"begin"
        while block and isinstance(block, bytes) and not self.stopped.is_set():
            try:
                block = stream.read(BLOCK)
            except BaseException as error:  # noqa: BLE001  handed over, and raised where the stream is read
                block = error
            self._put(block)

    def _put(self, block: bytes | BaseException) -> None:
        while not self.stopped.is_set():
            with contextlib.suppress(queue.Full):
                self.blocks.put(block, timeout=0.2)
                return

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, as many as are at hand."""
        if not self.left:
            block = self.blocks.get()
            if isinstance(block, BaseException) or not block:
                self.blocks.put(block)  # the end stays the end
                if isinstance(block, BaseException):
                    raise block
            self.left = block
        size = len(self.left) if size < 0 else size
        data, self.left = self.left[:size], self.left[size:]
        return data

    def close(self) -> None:
        """Stop reading ahead."""
        self.stopped.set()
        self.thread.join()


_LABEL = re.compile(r"""(<\?xml[^>]{0,60}encoding\s?=\s?["'])utf-16(?:le|be)?""", re.IGNORECASE)


class _Recoded:
    """UTF-16 as UTF-8."""

    def __init__(self, stream: Readable, code: str) -> None:
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder(code)("replace")

    def read(self, size: int = -1) -> bytes:
        while data := self.stream.read(BLOCK if size < 0 else size):
            if text := self.decoder.decode(data):
                return _LABEL.sub(r"\1utf-8", text).encode()
        return self.decoder.decode(b"", final=True).encode()


def recoded(stream: Peek) -> Peek:
    """Return a text in UTF-16, with its mark or without, as UTF-8; all else as it is.

    >>> import io
    >>> recoded(Peek(io.BytesIO("1. A pump.".encode("utf-16")))).read()
    b'1. A pump.'
    """
    head = stream.peek(400)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Peek(_Recoded(stream, "utf-16"))
    for code, high in (("utf-16-le", 1), ("utf-16-be", 0)):
        # Latin letters have a zero in every other byte, and there only.
        zeros, others = head[high::2].count(0), head[1 - high :: 2].count(0)
        if len(head) >= 8 and zeros > 0.8 * (len(head) // 2) and not others:
            return Peek(_Recoded(stream, code))
    return stream


def within(stream: Readable, packed: int) -> Peek:
    """Bound a stream whose packed size is known."""
    return Peek(_Bounded(stream, packed))

"""Files that are whole or absent, and have one writer at a time.

In:   a path and what should stand there.
Out:  the file, under its name only once it is complete; what it holds, or which file is damaged.
Why:  a killed run must never leave half a result that looks like a whole one, and two runs must
      never mix their results."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from phage.errors import PhageError
from phage.locks import alone, partial_of, sweep, writing

__all__ = [
    "alone", "atomic", "atomic_folder", "picture_ending", "read_json", "read_text", "readable",
    "settle", "sha256", "source", "write_json", "write_lines", "write_text", "writing",
]  # fmt: skip

PICTURES = ("png", "svg", "pdf")
"""What figures can be saved as."""
STDIN = Path("/dev/stdin")
"""Standard input as a file; absent on Windows."""
SMALL = 64 << 20
"""Bytes that a settings file may have."""


@contextlib.contextmanager
def atomic(path: Path | str) -> Iterator[Path]:
    """Return a temporary name beside ``path``; rename it into place when the block succeeds."""
    path = Path(path)
    with _beside(path) as partial:
        try:
            yield partial
            settle(partial)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Return a temporary folder beside ``path``, which the block moves into place."""
    with _beside(Path(path)) as partial:
        try:
            shutil.rmtree(partial, ignore_errors=True)
            yield partial
        finally:
            shutil.rmtree(partial, ignore_errors=True)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Lock an output, clear away what killed runs left beside it, and give a temporary name."""
    with writing(path), alone(path) as locked:
        if locked:
            sweep(path.parent)
        yield partial_of(path)


def settle(path: Path) -> None:
    """Make a file durable and give it the rights of any new file, before it becomes visible.

    A crash after the rename must not show an empty file; and safetensors writes files that only
    their owner may read, which no server run by another user could serve.
    """
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
    # Windows flushes only what it may write; elsewhere a mask may forbid its owner to write
    with path.open("rb" if os.name == "posix" else "r+b") as written:
        os.fsync(written.fileno())


def picture_ending(path: Path | str) -> str:
    """Return the format that a picture's name asks for; without an ending it is png.

    >>> picture_ending("bias.SVG"), picture_ending("bias")
    ('svg', 'png')
    """
    ending = Path(path).suffix.lstrip(".").lower() or "png"
    if ending not in PICTURES:
        raise PhageError(
            f"cannot draw a .{ending} file", place=str(path), remedy=f"use {', '.join(PICTURES)}"
        )
    return ending


def write_text(path: Path | str, text: str) -> None:
    """Write a text file atomically, as UTF-8."""
    with atomic(path) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path | str, value: Any) -> None:  # noqa: ANN401  (whatever JSON can hold)
    """Write a JSON file atomically, indented, with a final line break."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_lines(path: Path | str, rows: Iterable[Any]) -> int:
    """Write JSON lines atomically; return how many."""
    count = 0
    with atomic(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


@contextlib.contextmanager
def readable(path: Path | str, remedy: str = "") -> Iterator[None]:
    """Name the file that a parser could not make sense of, and how to repair it.

    >>> with readable("notes.txt"): json.loads("once upon a time")
    Traceback (most recent call last):
      ...
    phage.errors.PhageError: damaged, or not a file of this kind: Expecting value: line 1 column 1 (char 0)
      where: notes.txt
    """
    try:
        yield
    except (
        ValueError,
        RecursionError,
        SafetensorError,
    ) as error:  # JSON, Arrow, Unicode: the first
        raise PhageError(
            f"damaged, or not a file of this kind: {error}", place=str(path), remedy=remedy
        ) from error


def source(given: Path | str) -> Path:
    """Return the path of something to read; "-" is standard input.

    >>> source("week.xml").name, source("-").name
    ('week.xml', 'stdin')
    """
    if str(given) != "-":
        return Path(given)
    if not STDIN.exists():
        raise PhageError(
            "this system has no file for standard input", remedy="save the input to a file"
        )
    return STDIN


def read_json(path: Path | str, remedy: str = "") -> Any:  # noqa: ANN401  (whatever JSON can hold)
    """Read a JSON file that a user named or a folder holds."""
    with readable(path, remedy):
        return json.loads(read_text(path))


def read_text(path: Path | str, encoding: str = "utf-8", limit: int = SMALL) -> str:
    """Read a settings file: a regular file of a sensible size, not a device or a pipe.

    >>> read_text("/dev/zero")
    Traceback (most recent call last):
      ...
    phage.errors.PhageError: this is not a regular file
      where: /dev/zero
      remedy: give the path of a text file
    """
    path = Path(path)
    mode = path.stat().st_mode  # before it is opened: opening a pipe waits for its other end
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise PhageError(
            "this is not a regular file", place=str(path), remedy="give the path of a text file"
        )
    with path.open("rb") as stream:
        found = stream.read(limit + 1)
    if len(found) > limit:
        raise PhageError(
            f"this file is larger than {limit >> 20} MB, too large for settings",
            place=str(path),
            remedy="give the path of a text file",
        )
    return found.decode(encoding)


def sha256(path: Path | str) -> str:
    """Hash a file's bytes, for provenance.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as f: sha256(f.name)[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    with Path(path).open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()

"""The one exception a user is meant to read.

In:   what is wrong, where, and what would be right.
Out:  a message without a traceback; the command line prints it and exits with ``code``.
Why:  a patent data scientist should never have to read our stack trace to repair her file."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeVar

Word = TypeVar("Word", bound=StrEnum)


class PhageError(Exception):
    """An error that the user can fix; it names the place and the remedy.

    >>> print(PhageError("no claims", place="draft.txt, line 3", remedy="number them '1.', '2.'"))
    no claims
      where: draft.txt, line 3
      remedy: number them '1.', '2.'
    """

    code = 2

    def __init__(self, message: str, *, place: str = "", remedy: str = "") -> None:
        """Join the three parts that a good error has."""
        parts = [message]
        if place:
            parts.append(f"  where: {place}")
        if remedy:
            parts.append(f"  remedy: {remedy}")
        super().__init__("\n".join(parts))
        self.message, self.place, self.remedy = message, place, remedy


def chosen(kind: type[Word], word: str) -> Word:
    """Take a word of a closed vocabulary, whatever its letters' case.

    >>> chosen(StrEnum("Section", ["CLAIMS", "TA"]), "TA").value
    'ta'
    """
    for one in kind:
        if one.lower() == str(word).lower():
            return one
    raise PhageError(
        f"unknown {kind.__name__.lower()} '{word}'", remedy=f"use one of {', '.join(kind)}"
    )


GIVE = 'give a Patent: [patent] = phage.read("draft.txt")'
"""Remedy where something else was given."""


_SPOKEN = {
    "str": "text",
    "Path": "a path",
    "PathLike": "a path",
    "Iterable": "a list",
    "NoneType": "None",
}


def given(value: object, kinds: type | tuple[type, ...], remedy: str) -> None:
    """Refuse an argument of another type than a public function takes.

    >>> given(3, (str, dict), "give some words")
    Traceback (most recent call last):
    phage.errors.PhageError: text or a dict is expected here, not int
      remedy: give some words
    """
    if not isinstance(value, kinds):
        names = [kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
        wanted = " or ".join(_SPOKEN.get(name, f"a {name}") for name in names)
        found = "None" if value is None else type(value).__name__
        raise PhageError(f"{wanted} is expected here, not {found}", remedy=remedy)


@contextlib.contextmanager
def placed(*places: str) -> Iterator[None]:
    """Add the place to an error that lacks one, because the code that raised it did not know it.

    >>> with placed("mine.toml"):
    ...     raise PhageError("there is no batch")
    Traceback (most recent call last):
    phage.errors.PhageError: there is no batch
      where: mine.toml
    """
    try:
        yield
    except PhageError as error:
        if error.place or not places or any(place in error.message for place in places):
            raise
        place = ", ".join(places)
        raise PhageError(error.message, place=place, remedy=error.remedy) from None


_OUTSIDE = {
    "No space left on device": "free some room, or write to another disk",
    "Disk quota exceeded": "free some room, or write to another disk",
    "File too large": "raise the limit on file sizes, or write to another disk",
    "Read-only file system": "write to another disk",
    "Input/output error": "check the disk",
    "Too many open files": "raise the limit: ulimit -n 4096",
    "Cannot allocate memory": "free some memory, or take smaller batches",
    "out of memory": "free some memory, or take smaller batches",
}
"""Message of the operating system → remedy. Libraries raise it as exceptions of their own."""


def outside(error: BaseException | None) -> PhageError | None:
    """Find the error that the user can fix behind a library's exception; None if it is our bug.

    >>> print(outside(RuntimeError("LanceError(IO): No space left on device (os error 28)")))
    No space left on device
      where: LanceError(IO): No space left on device (os error 28)
      remedy: free some room, or write to another disk
    >>> outside(RuntimeError("list index out of range")) is None
    True
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, MemoryError):
            return PhageError("out of memory", remedy=_OUTSIDE["out of memory"])
        if isinstance(error, pickle.UnpicklingError):
            return PhageError(
                "a file holds pickled objects, which could run a stranger's code",
                remedy="use weights in .safetensors, arrays in .npy or .npz",
            )
        for said, remedy in _OUTSIDE.items():
            if said in str(error):
                place = " ".join(str(error).split())[:200]  # a library's message often has the path
                return PhageError(said, place=place, remedy=remedy)
        error = error.__cause__ or error.__context__
    return None

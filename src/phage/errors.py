"""The one exception a user is meant to read.

In:   what is wrong, where, and what would be right.
Out:  a message without a traceback; the command line prints it and exits with ``code``.
Why:  a patent data scientist should never have to read our stack to mend her file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeVar

Word = TypeVar("Word", bound=StrEnum)


class PhageError(Exception):
    """Something the user can mend: names the place and the remedy.

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
    """Take a word of a closed vocabulary, in small or capital letters.

    >>> chosen(StrEnum("Section", ["CLAIMS", "TA"]), "TA").value
    'ta'
    """
    try:
        return kind(str(word).lower())
    except ValueError:
        raise PhageError(
            f"no {kind.__name__.lower()} '{word}'", remedy=f"one of {', '.join(kind)}"
        ) from None


@contextlib.contextmanager
def placed(*places: str) -> Iterator[None]:
    """Name the place in an error that names none: whoever found it saw only what was there.

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

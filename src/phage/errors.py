"""The one exception a user is meant to read.

In:   what is wrong, where, and what would be right.
Out:  a message without a traceback; the command line prints it and exits with ``code``.
Why:  a patent data scientist should never have to read our stack to mend her file."""

from __future__ import annotations


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

"""What a caller gives → the texts that a model reads.

In:   texts, patents or both: a list, an array, a stream.
Out:  a sequence, and the text of each of its items.
Why:  a single text in place of a list, or half a character in a patent, is said or mended here; it
      must become neither a wrong vector nor an error of the tokenizer. What was cut is told to
      whoever asks, and to nobody else who runs at the same time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from phage.claims.normal import sound
from phage.claims.text import Section, section_text
from phage.claims.types import Patent
from phage.errors import PhageError

Advance = Callable[[int], None]
"""Takes how many texts, or windows, were just done; what it raises ends the encoding."""
OnCut = Callable[[int], None]
"""Takes how many texts, or claims, were longer than the window."""


def listed(items: Iterable[Any]) -> Sequence[Any]:
    """Give something with a length and places; one text alone would be taken for its letters.

    >>> listed(word for word in ("pump", "shaft"))
    ['pump', 'shaft']
    """
    if isinstance(items, str | bytes | Patent):
        raise PhageError(
            f"one {type(items).__name__} was given where several are expected",
            remedy="put it into a list: encode([text])",
        )
    return items if isinstance(items, list | tuple) else list(items)


def spelled(item: object, section: Section) -> str:
    """Give the text of an item; a patent whose section is empty is named."""
    if isinstance(item, str):
        return sound(item)
    if not isinstance(item, Patent):
        raise PhageError(
            f"a {type(item).__name__} is neither a text nor a patent", remedy="give str or Patent"
        )
    text = section_text(item, section)
    if not text:
        raise PhageError(
            f"{item.number} has nothing to encode: section '{section}' is empty",
            remedy="leave it out, or choose another section (claims, ta, tac, full)",
        )
    return sound(text)


def checked_claims(patents: Sequence[Any]) -> Sequence[Patent]:
    """Refuse what has no claims: another thing than a patent, or a patent without any."""
    for patent in patents:
        if not isinstance(patent, Patent):
            raise PhageError(
                f"a {type(patent).__name__} has no claims", remedy="give Patent(number, claims)"
            )
        if not patent.claims:
            raise PhageError(
                f"{patent.number} has no claims", remedy="leave it out, or encode section='ta'"
            )
    return patents


def tell(cut: int, said: str, on_cut: OnCut | None) -> None:
    """Hand on how many were cut; where nobody asks, warn the caller's caller of any."""
    if on_cut is not None:
        on_cut(cut)
    elif cut:
        warnings.warn(said, stacklevel=3)


def unsaid(_: int) -> None:
    """Take the count and say nothing: for callers to whom a cut text is the rule."""

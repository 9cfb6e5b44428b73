"""What a caller gives → the texts that a model reads.

In:   texts, patents or both: a list, an array, a stream.
Out:  a sequence, and the passages of each of its items.
Why:  a single string instead of a list is rejected here, before it becomes a wrong vector. What
      was cut is reported to the caller who asks, and to nobody else who runs at the same time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from phage.claims.text import Passage, Section, passages
from phage.claims.types import Patent
from phage.errors import PhageError, given

Advance = Callable[[int], None]
"""Takes how many texts, or windows, were just done; what it raises ends the encoding."""
OnCut = Callable[[int], None]
"""Takes how many texts, or claims, were longer than the window."""


REMEDY = "give a list of texts or patents: encode([text])"


def several(items: Iterable[Any]) -> Iterable[Any]:
    """Refuse one text alone, which would be taken for its letters, and what holds no texts."""
    if isinstance(items, str | bytes | Patent | Mapping):
        raise PhageError(
            f"one {type(items).__name__} was given where several are expected",
            remedy=REMEDY,
        )
    given(items, Iterable, REMEDY)
    return items


def listed(items: Iterable[Any]) -> Sequence[Any]:
    """Return something with a length and places.

    >>> listed(word for word in ("pump", "shaft"))
    ['pump', 'shaft']
    """
    several(items)
    return items if isinstance(items, list | tuple) else list(items)


def item_passages(
    item: object, section: Section, prompt: str = "", *, as_claim: bool = False
) -> list[Passage]:
    """Return the texts of an item; a patent whose section is empty is named.

    With ``as_claim`` a plain text counts as one claim.
    """
    if isinstance(item, str):
        text, lead = prompt + item, len(prompt)
        return [Passage(text, (lead,) if as_claim else (), len(text), lead)]
    if not isinstance(item, Patent):
        raise PhageError(
            f"a {type(item).__name__} is neither a text nor a patent", remedy="give str or Patent"
        )
    found = passages(item, section, prompt)
    if not found:
        raise PhageError(
            f"{item.number} has nothing to encode: section '{section}' is empty",
            remedy=f"leave it out, or choose another section ({', '.join(Section)})",
        )
    return found


def report_cut(cut: int, message: str, on_cut: OnCut | None) -> None:
    """Report how many were cut: to ``on_cut`` where it is given, else as a warning if any were."""
    if on_cut is not None:
        on_cut(cut)
    elif cut:
        warnings.warn(message, stacklevel=3)


def unsaid(_: int) -> None:
    """Ignore the count: for callers who expect texts to be cut."""

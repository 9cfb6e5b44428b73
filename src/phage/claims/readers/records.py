"""One record of a table, with checked types.

In:   a row as JSON or Parquet gave it: any value under any key.
Out:  texts, lists, days and claim numbers of the right type; a note for each value that was
      changed or left out.
Why:  one mistyped value among a million records must not cost the file, and must not pass unseen.
      All readers of rows take their values from here, so none needs checks of its own."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phage.claims import normal
from phage.claims.numbering import LARGEST

_SHOWN = 40
"""Characters of a wrong value that a note repeats."""
_NOTES = 20
"""Notes kept for one record; the others are counted."""
_WHOLE = 1e15
"""Whole numbers from here on are not exact as floats, and are not anybody's number."""


@dataclass(frozen=True, slots=True)
class Flawed:
    """A cell without a usable value: ``#N/A``, or a formula that nothing has computed yet."""

    said: str

    def __str__(self) -> str:
        """Return what the cell shows."""
        return self.said


class Record:
    """A row, and what had to be changed in it."""

    __slots__ = ("labels", "losses", "repairs", "row")

    def __init__(self, row: Mapping[str, Any], labels: Mapping[str, str] | None = None) -> None:
        """Begin without notes; ``labels`` are the table's own names of the keys."""
        self.row = row
        self.labels = labels or {}
        self.repairs: list[str] = []
        self.losses: list[str] = []

    def named(self, key: str) -> str:
        """Name a value as the user's table does."""
        return f"column '{self.labels[key]}':" if key in self.labels else key

    def repaired(self, note: str) -> None:
        """Note a value that was changed to the right type."""
        self.repairs.append(note)

    def lost(self, note: str) -> None:
        """Note a value that was left out."""
        self.losses.append(note)

    @property
    def flaws(self) -> str:
        """Sum the notes up in one line; empty where all was in order."""
        parts = []
        for head, notes in (("left out", self.losses), ("changed", self.repairs)):
            more = [f"{len(notes) - _NOTES:,} more"] if len(notes) > _NOTES else []
            if notes:
                parts.append(f"{head}: {', '.join([*notes[:_NOTES], *more])}")
        return "; ".join(parts)

    def text(self, *keys: str, prose: bool = False) -> str:
        """Return the first of these keys that has a value, as a text.

        ``prose`` may come as a list of its paragraphs.
        """
        for key in keys:
            value = self.row.get(key)
            if type(value) is str:
                if value:
                    return value
            elif not missing(value) and (found := self.as_text(key, value, prose)):
                return found
        return ""

    def as_text(self, name: str, value: Any, prose: bool = False) -> str:  # noqa: ANN401
        """Take one value as a text: numbers as their digits, a list of one as its item."""
        found = _text(value, prose)
        if found is None:
            self.lost(f"{self.named(name)} is {shown(value)}, not a text")
            return ""
        if not isinstance(value, str):
            self.repaired(f"{self.named(name)} {shown(value)} taken as the text {shown(found)}")
        return found

    def document(self, given: str) -> str:
        """Return a publication number in normal form; a program may have made a decimal of it."""
        if decimal := re.fullmatch(r"\s*(\d+)\.0+\s*", given):
            self.repaired(f"{self.named('number')} {shown(given)} taken as {shown(decimal[1])}")
        return normal.whole_number(decimal[1] if decimal else given)

    def items(self, key: str) -> Sequence[Any]:
        """Return a list; a single value is taken as a list of one."""
        value = self.row.get(key)
        if isinstance(value, (list, tuple)):
            return value
        if missing(value):
            return ()
        self.repaired(f"{self.named(key)} {shown(value)} taken as a list of one")
        return (value,)

    def texts(self, key: str) -> Iterator[str]:
        """Yield a list of texts; items of other types are left out."""
        for item in self.items(key):
            if isinstance(item, str):
                yield item
            else:
                self.lost(f"{self.named(key)} {shown(item)} is not a text")

    def names(self, *keys: str) -> Iterator[str]:
        """Yield the names under the first of these keys that has any; one name may stand alone."""
        for key in keys:
            value = self.row.get(key)
            if not missing(value):
                yield from [value] if isinstance(value, str) else self.texts(key)
                return

    def symbols(self, key: str) -> tuple[str, ...]:
        """Return IPC or CPC symbols; one text may hold several, between ``;`` or ``,``."""
        found: dict[str, None] = {}
        for item in self.texts(key):
            for symbol in item.replace(";", ",").replace("|", ",").split(","):
                if normal_form := normal.classification(symbol):
                    found[normal_form] = None
                elif symbol.strip():
                    self.lost(
                        f"{self.named(key)} {shown(symbol.strip())} is not a classification symbol"
                    )
        return tuple(found)

    def date(self, *keys: str, numbers: bool = False) -> str:
        """Return a day; ``numbers`` says that 20140107 is this source's own way to write one."""
        for key in keys:
            value = self.row.get(key)
            if missing(value) or (numbers and value == 0):
                continue
            known = (str, datetime.date, int) if numbers else (str, datetime.date)
            text = value if isinstance(value, str) else _text(value, prose=False) or str(value)
            if found := normal.date(text):
                if not isinstance(value, known) or isinstance(value, bool):
                    self.repaired(f"{self.named(key)} {shown(value)} taken as {found}")
                return found
            self.lost(f"{self.named(key)} {shown(value)} is not a date")
        return ""

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return a list of claim numbers."""
        return self.as_numbers(key, self.items(key))

    def as_numbers(self, name: str, values: Sequence[Any]) -> tuple[int, ...]:
        """Take each value as a claim number; what cannot be one is left out."""
        found = [self.as_number(name, value) for value in values]
        return tuple(number for number in found if number)

    def as_number(self, name: str, value: Any) -> int:  # noqa: ANN401
        """Take one value as a claim number; 0 where it cannot be one."""
        number = claim_number(value)
        if number and type(value) is int:
            return number
        if number:
            self.repaired(f"{self.named(name)} {shown(value)} taken as {number}")
        else:
            self.lost(f"{self.named(name)} {shown(value)} is not a claim number")
        return number

    def as_span(self, name: str, value: Any) -> tuple[int, int] | None:  # noqa: ANN401
        """Take one value as a pair of places in a text; None where it cannot be one."""
        if value is None:
            return None
        if isinstance(value, (list, tuple)) and len(value) == 2:
            begin, end = value
            if type(begin) is int and type(end) is int and 0 <= begin <= end < 2**63:
                return begin, end
        self.lost(f"{name} {shown(value)} is not a span")
        return None


def claim_number(value: Any) -> int:  # noqa: ANN401
    """Return the claim number that a value stands for; 0 where it cannot be one.

    >>> [claim_number(value) for value in (7, "7", 7.0, "7.", True, 2**31, -1, 0.5, "seven", [7])]
    [7, 7, 7, 7, 0, 0, 0, 0, 0, 7]
    """
    if type(value) is int:
        return value if 0 < value <= LARGEST else 0
    digits = (_text(value, prose=False) or "").strip().rstrip(".")
    number = int(digits) if digits.isdecimal() and len(digits) <= len(str(LARGEST)) else 0
    return number if number <= LARGEST else 0


def missing(value: Any) -> bool:  # noqa: ANN401
    """Return whether a value stands for nothing: null, NaN, an empty text or list.

    >>> [missing(value) for value in (None, float("nan"), "", [], 0, False)]
    [True, True, True, True, False, False]
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    return isinstance(value, (str, bytes, list, tuple, Mapping)) and not value


def not_a_row(value: Any) -> str:  # noqa: ANN401
    """Say that a row of a table is not an object.

    >>> not_a_row("A pump.")
    "not a patent: a row is 'A pump.', not an object"
    """
    return f"not a patent: a row is {shown(value)}, not an object"


def shown(value: Any) -> str:  # noqa: ANN401
    """Describe a value for a note, briefly even if it is large or deep.

    >>> shown("x" * 50)[-5:], shown(True), shown([1, 2]), shown({"a": 1}), shown(2**31)
    ("xxx…'", 'true', 'a list of 2', 'an object', '2147483648')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else f"{value[: _SHOWN - 1]}…")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, Flawed)):
        return str(value)[:_SHOWN]
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value):,}"
    if isinstance(value, Mapping):
        return "an object"
    return "null" if value is None else f"of type {type(value).__name__}"


def _text(value: Any, prose: bool) -> str | None:  # noqa: ANN401
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and value:
        several = prose and all(isinstance(item, str) for item in value)
        return " ".join(value) if several else _text(value[0], prose) if len(value) == 1 else None
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < _WHOLE:
        return None
    return str(int(value)) if value == int(value) else str(value)

"""Words of a search box → a condition the index understands.

In:   ``H-bridge inverter ipc:H02M date:2014..2016 office:US lang:en``.
Out:  the free words, and an SQL condition made only of checked values.
Why:  what a user types is never pasted into a query; each filter's value has a closed form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from phage.errors import PhageError

_WORD = re.compile(r"(?<!\S)([a-z]+):(\S+)")
MOST = 20
"""Filters of one query."""
_DATE = r"\d{4}(?:-\d{2}(?:-\d{2})?)?"


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that every hit meets."""

    condition: str = ""
    """SQL, empty for none."""
    text: str = ""
    """As the user wrote them."""


def parse(words: str) -> tuple[str, Filters]:
    """Split a query into free words and filters.

    >>> parse("a pump ipc:F04B")[0]
    'a pump'
    >>> parse("ipc:F04B date:2014..")[1].condition
    "(classes LIKE '%|F04B%') AND (publication_date >= '2014')"
    """
    conditions: list[str] = []
    kept: list[str] = []

    def take(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in _MAKERS:
            return found[0]  # "ratio:3" is just a word of the text
        if len(kept) == MOST:
            raise PhageError(f"more than {MOST} filters in one query", remedy="leave some out")
        conditions.append(f"({_MAKERS[name](value)})")
        kept.append(found[0])
        return ""

    free = " ".join(_WORD.sub(take, words).split())
    return free, Filters(" AND ".join(conditions), " ".join(kept))


def _classes(value: str) -> str:
    code = value.upper().replace("_", " ")
    if not re.fullmatch(r"[A-HY](\d{2}([A-Z]( ?\d{1,4}(/\d{0,6})?)?)?)?", code):
        raise _wrong("ipc", value, "ipc:H, ipc:H02, ipc:H02M or ipc:H02M7/493")
    code = re.sub(r"^([A-Z]\d{2}[A-Z])(?=\d)", r"\1 ", code)
    return f"classes LIKE '%|{code}%'"


def _date(value: str) -> str:
    found = re.fullmatch(rf"({_DATE})?(\.\.)?({_DATE})?", value)
    if not found or not (found[1] or found[3]):
        raise _wrong("date", value, "date:2014, date:2014.., date:..2014-06 or date:2014..2016")
    since, until = found[1], found[3] if found[2] else found[1]
    parts = [f"publication_date >= '{since}'"] if since else []
    # '~' sorts behind every digit, so that ..2016 takes in all of 2016
    parts += [f"publication_date <= '{until}~'"] if until else []
    return " AND ".join(parts)


@dataclass(frozen=True, slots=True)
class _Code:
    """A filter on a column that holds a two-letter code."""

    column: str
    example: str

    def __call__(self, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z]{2}", value):
            raise _wrong(self.example.split(":")[0], value, self.example)
        code = value.upper() if self.column == "office" else value.lower()
        return f"{self.column} = '{code}'"


def _family(value: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,64}", value):
        raise _wrong("family", value, "family:12345678")
    return f"family = '{value}'"


_MAKERS: dict[str, Callable[[str], str]] = {
    "ipc": _classes,
    "cpc": _classes,
    "date": _date,
    "office": _Code("office", "office:US"),
    "lang": _Code("language", "lang:en"),
    "family": _family,
}
"""Filter → how its value becomes a condition."""


def _wrong(name: str, value: str, right: str) -> PhageError:
    return PhageError(f"the filter {name}:{value} cannot be read", remedy=f"write {right}")

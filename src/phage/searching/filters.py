"""The words of a search box → free words, phrases, and a condition that the index understands.

In:   ``H-bridge "half bridge" ipc:H02M assignee:"General Electric" date:2014..2016``.
Out:  the free words, the phrases, and an SQL condition made only of checked values.
Why:  user input is never pasted into SQL; each field accepts only values of a fixed form."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from phage.claims.normal import fold, shortened
from phage.errors import PhageError

_FIELD = re.compile(
    r"(?<!\S)(?P<sign>(?:(?:AND|OR|NOT)\s+)*[-!]?)(?P<name>[A-Za-z]+):"
    r'(?P<value>"[^"]*"|[A-Ha-hYy]\d\d[A-Za-z] \d{1,4}/\d{2,6}(?!\S)|[^\s"]+)'
    r"(?P<after>\s+(?:AND|OR)(?!\S))?"
)
"""A field between its operators; in a classification symbol, a blank is printed."""
_EMPTY = re.compile(r"(?<!\S)([A-Za-z]+):(?!\S)")
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"'))
_PHRASE = re.compile(r'(?<!\S)"([^"]+)"(?!\S)')
MOST = 20
"""The most fields and phrases in one query."""
SHORT = 40
"""In a query of up to this many words an unknown field is a mistake; in a longer text a colon is
just a colon."""
BRIEF = 8
"""In a query of up to this many words, a field's name and a colon alone are a mistake, too."""
_DATE = r"\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?"


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that every hit meets."""

    condition: str = ""
    """SQL; empty if there are none."""
    text: str = ""
    """As the user wrote them."""
    phrases: tuple[str, ...] = ()
    """Words that a hit must contain in this order, side by side, in lower case."""


def parse(words: str) -> tuple[str, Filters]:
    """Split a query into free words and filters; the words of a phrase are searched for, too.

    >>> parse('a "float valve" ipc:F04B')[0]
    'a float valve'
    >>> parse("ipc:F04B date:2014..")[1].condition
    "(ipc_line LIKE '%|F04B%') AND (publication_date >= '2014')"
    >>> parse('assignee:"Acme, Inc." inventor:doe')[1].condition
    "(assignee_line LIKE '% acme inc%') AND (inventor_line LIKE '% doe%')"
    >>> parse("pump -office:EP NOT ipc:F04D 29/10")
    ('pump', Filters(condition="(NOT (office = 'EP')) AND (NOT (ipc_line LIKE '%|F04D 29/10%'))", \
text='-office:EP NOT ipc:F04D 29/10', phrases=()))
    """
    conditions: list[str] = []
    kept: list[str] = []
    phrases: list[str] = []
    short = len(words.split()) <= SHORT
    words = words.translate(_QUOTES) if short else words

    def room(found: re.Match[str]) -> None:
        kept.append(found[0].strip())
        if len(kept) > MOST:
            raise PhageError(f"more than {MOST} fields in one query", remedy="leave some out")

    def take_field(found: re.Match[str]) -> str:
        name, value = found["name"].lower(), fold(found["value"].strip('"'))
        if name not in _MAKERS:
            if short and not value.startswith("//"):
                raise PhageError(
                    f"unknown field '{name}:'",
                    remedy=f"use {', '.join(f'{known}:' for known in _MAKERS)}; "
                    f'or put the words into quotes: "{found[0]}"',
                )
            return found[0]
        _no_choice(found)
        room(found)
        condition = _MAKERS[name](value)
        without = found["sign"].strip().removeprefix("AND")
        conditions.append(f"(NOT ({condition}))" if without else f"({condition})")
        return " "

    def take_phrase(found: re.Match[str]) -> str:
        if not short:
            return found[0]
        room(found)
        phrases.append(fold(found[1]).lower())
        return f" {found[1]} "

    quoted = [m.span() for m in _PHRASE.finditer(words)] if short else []

    def outside(found: re.Match[str]) -> str:
        inside = any(start < found.start() < end for start, end in quoted)
        return found[0] if inside else take_field(found)  # a quoted colon belongs to its phrase

    held = _FIELD.sub(outside, words)
    _no_name_alone(held)
    free = _PHRASE.sub(take_phrase, held)
    if kept:
        free = fold(free)
    return free.strip(), Filters(" AND ".join(conditions), " ".join(kept), tuple(phrases))


def _no_choice(found: re.Match[str]) -> None:
    if "OR" in f"{found['sign']} {found['after'] or ''}".split():
        raise PhageError(
            f"OR beside {found['name']}:{found['value']} is not understood: a hit meets every field",
            remedy="search once for each",
        )


def _no_name_alone(held: str) -> None:
    brief = len(held.split()) <= BRIEF
    for found in _EMPTY.finditer(_PHRASE.sub(" ", held)):
        if brief and (name := found[1].lower()) in _MAKERS:
            raise PhageError(
                f"{name}: has no value", remedy=f"write it right after the colon: {name}:…"
            )


def restriction(words: str) -> Filters:
    """Read fields and phrases given beside a query; other words would be passed over.

    >>> restriction('ipc:F04B "float valve"').phrases
    ('float valve',)
    """
    free, filters = parse(words)
    if len(free.split()) > sum(len(phrase.split()) for phrase in filters.phrases):
        raise PhageError(
            f"the filter '{shortened(words, 60)}' holds words without a field",
            remedy="write fields, such as ipc:H02M date:2014.., and put words into the query",
        )
    return filters


@dataclass(frozen=True, slots=True)
class _Classes:
    """A field of classification symbols."""

    name: str

    def __call__(self, value: str) -> str:
        code = value.upper().replace("_", " ")
        if not re.fullmatch(r"[A-HY](\d{2}([A-Z]( ?\d{1,4}(/\d{0,6})?)?)?)?", code):
            right = " or ".join(f"{self.name}:{one}" for one in ("H02M", "H02M7/493"))
            raise _wrong(self.name, value, right)
        code = re.sub(r"^([A-Z]\d{2}[A-Z])(?=\d)", r"\1 ", code)
        return f"{self.name}_line LIKE '%|{code}%'"


def _date(value: str) -> str:
    found = re.fullmatch(rf"(?P<on>{_DATE})|(?P<since>{_DATE})?\.\.(?P<until>{_DATE})?", value)
    since, until = (
        (found["on"] or found["since"], found["on"] or found["until"]) if found else ("", "")
    )
    if not (since or until) or (since and until and since > f"{until}~"):
        raise _wrong("date", value, "date:2014, date:2014.., date:..2014-06 or date:2014..2016")
    parts = [f"publication_date >= '{since}'"] if since else []
    # '~' sorts behind every digit, so that ..2016 takes in all of 2016
    parts += [f"publication_date <= '{until}~'"] if until else []
    return " AND ".join(parts)


@dataclass(frozen=True, slots=True)
class _Code:
    """A field that holds a two-letter code."""

    column: str
    example: str

    def __call__(self, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z]{2}", value):
            raise _wrong(self.column, value, self.example)
        code = value.upper() if self.column == "office" else value.lower()
        return f"{self.column} = '{code}'"


@dataclass(frozen=True, slots=True)
class _Name:
    """A field of names: the words of one name, the last of which may be shortened."""

    name: str

    def __call__(self, value: str) -> str:
        words = name_words(value)
        if not words:
            raise _wrong(self.name, value, f'{self.name}:acme or {self.name}:"General Electric"')
        return f"{self.name}_line LIKE '% {words}%'"


def name_words(name: str) -> str:
    """Normalise a name so that its spellings match: letters and digits, in lower case.

    >>> name_words("O'Neil & Sons, Inc.")
    'o neil sons inc'
    """
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


def _family(value: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,64}", value):
        raise _wrong("family", value, "family:12345678")
    return f"family = '{value}'"


_MAKERS: dict[str, Callable[[str], str]] = {
    "ipc": _Classes("ipc"),
    "cpc": _Classes("cpc"),
    "assignee": _Name("assignee"),
    "inventor": _Name("inventor"),
    "date": _date,
    "office": _Code("office", "office:US"),
    "language": _Code("language", "language:en"),
    "family": _family,
}
"""Field → how its value becomes a condition."""


def _wrong(name: str, value: str, right: str) -> PhageError:
    return PhageError(f"the value of {name}:{value} cannot be read", remedy=f"write {right}")

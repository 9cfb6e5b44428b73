"""What a rule is given and what it gives back.

In:   a LegalReading, and the office whose law is asked for.
Out:  Findings without severity, office and source: the rule book adds those.
Why:  a rule says what it saw; how heavy that is belongs to the law, not to the code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from phage.checking.reading import LegalReading
from phage.checking.types import Office, Place, Severity, Step
from phage.claims.normal import fold
from phage.language import language_of
from phage.language.subjects import OPENING


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw."""

    rule: str
    place: Place
    message: str
    suggestion: str = ""
    related: tuple[Place, ...] = ()
    severity: Severity | None = None
    """Where it differs from that of the rule book."""
    match: Step | None = None
    term: str = ""
    strict: bool = False
    """Reported with ``strict`` only."""


_AN = re.compile(
    r"(?!uni(?!n|m|dent)|us[aeu]|ut[ei]|ur[aei]|ubiq|eu|on[ce]e?\b|u(?:sb|[eiv])?\b)[aeiou]"
    r"|hour|hono|heir|8|[fhlmnrsx][^aeiouy\W]*\b",  # an lcd, an x-ray
    re.IGNORECASE,
)
"""The start of a word that takes "an"."""
_SPELLED = re.compile(r"([A-Z])(?:[A-Z]|(?=\d|-)|s\b|$)")
_SPOKEN = re.compile(
    r"(?:LAN|LASER|LIDAR|MAC|MAN|MEMS|MIDI|MIMO|MOS|NAND|NAS|NOR|RADAR|RAID|RAM|RISC|ROM|SAN|SCADA|SIM|"
    r"FIFO|FET|HEPA|SIP|SOAP)"
)
"""Abbreviations that are read as words: a LAN."""


def introducing(term: str) -> str:
    """Put the indefinite article before a term.

    >>> [introducing(term) for term in ("lid", "auxiliary processor", "unit", "uneven edge")]
    ['a lid', 'an auxiliary processor', 'a unit', 'an uneven edge']
    >>> [introducing(term) for term in ("one-way valve", "hour hand", "x-ray tube", "USB port")]
    ['a one-way valve', 'an hour hand', 'an x-ray tube', 'a USB port']
    >>> [introducing(term) for term in ("LED", "UE", "LAN port", "SRAM", "RF signal", "URL")]
    ['an LED', 'a UE', 'a LAN port', 'an SRAM', 'an RF signal', 'a URL']
    """
    spelled = _SPELLED.match(term)
    if spelled and not _SPOKEN.match(term):
        return f"{'an' if spelled[1] in 'AEFHILMNORSX' else 'a'} {term}"
    return f"{'an' if _AN.match(term) else 'a'} {term}"


def printed(term: str, spot: Place) -> str:
    """Return a term with the capital letters that a claim prints.

    >>> printed("led driver", Place(1, 0, 14, "the LED driver"))
    'LED driver'
    """
    at = spot.text.lower().rfind(term)
    return spot.text[at : at + len(term)] if at >= 0 else term


RuleFunction = Callable[[LegalReading, Office], Iterator[Seen]]


def subject(reading: LegalReading, number: int) -> str:
    """Name what a claim is to; empty if unknown."""
    text = reading.claims[number].text
    if len(text) > OPENING:  # some languages name the thing at the end
        text = f"{text[: OPENING - 100]} {text[-100:]}"
    return _subject(reading.language, text)


@lru_cache(maxsize=1024)
def _subject(language: str, text: str) -> str:
    named = language_of(language).subject
    return named(fold(text)) if named else ""


def place(reading: LegalReading, claim: int, start: int, end: int) -> Place:
    """Name a place in a claim."""
    return Place(claim, start, end, reading.claims[claim].text[start:end])


def whole(reading: LegalReading, claim: int) -> Place:
    """Name the first words of a claim, where a finding is about all of it."""
    text = reading.claims[claim].text
    blank = text.find(" ", 40)
    end = blank if 0 < blank < 60 else min(len(text), 60)
    return Place(claim, 0, end, text[:end])

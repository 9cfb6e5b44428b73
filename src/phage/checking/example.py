"""A small claim set for examples: ``found("A pump.", "The pump of claim 1.")``."""

from __future__ import annotations

from phage.checking.run import check
from phage.checking.types import CheckSettings, Office
from phage.claims.types import Claim, Patent

Row = tuple[str, int, str, str]


def found(*texts: str, office: str = "US", language: str = "en", strict: bool = False) -> list[Row]:
    """Return rule, claim, words and severity of every finding in claims numbered from 1.

    >>> found("A pump.")
    []
    """
    claims = tuple(Claim(number, text) for number, text in enumerate(texts, start=1))
    report = check(
        Patent("draft", claims, language=language), CheckSettings(Office(office), strict=strict)
    )
    return [(f.rule, f.claim, f.place.text, str(f.severity)) for f in report.findings]


def numbered(texts: dict[int, str], *more: tuple[int, str]) -> list[Row]:
    """Return the same for claims with numbers of their own.

    >>> numbered({1: "A pump."})
    []
    """
    claims = tuple(Claim(number, text) for number, text in (*texts.items(), *more))
    report = check(Patent("draft", claims))
    return [(f.rule, f.claim, f.place.text, str(f.severity)) for f in report.findings]

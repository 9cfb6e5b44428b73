"""A claim as a list of its elements.

In:   the text of a claim.
Out:  where each element begins and ends: the preamble first, then part by part.
Why:  a claim of three hundred words is compared and discussed element by element."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BODY = re.compile(
    r"\b(?:compris(?:ing|es)|consist(?:ing|s) (?:essentially )?of|includ(?:ing|es)|having"
    r"|characteri[sz]ed (?:in that|by)|the steps of|wherein|umfassend|dadurch gekennzeichnet,? dass"
    r"|comprenant|caractérisée? en ce que)\b[^,;:]{0,40}:|\b(?:comprising|consisting of)\b,?",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"[;；](?:\s*(?:and|or|und|oder|et|ou)\b,?)?\s*|,\s+(?=(?:wherein|whereby|further comprising)\b)"
)


def elements(text: str) -> list[tuple[int, int]]:
    """Cut a claim at its body's opening, at semicolons and before "wherein".

    >>> claim = "A pump, comprising: a housing; and a rotor, wherein the rotor is hollow."
    >>> [claim[a:b] for a, b in elements(claim)]
    ['A pump, comprising:', 'a housing', 'a rotor', 'wherein the rotor is hollow.']
    """
    return [(start, end) for start, end in _cut(text) if end > start]


def _cut(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    if body := _BODY.search(text):
        yield 0, body.end()
        at = body.end()
    for found in _BREAK.finditer(text, at):
        yield _stripped(text, at, found.start())
        at = found.end()
    yield _stripped(text, at, len(text))


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())

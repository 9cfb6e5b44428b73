"""One run of claim text → numbered claims.

In:   "What is claimed is: 1. A pump … 2. The pump of claim 1 …", in any language, on one line
      or many.
Out:  claims with their place in that text, and the numbers printed as cancelled.
Why:  half of the world's claims come as one string, and a wrong cut breaks every later step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from phage.claims.marks import STYLES, Mark, lead_end, marks
from phage.claims.normal import fold
from phage.claims.numbering import is_cancelled
from phage.claims.types import Claim

GAP = 60
"""Claim numbers that may be missing in a row before a jump is not believed."""


SKIP, NEXT = 5.0, 1.0
"""What speaks against leaving numbers out, and for the very next one."""
OPENING = 12
"""Signs that may stand between a known lead and the first number."""
TIMID = {"paren", "line"}
"""Styles that lists inside a claim use, too: believed only where the text opens with them."""
LEADING = 150
"""Characters before the first claim; much more speaks against the whole chain."""


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """What a run of text holds."""

    claims: tuple[Claim, ...] = ()
    cancelled: tuple[int, ...] = ()


_TAG = re.compile(
    r"</?(?:b|i|u|o|em|strong|sub2?|sup2?|span|p|br|div|claim(?:-text|-ref)?|figref|font|smallcaps)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"\s*(?:(?:\*\s*){3,}|\n\s*(?:abstract(?:\s+of\s+the\s+disclosure)?|zusammenfassung|abrégé"
    r"|description|drawings|brief\s+description\s+of[^\n]*|dated\s+this[^\n]*)\s*:?\s*\n.*)\s*\Z",
    re.IGNORECASE | re.DOTALL,
)


def split(text: str) -> tuple[Claim, ...]:
    """Split a run of claim text; a text without numbers is one claim.

    >>> [(c.number, c.text) for c in split("We claim: 1. A pump. 2.The pump of claim 1.")]
    [(1, 'A pump.'), (2, 'The pump of claim 1.')]
    >>> [c.number for c in split("1-3. (canceled) 4. A pump as in FIG. 5. A is its head.")]
    [4]
    """
    return split_set(text).claims


def split_set(text: str) -> ClaimSet:
    """Split a run of claim text, and say which numbers are printed as cancelled."""
    text = text[: found.start()] if (found := _TRAIL.search(text)) else text
    chain = _chain(text)
    if not chain:
        return _single(text)
    claims: list[Claim] = []
    cancelled: list[int] = []
    ends = [mark.start for mark in chain[1:]] + [len(text)]
    for mark, end in zip(chain, ends, strict=True):
        start, end = _trimmed(text, mark.end, end)
        body = fold(_TAG.sub("", text[start:end]))
        if mark.gone:
            cancelled.extend(mark.gone)
        elif is_cancelled(body):
            cancelled.append(mark.first)
        elif body:
            claims.append(Claim(mark.first, body, (start, end)))
    return ClaimSet(tuple(claims), tuple(cancelled))


def _chain(text: str) -> list[Mark]:
    """Choose the style of numbering, and its marks."""
    opening = lead_end(text) + OPENING
    best, chosen = 0.0, []
    for style in STYLES:
        weight, chain = best_chain(list(marks(text, style)))
        opens = bool(chain) and chain[0].start <= opening
        if weight > best and (opens or style not in TIMID):
            best, chosen = weight, chain
        if chosen and chosen[0].start <= opening and style not in ("bracket", "word"):
            break  # the text opens in this style; the ones that follow are rarer
    return chosen


def _single(text: str) -> ClaimSet:
    start, end = _trimmed(text, lead_end(text), len(text))
    body = fold(_TAG.sub("", text[start:end]))
    return ClaimSet((Claim(1, body, (start, end)),) if body else ())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


@dataclass(frozen=True, slots=True)
class _Link:
    """A mark at the end of a chain, and the chain before it."""

    weight: float
    mark: Mark
    before: _Link | None


def best_chain(found: Sequence[Mark]) -> tuple[float, list[Mark]]:
    """Choose marks with rising numbers for which most speaks, all in all.

    A chain that does not begin with claim 1, or leaves numbers out, must have more for it.
    """
    best: dict[int, _Link] = {}  # the best chain that ends with each number
    for mark in found:
        weight, before = -max(0, mark.start - LEADING) / 50 - (mark.first != 1) * 2.0, None
        for last in range(mark.first - 1, max(0, mark.first - 1 - GAP), -1):
            if last in best:
                gain = best[last].weight + (NEXT if last == mark.first - 1 else -SKIP)
                if gain > weight:
                    weight, before = gain, best[last]
        weight += mark.score
        if mark.last not in best or weight > best[mark.last].weight:
            best[mark.last] = _Link(weight, mark, before)
    if not best:
        return 0.0, []
    top = max(best.values(), key=lambda link: link.weight)
    chain: list[Mark] = []
    link: _Link | None = top
    while link is not None:
        chain.append(link.mark)
        link = link.before
    return top.weight, chain[::-1]

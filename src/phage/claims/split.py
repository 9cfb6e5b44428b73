"""One run of claim text → numbered claims.

In:   "What is claimed is: 1. A pump … 2. The pump of claim 1 …", in any language, on one line
      or many.
Out:  claims with their place in that text, and the numbers printed as cancelled.
Why:  half of the world's claims come as one string, and a wrong cut breaks every later step."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from phage.claims.marks import STYLES, Mark, lead_end, marks
from phage.claims.normal import fold
from phage.claims.numbering import is_cancelled
from phage.claims.types import Claim

SKIP, NEXT = 3.9, 1.0
"""What speaks against leaving numbers out, and for the very next one."""
OPENING = 5
"""Signs that may stand between a known lead and the first number."""
TIMID = {"paren", "line"}
"""Styles that lists inside a claim use, too: believed only where the text opens with them."""
LATE, LEADING = 3.0, 150
"""What speaks against a chain that leaves out the text's opening, and the more so the more."""


@dataclass(frozen=True, slots=True)
class ClaimSet:
    """What a run of text holds."""

    claims: tuple[Claim, ...] = ()
    cancelled: tuple[int, ...] = ()


_TAG = re.compile(
    r"</?(?:(?:b|i|u|o|em|strong|sub2?|sup2?|span|claim-ref|figref|font|smallcaps)"
    r"|(?P<block>p|br|div|li|ul|ol|claim|claim-text|maths|chemistry))(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"\n[ \t]*(?:abstract(?: of the disclosure)?|zusammenfassung|abrégé|description|drawings"
    r"|brief description of[^\n]{0,80}|dated this[^\n]{0,80})[ \t]*(?::[ \t]*)?\n",
    re.IGNORECASE,
)


def _body_end(text: str) -> int:
    """Return where the claims end: before a heading of another part, or a row of stars."""
    found = _TRAIL.search(text)
    end = found.start() if found and re.search(r"\d", text[: found.start()]) else len(text)
    bare = text[:end].rstrip("* \t\r\n\u00a0")
    return len(bare) if text.count("*", len(bare), end) >= 3 else end


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
    text = text[: _body_end(text)]
    chain = _chain(text)
    if not chain:
        return _single(text)
    claims: list[Claim] = []
    cancelled: list[int] = []
    ends = [mark.start for mark in chain[1:]] + [len(text)]
    for mark, end in zip(chain, ends, strict=True):
        start, end = _trimmed(text, mark.end, end)
        body = _plain(text[start:end])
        if mark.gone:
            cancelled.extend(number for run in mark.gone for number in run)
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
        weight, chain = best_chain(list(marks(text, style)), opening)
        opens = bool(chain) and chain[0].start <= opening
        if weight > best and (opens or style not in TIMID):
            best, chosen = weight, chain
        if chosen and chosen[0].start <= opening and style not in ("bracket", "word"):
            break  # the text opens in this style; the ones that follow are rarer
    return chosen


def _single(text: str) -> ClaimSet:
    start, end = _trimmed(text, lead_end(text), len(text))
    body = _plain(text[start:end])
    return ClaimSet((Claim(1, body, (start, end)),) if body else ())


def _plain(text: str) -> str:
    """Remove markup and fold; only blocks stand apart from their neighbours.

    >>> _plain("H<sub>2</sub>O<br/>is  wet")
    'H2O is wet'
    """
    return fold(_TAG.sub(lambda tag: " " if tag["block"] else "", text))


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


def best_chain(found: Sequence[Mark], opening: int) -> tuple[float, list[Mark]]:
    """Choose marks with rising numbers for which most speaks, all in all.

    A chain that does not begin with claim 1 at the text's opening, or leaves numbers out, must
    have more for it.
    """
    best: dict[int, _Link] = {}  # the best chain that ends with each number
    ladder: list[_Link] = []  # of these, each that is better than all with smaller numbers
    for mark in found:
        weight, before = -LATE * (mark.start > opening) - (mark.first != 1) * 2.0, None
        weight -= max(0, mark.start - LEADING) / 50
        rung = bisect.bisect_left(ladder, mark.first, key=lambda link: link.mark.last)
        if rung and ladder[rung - 1].weight - SKIP > weight:
            weight, before = ladder[rung - 1].weight - SKIP, ladder[rung - 1]
        if mark.first - 1 in best and best[mark.first - 1].weight + NEXT > weight:
            before = best[mark.first - 1]
            weight = before.weight + NEXT
        weight += mark.score
        if mark.last not in best or weight > best[mark.last].weight:
            best[mark.last] = _Link(weight, mark, before)
            _climb(ladder, best[mark.last])
    if not best:
        return 0.0, []
    top = max(best.values(), key=lambda link: link.weight)
    chain: list[Mark] = []
    link: _Link | None = top
    while link is not None:
        chain.append(link.mark)
        link = link.before
    return top.weight, chain[::-1]


def _climb(ladder: list[_Link], link: _Link) -> None:
    """Put a chain on the ladder, and take down those it outdoes."""
    rung = bisect.bisect_right(ladder, link.mark.last, key=lambda other: other.mark.last)
    if rung and ladder[rung - 1].weight >= link.weight:
        return
    begin = rung - 1 if rung and ladder[rung - 1].mark.last == link.mark.last else rung
    end = rung
    while end < len(ladder) and ladder[end].weight <= link.weight:
        end += 1
    ladder[begin:end] = [link]

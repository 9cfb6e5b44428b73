r"""Blank what stands in a draft but is not part of its words: deletions, page numbers.

In:   a draft's text.
Out:  the same text with blanks there: every other sign keeps its place.
Why:  an amendment that deletes a seat no longer claims it, and a claim does not end at "- 13 -"."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from phage.claims.marks import CLAIMS

HEADING = re.compile(
    rf"^[ \t#*_]*(?:{CLAIMS}|patentansprüche|ansprüche|patentanspruch|revendications?"
    r"|reivindicaciones|權利要求書?|权利要求书?|請求の範囲|特許請求の範囲|청구범위|특허청구범위"
    r"|(?:what|that which)\s+(?:is|i|we)\s+claim(?:ed)?[^\n:]{0,80}|(?:i|we)(?:/we)?\s+claim)"
    r"[ \t*_]*(?:[:.][ \t]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_DELETED = re.compile(r"\[\[[^\[\]]*\]\]")
"""37 CFR 1.121(c)(2): "[[a seat]]"."""
_VALUES = re.compile(r"\[\[\s*\d[\d.]*(?:[\s,;]+\d[\d.]*)+\s*\]\]")
"""A matrix, if it stands alone on a line."""
_LEAD = r"(?:claim[^\S\n]+)?\d{1,4}[^\S\n]?(?:[.)](?!\d)|:)"
_END = rf"(?:{_LEAD}|abstract\b|\Z)"
"""Where the next claim begins, or none does."""
_EMPTIED = re.compile(
    rf"^([^\S\n]*{_LEAD}[^\S\n]*(?:\([a-z][a-z \-–—]{{2,40}}\)[^\S\n]*)?)"
    rf"(\[\[[^\[\]]*\]\](?:\s*\[\[[^\[\]]*\]\])*+)(?=[\s.]*+{_END})",
    re.IGNORECASE | re.MULTILINE,
)
"""A claim of which an amendment deletes all words."""
GONE = "(canceled)"
_PAGE = re.compile(
    r"^[^\S\n]*(?:[-–—~][^\S\n]?\d{1,4}[^\S\n]?[-–—~]"
    r"|(?:page|seite|p\.)[^\S\n]?\d{1,4}(?:[^\S\n]?(?:of|von|/)[^\S\n]?\d{1,4})?)[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE = re.compile(r"^[^\S\n]*\d{1,4}[^\S\n]*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[^\S\n]*\d{1,4}[.)][^\S\n]+\S|^[^\S\n]*claim \d", re.MULTILINE | re.IGNORECASE
)
_FIRST = re.compile(r"\s*1[^\S\n]*\n\s*(?!\d{1,4}\s?[.)]|claim)\S", re.IGNORECASE)
"""Right behind a heading: claims whose numbers stand on lines of their own."""
_ENDED = re.compile(r"[.。]\s*$")
_STOPPED = re.compile(r"[.,;:。、；：]\s*$")
_NEXT = re.compile(r"\s*(?:\d{1,4}\s?[.)]|claim|$)", re.IGNORECASE)
_APART_BEFORE, _APART_BEHIND = (
    re.compile(r"(?:\n[^\S\n]*\n|\f)\s*$"),
    re.compile(r"\s*(?:\n[^\S\n]*\n|\f)"),
)
_NEAR = 40
"""Characters on each side of a bare number that tell whether it is that of a page."""
_SIGN = re.compile(r"\S")


def present(text: str) -> str:
    r"""Blank deletions and page numbers; mark a claim that is deleted as a whole as canceled.

    >>> present("1. A valve with [[a seat]] a spindle."), present("red.\n- 13 -\n3. The pump")
    ('1. A valve with            a spindle.', 'red.\n      \n3. The pump')
    >>> present("2. A pump that is red.\n13\n3. The pump"), present("is one of\n13\nparts")
    ('2. A pump that is red.\n  \n3. The pump', 'is one of\n13\nparts')
    >>> present("1. [[A pump.]]\n2. A cup.")
    '1. (canceled) \n2. A cup.'
    """
    text = _PAGE.sub(_blank, text)
    if "[[" in text:
        text = _EMPTIED.sub(lambda claim: claim[1] + _canceled(claim[2]), text)
        text = _DELETED.sub(lambda words: words[0] if _is_value(words) else _blank(words), text)
    if _NUMBERED.search(text):  # else the claims may have bare numbers
        pages = _pages(text)
        text = _BARE.sub(lambda line: _blank(line) if line.start() in pages else line[0], text)
    return text


def emptied(left: str, behind: str) -> bool:
    """Return whether a claim has lost all words: its number is left, and then the next one comes.

    >>> emptied("1. ", "2. A cup."), emptied("1. ", "a shaft; and"), emptied("", "2. A cup.")
    (True, False, False)
    """
    alone = re.fullmatch(_LEAD, left.strip(), re.IGNORECASE)
    return bool(alone and re.match(_END, behind, re.IGNORECASE))


def _blank(found: re.Match[str]) -> str:
    return _SIGN.sub(" ", found[0])


def _canceled(words: str) -> str:
    rest = _SIGN.sub(" ", words[len(GONE) :])
    return GONE + rest if len(words) >= len(GONE) else _SIGN.sub(" ", words)


def _is_value(found: re.Match[str]) -> bool:
    text, (begin, end) = found.string, found.span()
    before, behind = text[max(0, begin - _NEAR) : begin], text[end : end + _NEAR]
    alone = before.rstrip(" \t")[-1:] in ("", "\n") and behind.lstrip(" \t")[:1] in ("", "\r", "\n")
    return alone and _VALUES.fullmatch(found[0]) is not None


def _pages(text: str) -> set[int]:
    """Return where the bare numbers begin that are those of pages: by a form feed, or in order."""
    start = max((heading.end() for heading in HEADING.finditer(text)), default=0)
    if _FIRST.match(text, start):
        return set()
    lines = list(_BARE.finditer(text))
    pages = {line.start() for line in lines if _by_feed(line)}
    if not _in_order(lines) or len(lines) == 1:
        lines = [line for line in lines if not _in_sentence(line)]
    if _in_order(lines):
        pages.update(line.start() for line in lines if _of_page(line))
    return pages


def _in_order(lines: Sequence[re.Match[str]]) -> bool:
    return all(int(b[0]) - int(a[0]) == 1 for a, b in itertools.pairwise(lines))


def _around(line: re.Match[str]) -> tuple[str, str]:
    text, (begin, end) = line.string, line.span()
    return text[max(0, begin - _NEAR) : begin], text[end : end + _NEAR]


def _in_sentence(line: re.Match[str]) -> bool:
    before, behind = _around(line)
    return not _STOPPED.search(before) and behind.lstrip()[:1].islower()


def _by_feed(line: re.Match[str]) -> bool:
    before, behind = _around(line)
    before, behind = before[len(before.rstrip()) :], behind[: len(behind) - len(behind.lstrip())]
    return "\f" in before + line[0] + behind


def _of_page(line: re.Match[str]) -> bool:
    """Return whether a bare number stands between two claims, or apart between empty lines."""
    before, behind = _around(line)
    between = _ENDED.search(before) and _NEXT.match(behind)
    return bool(between or (_APART_BEFORE.search(before) and _APART_BEHIND.match(behind)))

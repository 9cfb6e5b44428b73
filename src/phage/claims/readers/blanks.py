r"""Blank what stands in a draft but is no part of its words: deletions, numbers of pages.

In:   a draft's text.
Out:  the same text with blanks there: every other sign keeps its place.
Why:  a seat that an amendment deletes is claimed no longer, and "- 13 -" ends no claim."""

from __future__ import annotations

import re

_DELETED = re.compile(r"\[\[[^\[\]]*\]\]")
"""37 CFR 1.121(c)(2): "[[a seat]]"."""
_PAGE = re.compile(
    r"^[^\S\n]*(?:[-–—~][^\S\n]?\d{1,4}[^\S\n]?[-–—~]"
    r"|(?:page|seite|p\.)[^\S\n]?\d{1,4}(?:[^\S\n]?(?:of|von|/)[^\S\n]?\d{1,4})?)[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_BARE = re.compile(r"^[^\S\n]*\d{1,4}[^\S\n]*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"^[^\S\n]*\d{1,4}[.)][^\S\n]+\S|^[^\S\n]*claim \d", re.MULTILINE | re.IGNORECASE
)
_ENDED = re.compile(r"[.。]\s*$")
_NEXT = re.compile(r"\s*(?:\d{1,4}\s?[.)]|claim|$)", re.IGNORECASE)
_APART_BEFORE, _APART_BEHIND = (
    re.compile(r"(?:\n[^\S\n]*\n|\f)\s*$"),
    re.compile(r"\s*(?:\n[^\S\n]*\n|\f)"),
)
_NEAR = 40
"""Characters on each side of a bare number that tell whether it is that of a page."""
_SIGN = re.compile(r"\S")


def present(text: str) -> str:
    r"""Blank deletions and page numbers.

    >>> present("1. A valve with [[a seat]] a spindle."), present("red.\n- 13 -\n3. The pump")
    ('1. A valve with            a spindle.', 'red.\n      \n3. The pump')
    >>> present("2. A pump that is red.\n13\n3. The pump"), present("is one of\n13\nparts")
    ('2. A pump that is red.\n  \n3. The pump', 'is one of\n13\nparts')
    """
    if "[[" in text:
        text = _DELETED.sub(_blank, text)
    text = _PAGE.sub(_blank, text)
    if _NUMBERED.search(text):  # else the claims may have bare numbers
        text = _BARE.sub(lambda line: _blank(line) if _of_page(line) else line[0], text)
    return text


def _blank(found: re.Match[str]) -> str:
    return _SIGN.sub(" ", found[0])


def _of_page(line: re.Match[str]) -> bool:
    """Return whether a bare number stands between two claims, or apart between empty lines."""
    before = line.string[max(0, line.start() - _NEAR) : line.start()]
    behind = line.string[line.end() : line.end() + _NEAR]
    between = _ENDED.search(before) and _NEXT.match(behind)
    return bool(between or (_APART_BEFORE.search(before) and _APART_BEHIND.match(behind)))

"""Chinese, simplified and traditional: how a claim refers to others and what it is to."""

from __future__ import annotations

import re
from functools import lru_cache

from phage.language.references import load_patterns, reader
from phage.language.subjects import OPENING
from phage.language.types import Reference

_PATTERNS = load_patterns(__package__)
references = reader(_PATTERNS)
same = str.__eq__


def subject(text: str) -> str:
    """Name what a claim is to: the end of the noun phrase before the first comma.

    >>> subject("根据权利要求1所述的冷却装置，其特征在于")
    '装置'
    """
    return _named(text[:OPENING])


@lru_cache(maxsize=1024)  # a claim that cites many others has one subject
def _named(opening: str) -> str:
    match = _PATTERNS.subject["own"].match(opening)
    noun = re.sub(r"[（(][^）)]*[）)]|\W", "", match["noun"]) if match else ""
    return noun[-2:]


def cross_category(text: str, reference: Reference, cited: str) -> bool:
    """Return whether a claim only refers: its noun is not the one that the reference names."""
    own, other = subject(text), subject(cited)
    if not own or not other or own == other:
        return False
    before = text[: min(reference.start, OPENING)]
    at_start = not re.search(r"[^\W\d]", re.sub(r"一\s*种|—种|一種", "", before))
    noun = re.split(r"[，,；;。：:]", text[reference.end : reference.end + OPENING], maxsplit=1)[0]
    return not at_start or "的" in noun

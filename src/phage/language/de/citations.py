"""German: how a claim refers to others and what it is to; citations.toml has the phrases."""

from __future__ import annotations

import re

from phage.language.references import load_patterns, reader
from phage.language.subjects import embedded

_PATTERNS = load_patterns(__package__)
references = reader(_PATTERNS)


def subject(text: str) -> str:
    """Name what a claim is to by its head noun.

    >>> subject("Ein elektrisches Gerät zum Schneiden nach Anspruch 1")
    'gerät'
    """
    text = re.sub(r"^\W*(?:(?:ein|eine|der|die|das)\s+)?", "", text, flags=re.IGNORECASE)
    match = _PATTERNS.subject["break"].search(text)
    nouns = re.findall(r"\b[A-ZÄÖÜ][\wäöüß-]+", text[: match.start()] if match else text)
    return nouns[-1].lower() if nouns else ""


def same(one: str, other: str) -> bool:
    """Compare nouns: inflected forms and compounds of one head are the same."""
    one, other = (re.sub(r"(?:e?s|e?n|e)$", "", noun) for noun in (one, other))
    return len(one) > 3 < len(other) and (one.endswith(other) or other.endswith(one))


cross_category = embedded(subject, same, _PATTERNS)

"""French: how a claim refers to others and what it is to; citations.toml has the phrases."""

from __future__ import annotations

import re

from phage.language.references import load_patterns, reader
from phage.language.subjects import embedded

_PATTERNS = load_patterns(__package__)
references = reader(_PATTERNS)


def subject(text: str) -> str:
    """Name what a claim is to by its head noun, which French puts first.

    >>> subject("Un dispositif de coupe selon la revendication 1")
    'dispositif'
    """
    match = _PATTERNS.subject["first"].match(text)
    return match["noun"].lower() if match else ""


def same(one: str, other: str) -> bool:
    """Compare nouns: singular equals plural."""
    return re.sub(r"[sx]$", "", one) == re.sub(r"[sx]$", "", other)


cross_category = embedded(subject, same, _PATTERNS)

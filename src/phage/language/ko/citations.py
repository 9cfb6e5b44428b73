"""Korean: how a claim refers to others and what it is to; citations.toml has the phrases."""

from __future__ import annotations

from phage.language.references import load_patterns, reader
from phage.language.subjects import last_noun, trailing

_PATTERNS = load_patterns(__package__)
references = reader(_PATTERNS)
subject = last_noun
same = str.__eq__
cross_category = trailing(_PATTERNS)

"""Korean: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language

KOREAN = Language(
    code="ko",
    name="Korean",
    references=listed_and_relative(
        listed=r"(?:제\s*\d+\s*항|청구항\s*\d+)(?:\s*(?:또는|및|내지|,)\s*(?:제\s*)?\d+\s*항?)*",
        token=r"(?P<number>\d+)|(?P<range>내지)",
    ),
)

"""French: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language

FRENCH = Language(
    code="fr",
    name="French",
    references=listed_and_relative(
        listed=r"revendications?\s*\d+(?:\s*(?:[,;]|ou|et|à|[-–—])\s*(?:revendications?)?\s*\d+)*",
        token=r"(?P<number>\d+)|(?P<range>à|[-–—])",
    ),
)

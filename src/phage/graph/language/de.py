"""German: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language

GERMAN = Language(
    code="de",
    name="German",
    references=listed_and_relative(
        listed=r"(?:Patent)?anspr(?:uch|üche|üchen)\s*\d+(?:\s*(?:[,;]|oder|und|bis|[-–—])\s*(?:(?:Patent)?anspr(?:uch|üche|üchen))?\s*\d+)*",
        token=r"(?P<number>\d+)|(?P<range>bis|[-–—])",
    ),
)

"""English: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language, Reach

_JOIN = r"\s*(?:,|;|or|and/or|and|to|through|thru|-|–|—|\s)+\s*(?:claims?\s*)?"

_EARLIER = (
    r"(?:any|one|each)\s(?:one\s)?(?:or more\s)?(?:of\s)?(?:the\s)?"
    r"(?:preceding|foregoing|previous|above)\sclaims?"
)

ENGLISH = Language(
    code="en",
    name="English",
    references=listed_and_relative(
        listed=rf"claims?\s*\d+(?:{_JOIN}\d+)*",
        token=r"(?P<number>\d+)|(?P<range>to|through|thru|[-–—])",
        relative=[
            (_EARLIER, Reach.PRECEDING),
            (r"\bthe\s(?:preceding|foregoing|previous)\sclaim\b", Reach.PREVIOUS),
        ],
    ),
)

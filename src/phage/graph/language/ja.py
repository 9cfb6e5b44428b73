"""Japanese: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language

JAPANESE = Language(
    code="ja",
    name="Japanese",
    references=listed_and_relative(
        listed=r"請求項\s*\d+(?:\s*(?:、|，|又は|または|及び|および|もしくは|若しくは|乃至|ないし|から|[-–—~～])\s*(?:請求項)?\s*\d+)*",
        token=r"(?P<number>\d+)|(?P<range>乃至|ないし|から|[-–—~～])",
    ),
)

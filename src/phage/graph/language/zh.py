"""Chinese: phrases that refer to claims."""

from __future__ import annotations

from phage.graph.language.references import listed_and_relative
from phage.graph.language.types import Language

CHINESE = Language(
    code="zh",
    name="Chinese",
    references=listed_and_relative(
        listed=r"(?:权利要求|權利要求|请求项|請求項)\s*\d+(?:\s*(?:、|,|，|或|和|及|至|到|[-–—~～])\s*(?:(?:权利要求|權利要求|请求项|請求項))?\s*\d+)*",
        token=r"(?P<number>\d+)|(?P<range>至|到|[-–—~～])",
    ),
)

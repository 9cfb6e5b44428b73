"""Antecedents in languages without a ladder: what is taken up by name must have stood before.

In:   a LegalReading of French, Chinese, Japanese or Korean claims.
Out:  mentions with "ledit", 所述, 前記 or 상기 whose name stands nowhere before.
Why:  these words speak of something known, always; the German article does not, so German has none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.checking.reading import LegalReading
from phage.checking.rules.types import Seen, place
from phage.checking.types import Severity, Step

_TAKES_UP = {
    "fr": re.compile(r"(?:l[ea]s?|du|des|aux?)dit", re.IGNORECASE),
    "zh": re.compile(r"所\s*述|上\s*述|前\s*述|[该該]"),
    "ja": re.compile("(?:複数の|各)?(?:前記|上記|当該|該)"),
    "ko": re.compile("상기|전술한"),
}
"""Language → what says that a thing was named before."""
_FAR = 100_000
"""Characters back in which a name is looked for: longer claims must not take the square of time."""
_SIGNS = re.compile(r"[\s()（）-]|\d+")


def named_nowhere(reading: LegalReading) -> Iterator[Seen]:
    """Report what is taken up but was not named before.

    >>> from phage.claims import Claim, Patent
    >>> from phage.checking.reading import read_legally
    >>> claims = Claim(1, "一种泵，包括壳体。"), Claim(2, "根据权利要求1所述的泵，其中所述齿轮固定在所述壳体上。")
    >>> [seen.place.text for seen in named_nowhere(read_legally(Patent("x", claims, language="zh")))]
    ['所述齿轮']
    """
    taken_up = _TAKES_UP.get(reading.language)
    if taken_up is None:
        return
    for number, claim in reading.claims.items():
        before, at = "", 0
        for found in claim.resolutions:
            if found.step is not Step.NONE or not taken_up.match(claim.text, found.start):
                continue
            if not at:
                above = reversed([*reading.above(number)])
                before = _squeezed(" ".join(reading.claims[parent].text for parent in above))
            before = (before + _squeezed(claim.text[at : found.start]))[-_FAR:]
            at = found.start
            if _stands(_squeezed(found.term), before, reading.language):
                continue
            spot = place(reading, number, found.start, found.end)
            yield Seen(
                "antecedent-missing", spot,
                f"claim {number}: '{spot.text}' was not introduced before",
                "introduce it where it is first named", (), Severity.WARNING, found.step, found.term,
            )  # fmt: skip


def _stands(term: str, before: str, language: str) -> bool:
    """Return whether a name stood before; half of it is enough where words are not set apart."""
    if language == "fr":
        return term.removesuffix("s") in before
    half = max(2, (len(term) + 1) // 2)
    return term[:half] in before or term[-half:] in before


def _squeezed(text: str) -> str:
    return _SIGNS.sub("", text).lower()

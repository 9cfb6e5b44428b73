"""Korean: phrases that refer to claims; its noun phrases stand in ``ko_nouns``."""

from __future__ import annotations

import re

from phage.graph.language.ko_nouns import NAMING, chunks, components
from phage.graph.language.phrases import mentions_of
from phage.graph.language.references import Phrases, reader
from phage.graph.language.subjects import trailing
from phage.graph.language.types import Language, Reach

# 항 also begins 항원 (antigen), 항체 (antibody), 항에스트로겐; as "claim" it ends the word or
# carries a particle.
_ITEM = (
    r"항(?=$|[^가-힣]|에(?!스트)|의|및|또|내지|중|과|와|으로|을|를|은|는|이(?!뇨)|가|부터|까지|"
    r"기재|들|혹|따른|따르|범|처럼)"
)
_DIGITS = r"\d{1,4}+(?![\d%.])(?!\s*(?:종|개|%|이상|이하|중량|mg|mm|가지|번|회))"
_UNTIL = r"내지|부터|에서|[-–—―‐‑−－~～〜∼]+"
_JOIN = (
    r"(?>\s*(?:까지\s*)?(?:(?:[,，;/·]|및\s*/\s*또는|또는|및|이나|혹은|그리고|과|와)\s*)+|"
    rf"\s*(?:{_UNTIL})\s*)"
)
_NAMED = rf"청\s*구\s*항\s*(?:들\s*)?(?:제\s*)?{_DIGITS}(?:\s*{_ITEM})?"
_AGAIN = rf"{_JOIN}(?:청\s*구\s*항\s*)?(?:제\s*)?{_DIGITS}"
_EARLIER = (
    r"(?:선행하는|선행하고\s*있는|선행된|선행의?|전술한|전술된|상술한|상기|이전의?|앞선|앞의|"
    r"앞서\s*기재된|위의|종전의?|전기)"
)
_ANY = r"(?:모든\s*|임의의\s*|어느\s*(?:한|하나의|하나)\s*)?"


def _subject(text: str) -> str:
    """Name what a claim is to: the end of its last noun phrase.

    >>> _subject("제1항에 있어서, 냉각 장치.")
    '장치'
    """
    return re.sub(r"[（(][^）)]*[）)]|\W", "", text[-40:])[-2:]


_REFERENCES = reader(
    Phrases(
        hints=("청구항", "항 중", "항중", "전항", "전 항", "직전", "앞의"),
        word=r"청\s*구\s*항|(?:전|직전의?|앞의|앞선|선행|이전|선행하는)\s*항",
        # "청구항 1 또는 2", or a list whose last number carries 항: "제1 내지 3항".
        run=(
            rf"{_NAMED}(?:{_AGAIN}(?:\s*{_ITEM})?)*"
            rf"|(?:제\s*|(?<![\w.-])){_DIGITS}(?:(?:\s*{_ITEM})?{_AGAIN}){{0,60}}\s*{_ITEM}"
            rf"(?:{_AGAIN}(?=\s*에\s*(?:있어서|따른)))?"
        ),
        number=_DIGITS,
        until=_UNTIL,
        relative=(
            (r"청\s*구\s*항\s*(?:오류!|에\s*있어서)", Reach.LISTED),  # the number was lost
            (rf"{_EARLIER}\s*{_ANY}청\s*구\s*항(?:들)?(?!\s*\d)", Reach.PRECEDING),
            (rf"(?:{_EARLIER}\s*{_ANY}|(?<!\w)전\s*)항(?:들)?\s*중", Reach.PRECEDING),
            (
                r"(?:바로\s*앞의?|직전의?)\s*(?:청구)?항|(?<![\w])전\s*항(?=에|의)",
                Reach.PREVIOUS,
            ),
            (r"(?:후속하?는?|하기|다음의?|이하의?)\s*청구항", Reach.FOLLOWING),
        ),
        trail=(
            r"\s*(?:중|가운데)?의?\s*(?:(?:어느|임의의)?\s*(?:한|하나의|하나|1)\s*"
            r"(?:청구\s*항|항)?)?(?:에|의|으로|에서)?\s*(?:있어서|따른|따르는|기재된|정의된)?"
        ),
        heading=r"청구항\s*\d+\s*은\s*\(\s*는\s*\)[^◈]{0,200}?포기되었습니다",
        except_after=r"\s*(?:을|를|은|는)\s*제외",
    )
)

KOREAN = Language(
    code="ko",
    name="Korean",
    subject=_subject,
    cross_category=trailing(
        _subject,
        depends=r"있어서",
        carries_on=r"[을를로에의와과]\s",
    ),
    references=_REFERENCES,
    mentions=mentions_of(chunks, _REFERENCES, NAMING),
    components=components,
)

"""Chinese, simplified and traditional: references; its noun phrases stand in ``zh_nouns``."""

from __future__ import annotations

import re
from functools import lru_cache

from phage.graph.language.phrases import mentions_of
from phage.graph.language.references import Phrases, han_numerals, reader
from phage.graph.language.subjects import OPENING
from phage.graph.language.types import Language, Reach, Reference
from phage.graph.language.zh_nouns import NAMING, chunks, components

_CLAIM = r"(?:(?:权\s*利|權\s*利)\s*要\s*求(?:\s*[书書])?|请求项|請求項|申请专利范围|申請專利範圍)"
_HAN = r"[一二三四五六七八九十]{1,3}(?=[所或至、,，和及到中之任项項的与與~～-])"
# A scan reads the zero of 10 as a circle and the one as a stroke.
_DIGITS = rf"(?:[\d丨lI|][\d丨]{{0,2}}[〇○Oo]?|{_HAN})(?![\d%％])"
_UNTIL = r"乃至|直至|至|到|[-–—―‐‑−－﹣~～〜∼]+"
_JOIN = (
    r"(?>\s*(?:(?:[、，,；;/]|和\s*/\s*或|及\s*/\s*或|或者|或是|或|和|以及|及|与|與)\s*)+"
    rf"|\s*(?:{_UNTIL})\s*)"
)
_LABEL = r"\s*(?:中\s*)?(?:第\s*)?"
_ONE = r"(?:任一?|任何|任意|各|所有|一)?(?:一)?(?:项|項|个|個|条|條)?(?:的|之)?"
_EARLIER = r"(?:前述|上述|前面|在前|以上|先前|上面|之前|此前|前列|前)"
_OWN = re.compile(
    rf"^[\W\d]*(?:(?:一\s*种|—种|一種)\s*)?(?:[^，,；;。：:]{{0,500}}?{_CLAIM}[^，,；;。：:]{{0,500}}?(?:所\s*述|记载|記載)\s*的?)?"
    r"(?P<noun>.+?)(?=[，,；;。：:]|其特征|其特徵|包括|包含|$)",
    re.DOTALL,
)


def _subject(text: str) -> str:
    """Name what a claim is to: the end of the noun phrase before the first comma.

    >>> _subject("根据权利要求1所述的冷却装置，其特征在于")
    '装置'
    """
    return _named(text[:OPENING])


@lru_cache(maxsize=1024)  # a claim that cites many others has one subject
def _named(opening: str) -> str:
    match = _OWN.match(opening)
    noun = re.sub(r"[（(][^）)]*[）)]|\W", "", match["noun"]) if match else ""
    return noun[-2:]


def _cross_category(text: str, reference: Reference, cited: str) -> bool:
    own, other = _subject(text), _subject(cited)
    if not own or not other or own == other:
        return False
    before = text[: min(reference.start, OPENING)]
    at_start = not re.search(r"[^\W\d]", re.sub(r"一\s*种|—种|一種", "", before))
    noun = re.split(r"[，,；;。：:]", text[reference.end : reference.end + OPENING], maxsplit=1)[0]
    return not at_start or "的" in noun


_REFERENCES = reader(
    Phrases(
        hints=("权利要求", "權利要求", "请求项", "請求項", "专利范围", "專利範圍"),
        word=_CLAIM,
        run=(
            rf"{_CLAIM}{_LABEL}{_DIGITS}(?:\s*[项項])?"
            rf"(?:{_JOIN}(?:如|根据|根據)?(?:{_CLAIM})?{_LABEL}{_DIGITS}(?:\s*[项項])?)*"
        ),
        number=rf"{_DIGITS}|[一二三四五六七八九十]+",
        until=_UNTIL,
        relative=(
            (
                rf"[前上](?:述|面)?(?:的)?一(?:项|項|个|個)?(?:的)?{_CLAIM}(?!中)",
                Reach.PREVIOUS,
            ),
            (rf"{_EARLIER}\s*(?:的|之)?{_ONE}\s*{_CLAIM}(?:\s*的?方法)?", Reach.PRECEDING),
            (rf"(?:根据|如|按照|根據)\s*{_CLAIM}\s*所述", Reach.LISTED),  # the number was lost
            (rf"(?:以下|下述|后述|後述|随后)(?:的)?{_ONE}{_CLAIM}", Reach.FOLLOWING),
        ),
        lead=r"(?:(?:根据|根據|按照|依据|依據|依照|如|按|依|采用|基于|前述|上述|任一项?|任何)\s*)+",
        trail=(
            r"\s*(?:(?:中|之|里|其中)?(?:的)?(?:任一|任何一?|任意一?|其中之一|任|一)"
            r"(?:项|項|个|個)?)?\s*(?:所述|所記載|所记载|所要求|记载|記載|所定义|之|的)?的?"
        ),
        heading=rf"^\W*{_CLAIM}\s*[:：]?\s*\d+\s*[.、．]",
        except_before=r"除了?|除去|不包括|排除",
        numerals=han_numerals(),
    )
)

CHINESE = Language(
    code="zh",
    name="Chinese",
    subject=_subject,
    cross_category=_cross_category,
    references=_REFERENCES,
    mentions=mentions_of(chunks, _REFERENCES, NAMING),
    components=components,
)

"""Japanese: phrases that refer to claims; its noun phrases stand in ``ja_nouns``."""

from __future__ import annotations

import re

from phage.graph.language.ja_nouns import NAMING, chunks, components
from phage.graph.language.phrases import mentions_of
from phage.graph.language.references import Phrases, han_numerals, reader
from phage.graph.language.subjects import trailing
from phage.graph.language.types import Language, Reach

_CLAIM = r"請\s*求\s*項|請求の範囲"
_HAN = r"[一二三四五六七八九十]{1,3}(?=[に記の又ま、及も若乃なか～〜~項])"
# "2つの", "3種以上" count things, not claims.
_DIGITS = rf"(?:\d{{1,3}}|{_HAN})(?![\d%％.．])(?!\s*(?:つ|個|種|枚|本|重量|質量|以上|以下|mm))"
_UNTIL = r"乃至|ないし|至|から|[-–—―‐‑−－~～〜∼]+"
# から (to) before か (or).
_JOIN = (
    rf"(?>\s*(?:{_UNTIL})\s*|\s*(?:(?:[、，,；;/・]|又は|または|及び|および|もしくは|若しくは|並びに|"
    r"ならびに|あるいは|或いは|或は|と|か)\s*)+)"
)
_NUMBER = rf"(?:第\s*)?{_DIGITS}(?:\s*項)?"
_EARLIER = r"(?:前記|上記|先行(?:する|の)?|前述の?|先の|以上の|これまでの|前の|前)"


def _subject(text: str) -> str:
    """Name what a claim is to: the end of its last noun phrase.

    >>> _subject("請求項1に記載の冷却装置。")
    '装置'
    """
    return re.sub(r"[（(][^）)]*[）)]|\W", "", text[-40:])[-2:]


_REFERENCES = reader(
    Phrases(
        hints=("請求項", "請求の範囲", "前項", "各項"),
        word=rf"{_CLAIM}|前項|[前上]各項",
        run=(
            rf"(?:{_CLAIM})\s*{_NUMBER}"
            rf"(?:{_JOIN}(?:(?:前記)?(?:{_CLAIM})\s*)?{_NUMBER})*"
        ),
        number=rf"{_DIGITS}|[一二三四五六七八九十]+",
        until=_UNTIL,
        relative=(
            (
                (
                    rf"(?:(?:いずれか|何れか|任意)(?:の|一項の)?)?{_EARLIER}(?:の)?\s*"
                    rf"(?:各|全ての|すべての|いずれかの|何れかの|いずれか一つの)?\s*(?:{_CLAIM})"
                    r"(?:の(?:うちの?)?(?:いずれか|何れか))?(?!\s*\d)"
                ),
                Reach.PRECEDING,
            ),
            (r"[前上]\s*各項", Reach.PRECEDING),
            (r"(?:直前の|一つ前の)(?:請求)?項|(?<![\w々])前項", Reach.PREVIOUS),
            (rf"(?:{_CLAIM})(?:に記載|記載)の", Reach.LISTED),  # the number was lost
            (rf"(?:下記|以下の|後述の|次の)(?:いずれかの)?(?:{_CLAIM})", Reach.FOLLOWING),
        ),
        lead=r"(?:前記|上記|特許)\s*",
        trail=(
            r"\s*(?:まで)?(?:の)?(?:うち)?(?:の)?(?:いずれか|何れか|いずれ|いずれも)?"
            r"(?:の?\s*[一1１]\s*(?:項|つ|個))?(?:の請求項)?(?:に)?(?:記載|係る|よる|おいて)?(?:の)?"
        ),
        heading=r"^\W*【?請求項\s*\d+\s*[】.．]",
        except_after=r"\s*(?:を除[くい]|を含まない|以外の)",
        numerals=han_numerals(),
    )
)

JAPANESE = Language(
    code="ja",
    name="Japanese",
    subject=_subject,
    cross_category=trailing(
        _subject,
        depends=r"において|に於いて|であって|に係る",
        carries_on=r"を|により|によって|から|で[^あ]|が",
    ),
    references=_REFERENCES,
    mentions=mentions_of(chunks, _REFERENCES, NAMING),
    components=components,
)

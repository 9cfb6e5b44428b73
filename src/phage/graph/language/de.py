"""German: phrases that refer to claims; its noun phrases stand in ``de_nouns``."""

from __future__ import annotations

import re

from phage.graph.language.de_nouns import NAMING, chunks, components
from phage.graph.language.phrases import mentions_of
from phage.graph.language.references import Phrases, numbered, reader
from phage.graph.language.subjects import embedded
from phage.graph.language.types import Language, Reach

# "beanspruchen" is to claim, "anspruchsvoll" demanding; scans lose the umlaut.
_CLAIM = r"(?<!be)anspr(?:u|ü|ue|ú|u\u0308)ch(?:e[ns]?|s)?(?![a-zäöüß])"
_GLUED = r"(?<!be)anspr(?:(?:u|ü|ue|ú|u\u0308)ch(?:e[ns]?|s)?|\.)\s*(?:nr\.?\s*|von\s+(?=\d))?"
_DIGITS = r"\d{1,3}(?![\d%])(?!\s*(?:mm|cm|µm|gew|mol|bis\s+\d+\s+(?:mm|cm|gew))\b)"
# A further number counts things when a noun follows: "nach Anspruch 1 und 2 Rotoren".
_COUNTS = r"(?:\s*(?:bis|und|oder|[-–,])\s*\d+){0,3}\s+(?-i:[A-ZÄÖÜ][a-zäöüß]+)"
_UNTIL = r"bis(?:\s+zu)?(?:\s+einschließlich)?|[-–—‐‑−]+"
_JOIN = (
    r"(?>\s*(?:(?:[,;/&]|und\s*/\s*oder|oder|und|sowie|bzw\.?|beziehungsweise)[\s,]*)+"
    rf"|\s*(?:{_UNTIL})\s*)"
)
_AGAIN = rf"(?:(?:nach|gemäß|einem|der|den|dem)\s+)*(?:(?:patent)?{_GLUED})?"
_EARLIER = (
    r"(?:da)?(?:vor(?:her|an|aus|ge|ig|er|st|be)\w*(?:en|er)|obigen|oben\w*(?:\s+\w+)?en|"
    r"früheren|bisherigen|(?:vorher|zuvor|vorstehend|weiter\s+oben)\s+[a-zäöüß]+en)"
)
_ORDINALS = numbered(
    "ersten", "zweiten", "dritten", "vierten", "fünften", "sechsten", "siebten", "achten",
    "neunten", "zehnten",
) | {"haupt": 1}  # fmt: skip
_NTH = "|".join(_ORDINALS)
_FEW = "zwei|beiden|drei|vier"
_KIND = r"(?P<noun>[a-zäöüß]*?)s?-?(?:patent)?"
_BREAK = re.compile(
    r"[,;:.()]|\b(?:zum|zur|für|nach|gem[äa](?:ß|ss)|mit|der|die|das|des|dem|einer|eines|eine|"
    r"einem|von|aus|in|wobei|dadurch|umfass\w+|enthalt\w+|aufweis\w+|welche\w*|bestehend\w*)\b",
    re.IGNORECASE,
)


def _subject(text: str) -> str:
    """Name what a claim is to by its head noun.

    >>> _subject("Ein elektrisches Gerät zum Schneiden nach Anspruch 1")
    'gerät'
    """
    text = re.sub(r"^\W*(?:(?:ein|eine|der|die|das)\s+)?", "", text, flags=re.IGNORECASE)
    match = _BREAK.search(text)
    nouns = re.findall(r"\b[A-ZÄÖÜ][\wäöüß-]+", text[: match.start()] if match else text)
    return nouns[-1].lower() if nouns else ""


def _same(one: str, other: str) -> bool:
    """Compare nouns: inflected forms and compounds of one head are the same."""
    one, other = (re.sub(r"(?:e?s|e?n|e)$", "", noun) for noun in (one, other))
    return len(one) > 3 < len(other) and (one.endswith(other) or other.endswith(one))


_REFERENCES = reader(
    Phrases(
        hints=("anspr",),
        word=_CLAIM,
        run=rf"(?:patent)?{_GLUED}{_DIGITS}(?:{_JOIN}{_AGAIN}{_DIGITS}(?!{_COUNTS}))*",
        number=rf"{_DIGITS}|\b(?:{_NTH}|{_FEW})",
        until=_UNTIL,
        relative=(
            (
                rf"\b(?P<count>{_FEW})\s+(?:letzten|{_EARLIER})\s+(?:patent)?{_CLAIM}",
                Reach.PREVIOUS,
            ),
            (
                rf"\b(?:dem|des|im)\s+(?P<ordinal>{_NTH})(?:\s+(?:patent)?)?{_CLAIM}",
                Reach.LISTED,
            ),
            (
                (
                    r"\b(?:dem|des|im)\s+(?:unmittelbar\s+|direkt\s+)?"
                    rf"{_EARLIER}\s+(?:patent)?anspruchs?\b(?!\s*\d)"
                ),
                Reach.PREVIOUS,
            ),
            (rf"\b{_EARLIER}\s+{_KIND}{_CLAIM}(?!\s*\d)", Reach.PRECEDING),
            (  # the number was lost
                r"\b(?:nach|gem[äa](?:ß|ss))\s+(?:patent)?anspruch(?=\s*[,.;:]|\s+(?:wobei|dad))",
                Reach.LISTED,
            ),
            (rf"\b(?:nach|nachst|unten|spät|f)\w*olgenden\s+{_KIND}{_CLAIM}", Reach.FOLLOWING),
        ),
        lead=(
            r"\b(?:(?:nach|gem[äa](?:ß|ss)|laut|entsprechend|wie|in|im|von|zu|mit|mindestens|"
            r"wenigstens|zumindest|einem|eines|einer|einen|oder|mehreren|der|den|dem|des|dei|"
            r"irgendeinem|jedem|beliebigen|"
            rf"{_EARLIER})\s+)+(?:patent)?"
        ),
        heading=r"^\W*(?:patent)?ansprüche\W*1\b|^\W*anspruch\s*\d+\s*[.):]",
        foreign=(
            r"\s*(?:de[sr]|aus)\s+(?:der\s+)?"
            r"(?:[A-Z]{2}\s?\d|patent(?:s|schrift)?\b|(?:patent)?anmeldung)"
        ),
        except_before=(
            r"ausgenommen|außer|mit\s+ausnahme(?:\s+(?:von|des|der))?|ohne|jedoch\s+nicht|"
            r"aber\s+nicht|ausschließlich"
        ),
        numerals=_ORDINALS | {"zwei": 2, "beiden": 2, "drei": 3, "vier": 4},
    )
)

GERMAN = Language(
    code="de",
    name="German",
    subject=_subject,
    same=_same,
    cross_category=embedded(
        _subject,
        _same,
        joins=(
            r"\b(?:zum|zur|für|mit|de[rsmn]|d[ai][se]|einer|eines|einem|von|aus|durch|"
            r"umfass\w*)\b"
        ),
        strong=(
            r"\b(?:umfass\w+|enthalt\w+|aufweis\w+|mit|unter|durch|hergestellt\w*|erhältlich\w*|"
            r"wobei|welche\w*|durchführ\w*|ausführ\w*|verwend\w*)\b"
        ),
    ),
    references=_REFERENCES,
    mentions=mentions_of(chunks, _REFERENCES, NAMING),
    components=components,
)

"""French: phrases that refer to claims; its noun phrases stand in ``fr_nouns``."""

from __future__ import annotations

import re

from phage.graph.language.fr_nouns import NAMING, chunks, components
from phage.graph.language.phrases import mentions_of
from phage.graph.language.references import Phrases, numbered, reader
from phage.graph.language.subjects import embedded
from phage.graph.language.types import Language, Reach

_CLAIM = r"revendications?"
_EARLIER = (
    r"(?:pr[ée]c[ée]dent\w*|ant[ée]rieure?s?|ci-dessus|qui\s+pr[ée]c[èeé]dent|"
    r"sus-?mentionn[ée]\w*|pr[ée]-?cit[ée]\w*|susdites?)"
)
_LABEL = rf"\s*(?:{_EARLIER}\s*)?(?:n\s*[°o.]+\s*|de\s+(?=\d))?[(]?"
_DIGITS = r"\d{1,3}(?![\d%])(?!\s*(?:mm|cm|µm|%|en\s+poids)\b)"
# A further number counts things when their plural follows: "la revendication 2, 3 pales".
_COUNTS = (
    r"(?:\s*(?:à|et|ou|[-–,])\s*\d+){0,3}\s+(?!(?:dans|sans|sous|mais|plus|moins|pr[ée]c)\w*)"
    r"[a-zàâéèêîôûç]{3,}s\b"
)
_UNTIL = r"jusqu['’]\s*[àa]|(?<![^\W\d_])[àaá]u?(?=[\s\d])|[-–—‐‑−]+"
_JOIN = (
    r"(?>\s*(?:(?:[,;/&]|et\s*/\s*ou|ou|et|ainsi\s+que)[\s,]*)+"
    rf"|\s*(?:{_UNTIL})\s*)"
)
_AGAIN = rf"(?:(?:selon|de|la|les|l['’]une|des)\s+)*(?:{_CLAIM}{_LABEL})?"
_ORDINALS = numbered(
    "première", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième",
    "huitième",
) | {"seconde": 2}  # fmt: skip
_NTH = "|".join(_ORDINALS)
_FEW = "deux|trois|quatre"
_KIND = r"(?:de\s+)?(?P<noun>[a-zàâéèêîôûç]+\s+)?"
_FIRST = re.compile(
    r"\W*(?:\[[^\]]*\]\s*)?(?:(?:un|une|le|la|les|des|du|au moins une?)\s+|l['’])?"
    r"(?:(?:nouveau|nouvelle|nouveaux|nouvelles)\s+)?(?P<noun>[^\W\d_][\w-]*)",
    re.IGNORECASE,
)


def _subject(text: str) -> str:
    """Name what a claim is to by its head noun, which French puts first.

    >>> _subject("Un dispositif de coupe selon la revendication 1")
    'dispositif'
    """
    match = _FIRST.match(text)
    return match["noun"].lower() if match else ""


def _same(one: str, other: str) -> bool:
    return re.sub(r"[sx]$", "", one) == re.sub(r"[sx]$", "", other)


_REFERENCES = reader(
    Phrases(
        hints=("revendication",),
        word=_CLAIM,
        run=rf"{_CLAIM}{_LABEL}{_DIGITS}(?:{_JOIN}{_AGAIN}{_DIGITS}(?!{_COUNTS}))*",
        number=rf"{_DIGITS}|\b(?:{_NTH}|{_FEW})\b",
        until=_UNTIL,
        relative=(
            (
                rf"\b(?P<count>{_FEW})\s+(?:derni[èe]res\s+)?revendications\s+{_EARLIER}",
                Reach.PREVIOUS,
            ),
            (rf"\bla\s+(?P<ordinal>{_NTH})\s+revendication\b", Reach.LISTED),
            (
                (
                    r"(?:\bune|quelconque|quelle|chaque|toute|aucune)\s+(?:quelconque\s+)?"
                    rf"(?:des\s+)?(?:revendication\s+{_EARLIER}|{_EARLIER}\s+revendication)\b"
                    r"(?!\s*\d)"
                ),
                Reach.PRECEDING,
            ),
            (rf"revendication\s+{_EARLIER}\s+quelconque", Reach.PRECEDING),
            (rf"revendications\s+{_KIND}{_EARLIER}(?!\s*\d)", Reach.PRECEDING),
            (rf"\b{_EARLIER}\s+revendications(?!\s*\d)", Reach.PRECEDING),
            (
                (
                    rf"(?:revendication\s+(?:imm[ée]diatement\s+)?{_EARLIER}|"
                    rf"\bpr[ée]c[ée]dente\s+revendication)(?!\s*\d)"
                ),
                Reach.PREVIOUS,
            ),
            (  # the number was lost
                r"(?:selon|suivant)\s+la\s+revendication(?=\s*[,.;:]|\s+(?:et|dont|dans|car))",
                Reach.LISTED,
            ),
            (r"revendications?\s+(?:suivantes?|ci-après|ult[ée]rieures?)", Reach.FOLLOWING),
        ),
        lead=(
            r"(?:\b(?:(?:selon|suivant|conform\w+|d[ée]fini\w*|revendiqu\w+|d[ée]crit\w*|"
            r"comme|dans|au|aux|à|moins|ou|par|plusieurs|quelconques?|n['’]importe|"
            r"quelle|une|des|de|du|la|le|les|parmi|en|toute|chaque|pr[ée]c[ée]dentes?)\s+|"
            r"(?:d['’]|à\s+)?l['’](?:une|autre)\s+))+"
        ),
        heading=(
            r"^\W*revendications\W*1\b|^\W*revendication\s*\d+\s*[.)\]:-]|"
            r"\[\s*revendications?\s*\d+\s*\]"
        ),
        except_before=(
            r"(?:à\s+)?l['’]exception|sauf|hormis|except[ée]e?s?|autres?\s+que|"
            r"(?:à\s+)?l['’]exclusion"
        ),
        numerals=_ORDINALS | {"deux": 2, "trois": 3, "quatre": 4},
    )
)

FRENCH = Language(
    code="fr",
    name="French",
    subject=_subject,
    same=_same,
    cross_category=embedded(
        _subject,
        _same,
        joins=r"\b(?:pour|de|du|des|d|par|avec|comprenant|contenant|utilisant|à|au|en|qui|dont)\b",
        strong=(
            r"\b(?:compren\w+|compos\w+|conten\w+|utilis\w+|inclu\w+|avec|obtenu\w*|"
            r"fabriqu\w+|équip\w+|muni\w*|mettant|mise|exécut\w+|réalis\w+|dans lequel|qui)\b"
        ),
    ),
    references=_REFERENCES,
    mentions=mentions_of(chunks, _REFERENCES, NAMING),
    components=components,
)

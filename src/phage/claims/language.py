"""Detect the language of a text from its script and its shortest words.

In:   a text of some length.
Out:  two letters, or the default where nothing decides.
Why:  drafts do not say their language, and some collections say it wrongly."""

from __future__ import annotations

import re
from collections import Counter

NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian",
    "nl": "Dutch", "pt": "Portuguese", "sv": "Swedish", "ko": "Korean", "ja": "Japanese",
    "zh": "Chinese", "ru": "Russian", "ar": "Arabic", "el": "Greek", "he": "Hebrew", "hi": "Hindi",
    "th": "Thai",
}  # fmt: skip
"""Code → name, for the languages that are recognised."""
_WORDS = {
    "en": "the of and a to wherein said is for with claim in an comprising according by or at least as on "
    "from having which",
    "de": "der die das und ein eine nach anspruch mit dadurch gekennzeichnet dass daß ist zur einem einer "
    "eines einen des dem den von vom zum für im oder wobei verfahren vorrichtung zwischen bei auf aus umfassend",
    "fr": "le la les des et une un du selon revendication dans caractérisé que est par pour en de au aux "
    "à sur avec ou qui procédé dispositif comprenant comportant entre",
    "es": "el la los las de y una un según reivindicación en que caracterizado por del con para",
    "it": "il la i le di e una un secondo rivendicazione in che caratterizzato da del con per dei",
    "nl": "de het een van en volgens conclusie met dat is in voor waarbij op door te",
    "pt": "o a os as de e uma um segundo reivindicação em que caracterizado por do com para da",
    "sv": "och en ett av enligt patentkrav med att som är för på den det kännetecknad vid",
}
_LETTERS = {
    "de": set("äöüß"),
    "fr": set("éèêëçœûî"),
    "es": set("ñ"),
    "pt": set("ãõ"),
    "sv": set("å"),
}
"""Letters that English lacks: a word with one counts as a small word of its language."""
_SETS = {code: frozenset(words.split()) for code, words in _WORDS.items()}
_SCRIPTS = {
    "ko": re.compile("[\uac00-\ud7a3]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
    "ru": re.compile("[\u0400-\u04ff]"),
    "ar": re.compile("[\u0600-\u06ff]"),
    "el": re.compile("[\u0370-\u03ff]"),
    "he": re.compile("[\u0590-\u05ff]"),
    "hi": re.compile("[\u0900-\u097f]"),
    "th": re.compile("[\u0e00-\u0e7f]"),
}
"""In this order: Japanese and Korean texts have Chinese signs, too."""
_SAMPLE = 4000


def detect(text: str, default: str = "en") -> str:
    """Detect the language of a text.

    >>> detect("Vorrichtung nach Anspruch 1, dadurch gekennzeichnet, dass die Welle hohl ist.")
    'de'
    >>> detect("Pumpengehäuse mit Dichtung"), detect("a Möbius strip")
    ('de', 'en')
    >>> detect("請求項1に記載のポンプ。"), detect("如权利要求1所述的泵。"), detect("42")
    ('ja', 'zh', 'en')
    >>> detect("ปั๊มที่มีเพลา"), detect("A resin with α, β and γ phases, wherein the α phase is cubic.")
    ('th', 'en')
    """
    sample = text[:_SAMPLE]
    letters = sum(char.isalpha() for char in sample) or 1
    for code, script in _SCRIPTS.items():
        if len(script.findall(sample)) > 0.1 * letters:
            return code
    words = Counter(re.findall(r"[^\W\d_]+", sample.lower()))
    scores = {code: sum(words[word] for word in known) for code, known in _SETS.items()}
    for code, letters_of in _LETTERS.items():
        scores[code] += sum(n for word, n in words.items() if not letters_of.isdisjoint(word))
    best = max(scores, key=lambda code: scores[code])
    second = max(score for code, score in scores.items() if code != best)
    clear = scores[best] >= 2 and scores[best] > 1.2 * second
    return best if clear else default

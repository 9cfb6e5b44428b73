"""English: abbreviations that a claim explains, "a user equipment (UE)".

In:   claim text.
Out:  abbreviation → the term it stands for, both as terms.
Why:  a later claim that says "the UE" means the user equipment; exact matching would miss it."""

from __future__ import annotations

import re

from phage.language.en.noun_phrases import find_phrases
from phage.language.en.tagging import read_claim

_HINT = re.compile(r"\(\s*[A-Za-z]{0,2}[A-Z]")
_BRACKET = re.compile(r"\s*\(\s*([A-Za-z]{0,2}[A-Z][A-Za-z]{0,5}?)s?\s*\)")
"""At most eight letters, one of them a capital; a plural may follow."""


def abbreviations(text: str) -> dict[str, str]:
    """Find abbreviations in brackets after a noun phrase: its initials.

    >>> abbreviations("A method wherein a first user equipment (UE) and a rotor (R) are used.")
    {'ue': 'user equipment'}
    """
    if "(" not in text or not _HINT.search(text):
        return {}
    reading = read_claim(text)
    found: dict[str, str] = {}
    for phrase in find_phrases(reading):
        if bracket := _BRACKET.match(text, reading.ends[phrase.last]):
            short, words = bracket[1].lower(), phrase.term.split()[-len(bracket[1]) :]
            if len(short) > 1 and short == "".join(word[0] for word in words):
                found.setdefault(short, " ".join(words))
    return found

"""Words of claim English and the tag each has before its neighbours are seen.

In:   closed.toml and open.toml beside this file.
Out:  LEXICON, a word → tag table that judges unknown words by their ending; a few word sets.
Why:  a chunker without a model must know that "supports" may be things or an act and that
      "receives" may not; suffixes alone cannot say."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / name).read_text("utf-8"))


_CLOSED, _OPEN = _load("closed.toml"), _load("open.toml")

NOUN_VERBS = frozenset(_OPEN["noun_verbs"].split())
"""Base forms that are nouns as well: "support", "position"."""
MASS = frozenset(_OPEN["mass"].split())
"""Nouns that stand alone as an object: "storing data", "emitting light"."""
STOP_TERMS = frozenset(_CLOSED["stop"]["terms"].split())
"""Whole-claim names, carriers without technical content, quantities: no term by themselves."""
CARRIERS = frozenset(_CLOSED["stop"]["carriers"].split())
"""Heads that, without an article behind "in", are no thing: "in contact with"."""
CONTEXT = {name: frozenset(words.split()) for name, words in _CLOSED["context"].items()}
"""Small sets that single rules ask for."""
PLURALS: dict[str, str] = dict(pair.split() for pair in _CLOSED["plurals"]["irregular"].split(","))
UNCHANGED = frozenset(_CLOSED["plurals"]["unchanged"].split())

NUMERAL = r"\d+[a-z]{0,2}['’]?"
"""A reference sign: 12, 12a."""

_ADJECTIVE = re.compile(
    r"\w{3,}(?:able|ible|ous|ful|less|ive|ical|onal|inal|eral|ural|tial|cial|oidal|ic|ary|ular"
    r"|proof|shaped|like|most)$"
)
_HYPHENED = frozenset(("up", "down", "in", "out", "on", "off", "to", "through", "over", "like",
                       "free", "based", "type", "shaped", "side"))  # fmt: skip
_MOST_WORDS, _LONGEST_WORD = 200_000, 60
"""What is remembered; a longer word is a formula or an attack."""


class Lexicon(dict[str, str]):
    """Word → tag; unknown words are judged once and remembered, up to a bound."""

    def __missing__(self, word: str) -> str:
        """Judge an unknown word by its ending."""
        if word[0] == "(":
            return "#"  # (12): a reference sign
        tag = self._number(word) if word[0].isdigit() else self._word(word)
        if len(self) < _MOST_WORDS and len(word) <= _LONGEST_WORD and not word[0].isdigit():
            self[word] = tag
        return tag

    def _word(self, word: str) -> str:
        if "-" not in word:
            return _by_ending(word)
        last = word.rsplit("-", 1)[1]
        if not last:
            return "h"  # right- and left-hand
        if last in _HYPHENED or self[last] in "JOEG" or last.endswith("ed"):
            return "J"
        return _nominal(word)

    def _number(self, word: str) -> str:
        if re.fullmatch(rf"[\d.,/+-]+[%°]?|{NUMERAL}", word):
            return "O" if word[-2:] in ("st", "nd", "rd", "th") else "1"
        return "J" if word.endswith(("ed", "dimensional", "fold")) else _nominal(word)


def _by_ending(word: str) -> str:
    for ending, least, tag in (("ly", 4, "R"), ("ing", 5, "G"), ("ed", 4, "E")):
        if word.endswith(ending) and len(word) >= least:
            return tag
    return "J" if _ADJECTIVE.match(word) else _nominal(word)


def _nominal(word: str) -> str:
    return "S" if word.endswith("s") and not word.endswith(("ss", "us", "is")) else "N"


def verb_forms(base: str) -> tuple[str, ...]:
    """Give the inflected forms of a regular verb: -s, -ing, -ed, and with a doubled consonant.

    >>> verb_forms("dispose")
    ('disposes', 'disposing', 'disposed')
    >>> verb_forms("clip")
    ('clips', 'clipping', 'clipped', 'cliping', 'cliped')
    """
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base + "s", base[:-1] + "ing", base + "d"
    if base.endswith("y") and base[-2] not in "aeou":
        return base[:-1] + "ies", base + "ing", base[:-1] + "ied"
    third = base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    doubled = base + base[-1]
    if re.fullmatch(r".*[^aeiou][aeiou][bdgklmnprtvz]", base):
        return third, doubled + "ing", doubled + "ed", base + "ing", base + "ed"
    return third, base + "ing", base + "ed"


def _build() -> Lexicon:
    table = Lexicon()
    for verbs, base_tag, third_tag in ((_OPEN["verbs"].split(), "v", "V"), (NOUN_VERBS, "A", "Z")):
        for base in verbs:
            third, *others = verb_forms(base)
            table[base], table[third] = base_tag, third_tag
            table.update((form, "G" if form.endswith("g") else "E") for form in others)
    table.update(dict.fromkeys(_OPEN["acting"].split(), "z"))
    table.update(dict.fromkeys(_OPEN["participles"].split(), "E"))
    table.update(dict.fromkeys(MASS, "n"))
    table.update(dict.fromkeys(_OPEN["gerund_nouns"].split(), "g"))
    table.update((word + "s", "S") for word in _OPEN["gerund_nouns"].split())
    table.update((word, "Y" if word in NOUN_VERBS else "J") for word in _OPEN["adjectives"].split())
    table.update((w, _nominal(w)) for w in _OPEN["nouns"].split() if w not in NOUN_VERBS | MASS)
    table.update((word, tag) for tag, words in _CLOSED["closed"].items() for word in words.split())
    table.update(dict.fromkeys(_OPEN["ruling"].split(), "V"))
    table.update({sign: sign for sign in ",;:.()[]=<>≤≥±%°"})
    return table


LEXICON = _build()

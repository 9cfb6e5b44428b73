"""Words of claim English, and the tag of each before its neighbours are considered.

In:   lexicon.toml and words.toml beside this file.
Out:  LEXICON, a table word → tag that judges unknown words by their ending; a few word sets.
Why:  a chunker without a model must know that "supports" may be a noun or a verb, and that
      "receives" is a verb. Suffixes alone do not show this."""

from __future__ import annotations

import re

from phage.language.en.tags import Tag, signs
from phage.language.words import load_table, load_words

_OPEN = {k: v for k, v in load_table(__package__, "lexicon.toml").items() if k != "closed"}
_CLOSED = load_table(__package__, "lexicon.toml")["closed"]

NOUN_VERBS = frozenset(_OPEN["noun_verbs"].split())
"""Base forms that are nouns as well: "support", "position"."""
MASS = frozenset(_OPEN["mass"].split())
"""Nouns that stand alone as an object: "storing data", "emitting light"."""
CONTEXT = load_words(__package__)
"""Small sets that single rules use."""

NUMERAL = r"\d+[a-z]{0,2}['’]?"
"""A reference sign: 12, 12a."""

_ADJECTIVE = re.compile(
    r"\w{3,}(?:able|ible|ous|ful|less|ive|ical|onal|inal|eral|ural|tial|cial|oidal|ic|ary|ular"
    r"|proof|shaped|like|most)$"
)
_HYPHENED = frozenset(("up", "down", "in", "out", "on", "off", "to", "through", "over", "like",
                       "free", "based", "type", "shaped", "side"))  # fmt: skip
_NUMBER = re.compile(rf"[\d.,/+-]+[%°]?|{NUMERAL}")
_DESCRIBES = signs("MOD ED ING")
_MOST_WORDS, _LONGEST_WORD = 200_000, 60
"""The longest word that is remembered; a longer one is a formula or an attack."""


class Lexicon(dict[str, str]):
    """Word → tag; unknown words are judged once and remembered, up to a limit."""

    def __missing__(self, word: str) -> str:
        """Judge an unknown word by its ending."""
        if word[0] == "(":
            return Tag.SIGN.value  # (12)
        tag = str(self._number(word) if word[0].isdigit() else self._word(word))
        if len(self) < _MOST_WORDS and len(word) <= _LONGEST_WORD and not word[0].isdigit():
            self[word] = tag
        return tag

    def _word(self, word: str) -> str:
        if "-" not in word:
            return _by_ending(word)
        last = word.rsplit("-", 1)[1]
        if not last:
            return Tag.HALF
        if last in _HYPHENED or self[last] in _DESCRIBES or last.endswith("ed"):
            return Tag.ADJ
        return _nominal(word)

    def _number(self, word: str) -> str:
        if _NUMBER.fullmatch(word):
            return Tag.ORD if word[-2:] in ("st", "nd", "rd", "th") else Tag.NUM
        return Tag.ADJ if word.endswith(("ed", "dimensional", "fold")) else _nominal(word)


def _by_ending(word: str) -> str:
    for ending, least, tag in (("ly", 4, Tag.ADV), ("ing", 5, Tag.ING), ("ed", 4, Tag.ED)):
        if word.endswith(ending) and len(word) >= least:
            return tag
    return Tag.ADJ if _ADJECTIVE.match(word) else _nominal(word)


def _nominal(word: str) -> str:
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return Tag.NOUNS if plural else Tag.NOUN


def verb_forms(base: str) -> tuple[str, ...]:
    """Return the inflected forms of a regular verb: -s, -ing, -ed, and with a doubled consonant.

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
    """Fill the table; later entries are more certain and replace earlier ones."""
    table = Lexicon()
    words = {name: text.split() for name, text in _OPEN.items()}
    for verbs, base_tag, third_tag in (
        (words["verbs"], Tag.BASE, Tag.VERB),
        (NOUN_VERBS, Tag.NOUN_VERB, Tag.NOUNS_VERB),
    ):
        for base in verbs:
            third, *others = verb_forms(base)
            table[base], table[third] = base_tag, third_tag
            table.update((form, Tag.ING if form.endswith("g") else Tag.ED) for form in others)
    table.update(dict.fromkeys(words["acting"], Tag.VERB_NOUNS))
    table.update(dict.fromkeys(words["participles"], Tag.ED))
    table.update(dict.fromkeys(MASS, Tag.MASS))
    table.update(dict.fromkeys(words["gerund_nouns"], Tag.ING_NOUN))
    table.update((word + "s", Tag.NOUNS) for word in words["gerund_nouns"])
    table.update((w, Tag.ADJ_VERB if w in NOUN_VERBS else Tag.ADJ) for w in words["adjectives"])
    table.update((w, _nominal(w)) for w in words["nouns"] if w not in NOUN_VERBS | MASS)
    for tag, listed in _CLOSED.items():
        table.update(dict.fromkeys(listed.split(), Tag[tag]))
    table.update(dict.fromkeys(words["ruling"], Tag.VERB))
    table.update({sign: sign for sign in ",;:.()[]=<>≤≥±%°"})
    return Lexicon({word: str(tag) for word, tag in table.items()})  # plain strings join faster


LEXICON = _build()

"""Fold a claim into nodes: noun phrases and the words between them.

In:   a TaggedClaim and its NounPhrases.
Out:  Nodes: a string of signs, and per sign its word and its phrases.
Why:  around a verb, only the noun phrases matter, not their length.

Signs: n noun phrase, q "one" or "each" alone, e -ed, g -ing, v other verb, b auxiliary,
j adjective without noun, t to, p preposition, o of, c and, w which or that, W wherein and the
like, a comma, and ; for every stronger stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phage.language.en.lexicon import CONTEXT
from phage.language.en.noun_phrases import NounPhrase, full_name
from phage.language.en.tagging import TaggedClaim
from phage.language.en.tags import signs

_SIGN = {
    sign: node
    for node, tags in (
        ("b", "BE HAVE CAN"), ("j", "MOD"), ("t", "TO"), ("p", "PREP"), ("o", "OF"), ("c", "AND"),
        ("w", "WHICH"), ("W", "WHERE"), (",", "COMMA"), (";", "SEMI COLON STOP"),
        ("q", "NUM DET LOT"),
    )
    for sign in signs(tags)
}  # fmt: skip
_TO_LIST, _VERB = signs("TO COLON"), signs("VERB")
_VERBAL = frozenset(signs("AUX VERB"))
_AWAY = CONTEXT["away"]
"""Adverbs that end a verb's reach: "mounted to the bar adjacent to the edge"."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """A claim as signs; ``words`` and ``phrases`` run along."""

    signs: str
    words: tuple[str, ...]
    """The word of each sign; the first one of a noun phrase."""
    phrases: tuple[tuple[NounPhrase, ...], ...]
    """The phrases of each sign: several for "first and second arms", none outside noun phrases."""


def fold(reading: TaggedClaim, phrases: Sequence[NounPhrase], verbs: Sequence[int] = ()) -> Nodes:
    """Fold a claim, from the clause of the first of these words to that of the last.

    Adverbs and pronouns are dropped.

    >>> from phage.language.en.noun_phrases import find_phrases
    >>> from phage.language.en.tagging import read_claim
    >>> claim = read_claim("a first shaft rotatably coupled to the housing, which is fixed")
    >>> fold(claim, find_phrases(claim)).signs
    'netn,wbe'
    """
    groups: dict[int, list[NounPhrase]] = {}
    for phrase in phrases:
        groups.setdefault(phrase.left, []).append(phrase)
    found: list[tuple[str, str, tuple[NounPhrase, ...]]] = []
    index, size = _reach(reading, verbs)
    while index < size:
        word, group = reading.words[index], groups.get(index, ())
        sign = "n" if group else _sign(reading.tags[index], word)
        if sign:
            found.append((sign, word, tuple(group)))
        index = _after(group[-1], reading) if group else index + 1
    signs, words, held = zip(*found, strict=True) if found else ((), (), ())
    return Nodes("".join(signs), words, held)


def _after(phrase: NounPhrase, reading: TaggedClaim) -> int:
    """Return the word after a phrase; "means for cooling" is one node if its verb follows."""
    if phrase.term == "means":
        _, last = full_name(phrase, reading)
        if reading.tags[last + 1 : last + 2] in _VERBAL:
            return last + 1
    return phrase.last + 1


def _reach(reading: TaggedClaim, places: Sequence[int]) -> tuple[int, int]:
    """Return the words between the semicolons around the given ones."""
    if not places:
        return 0, len(reading.tags)
    start = reading.tags.rfind(";", 0, places[0]) + 1
    end = reading.tags.find(";", places[-1])
    # "configured to: receive ...; and send ..." goes on behind the semicolon.
    open_list = end < 0 or _TO_LIST in reading.tags
    return start, len(reading.tags) if open_list else end


def _sign(tag: str, word: str) -> str:
    if tag == _VERB:
        return "g" if word.endswith("ing") else "e" if word.endswith("ed") else "v"
    return "j" if word in _AWAY else _SIGN.get(tag, "")

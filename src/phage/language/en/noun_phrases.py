"""Noun phrases of a tagged claim, as terms with their determiners.

In:   a TaggedClaim.
Out:  NounPhrases: normalised term, determiner, first and last word.
Why:  this is the annotation guideline in code. Pre-modifiers stay, and the head becomes singular.
      Determiners, numerals and quantities go. "first and second arms" are two phrases."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from phage.language.en.lexicon import LEXICON, MASS
from phage.language.en.plurals import singular
from phage.language.en.tagging import LONGEST, TaggedClaim
from phage.language.en.tags import signs, tag_pattern
from phage.language.types import Determiner

_PHRASE = re.compile(
    # Nothing else begins one.
    tag_pattern("(?=DET|NUM|ABOUT|ADV|MOD|NOUN|NOUNS|LOT|HALF)")
    + tag_pattern("THE? A|SOME? THE?")  # the, said, a, each
    + tag_pattern("(?:ABOUT|ADV* NUM (?:AND ABOUT|NUM)? ABOUT*)?")  # at least one, one or more
    + tag_pattern("(?:MOD* LOT OF)?")  # plurality of
    + tag_pattern("(?:THE? ABOUT* NUM? (?:AND ABOUT)?)?")  # ... the two
    # first and
    + tag_pattern("((?:(?:ADV* MOD+ COMMA)* ADV* MOD+ COMMA? AND ART? (?=ADV* MOD)")
    + tag_pattern("| (?:HALF COMMA?)+ AND (?=MOD|NOUN|NOUNS))?)")
    # Sign by sign, so that there is one way to read a run; Python 3.11.0 to 3.11.4 misread
    # possessive ones (*+).
    + tag_pattern("(?:(?:MOD | (?<!NOUN|NOUNS) ADV+ (?=MOD) | (?<=MOD) ADV")
    + tag_pattern("| (?<=ADJ) COMMA (?=ADV* ADJ* NOUN|NOUNS))* NOUN|NOUNS){1,}")
)


class NounPhrase(NamedTuple):
    """A noun phrase: words ``first`` to ``last`` (both inside), without its determiner."""

    term: str
    determiner: Determiner
    first: int
    last: int
    left: int
    """The first word with its determiner."""

    @property
    def bare(self) -> bool:
        """Return whether no determiner and no number stands before it."""
        return self.left == self.first


def find_phrases(reading: TaggedClaim) -> tuple[NounPhrase, ...]:
    """Find all noun phrases in order, including the claimed thing and empty carriers.

    >>> from phage.language.en.tagging import read_claim
    >>> text = "at least two drive shafts of the pump, the first and second arms"
    >>> [(p.term, str(p.determiner)) for p in find_phrases(read_claim(text))]
    [('drive shaft', 'indef'), ('pump', 'def'), ('first arm', 'def'), ('second arm', 'def')]
    """
    short = not reading.ends or reading.ends[-1] <= LONGEST
    return _remembered(reading) if short else phrases_of(reading)


@lru_cache(maxsize=256)
def _remembered(reading: TaggedClaim) -> tuple[NounPhrase, ...]:
    return phrases_of(reading)


def phrases_of(reading: TaggedClaim) -> tuple[NounPhrase, ...]:
    """Do the same and remember nothing."""
    words, tags, possessive = reading.words, reading.tags, reading.possessive
    found: list[NounPhrase] = []
    alone: set[str] = set()  # heads that stood bare
    seen, new, previous = 0, tuple.__new__, -9  # the constructor of a NamedTuple is Python
    for match in _PHRASE.finditer(tags):
        left, end = match.span()
        joined, first = match.span(1)
        last = end - 1
        if left < joined:
            determiner = _DEF if _THE in tags[left:joined] else _INDEF
        else:
            determiner = _INDEF
            if previous == left - 2:
                alone.update([words[phrase.last] for phrase in found[seen:] if phrase.bare])
                seen = len(found)
                if _continues(found[-1], (left, last), reading, alone):
                    determiner = found[-1].determiner
        previous = last
        if joined < first:
            for start, pieces in _distributed(words, tags, joined, (first, words[first:end])):
                found.append(NounPhrase(_term(pieces), determiner, start, last, left))
            continue
        if first - left == 2 and tags[left:first] == _A_ONE and tags[last] == _NOUN:
            first -= 1  # a one piece element
        owner = _owner(words, first, end) if possessive else -1
        if owner >= 0:  # the vehicle's wheel: the vehicle, and its wheel
            whose = (*words[first:owner], words[owner][:-2])
            found.append(NounPhrase(_term(whose), determiner, first, owner, left))
            first = left = owner + 1
        term = _known_word(words[last]) if first == last else _term(words[first:end])
        found.append(new(NounPhrase, (term, determiner, first, last, left)))
    return tuple(_each_again(found, words) if "each" in words else found)


def full_name(phrase: NounPhrase, reading: TaggedClaim) -> tuple[str, int]:
    """Return a phrase's term and last word; "means" includes its purpose.

    >>> from phage.language.en.tagging import read_claim
    >>> reading = read_claim("said means for quickly cooling the oil")
    >>> full_name(find_phrases(reading)[0], reading)
    ('means for cooling', 4)
    """
    words, at = reading.words, phrase.last + 2
    if phrase.term == "means" and words[at - 1 : at] == ("for",):
        while at < len(words) and reading.tags[at] == _ADV:
            at += 1
        if at < len(words) and words[at].endswith("ing"):
            return f"means for {words[at]}", at
    return phrase.term, phrase.last


def _owner(words: tuple[str, ...], first: int, end: int) -> int:
    """Return the position of a possessive in a phrase, or -1."""
    for index in range(first, end - 1):
        if words[index].endswith(("'s", "’s")):
            return index
    return -1


def _each_again(found: list[NounPhrase], words: tuple[str, ...]) -> list[NounPhrase]:
    """Let "each arm" refer to the arms that the claim has already mentioned."""
    mentioned: set[str] = set()
    for index, phrase in enumerate(found):
        if words[phrase.left] == "each" and phrase.term in mentioned:
            found[index] = phrase._replace(determiner=Determiner.DEF)
        mentioned.add(phrase.term)
    return found


def _continues(
    previous: NounPhrase, span: tuple[int, int], reading: TaggedClaim, alone: set[str]
) -> bool:
    """Return whether the article of "the arm and shaft" also applies to the shaft."""
    (left, last), tags, words = span, reading.tags, reading.words
    if tags[left - 1] != _AND or previous.bare:
        return False
    if tags[previous.last] != tags[last] or words[last] in MASS:
        return False
    # What stood bare before needs no article: "the oxime and thionyl chloride".
    return words[last] not in alone


def _distributed(
    words: tuple[str, ...], tags: str, start: int, whole: tuple[int, tuple[str, ...]]
) -> list[tuple[int, tuple[str, ...]]]:
    """Return "first arms" and "second arms" of "first, second and third arms"."""
    first, rest = whole
    leading = _LEADING.match(tags, first)
    own = max(1, len(leading[0]) if leading else 0)  # words that the others replace
    pieces: list[tuple[int, tuple[str, ...]]] = []
    begin = start
    for index in range(start, first):
        if tags[index] in _SEPARATES:
            if index > begin:
                front = words[begin:index]
                if front[-1].endswith("-") and "-" in rest[0]:  # right- and left-hand arms
                    front = (*front[:-1], front[-1] + rest[0].split("-", 1)[1])
                pieces.append((begin, (*front, *rest[min(own, len(front)) :])))
            begin = index + 1
    shared = words[start : start + len(pieces[0][1]) - len(rest)] if len(pieces) == 1 else ()
    return [*pieces, (first, (*shared, *rest))]  # elongate first and second members


_DEF, _INDEF = Determiner.DEF, Determiner.INDEF
_LEADING = re.compile(tag_pattern("ADV|MOD*"))
_SEPARATES, _A_ONE = signs("COMMA AND ART"), signs("A NUM")
_THE, _NOUN, _AND, _ADV = signs("THE"), signs("NOUN"), signs("AND"), signs("ADV")
_NAMES = signs("NOMINAL PAIR NUMBER")
_LABEL = re.compile(r"[a-z]|[ivx]{2,4}|[a-z]{1,2}\d{1,3}[a-z]?|[a-z]?[α-ωϕƒ][a-z]?")
"""formula I, point A, switch S1"""
_EMPTY = frozenset(("other", "same", "certain", "only", "very", "respective", ","))
"""Modifiers that do not distinguish things: "respective hubs" are just hubs."""


def _term(words: tuple[str, ...]) -> str:
    return _known_term(words) if len(words) <= 20 else _spelled(words)


@lru_cache(maxsize=50_000)
def _known_word(word: str) -> str:
    return singular(word)


@lru_cache(maxsize=50_000)
def _known_term(words: tuple[str, ...]) -> str:
    return _spelled(words)


def _spelled(words: tuple[str, ...]) -> str:
    first, last = 0, len(words) - 1
    while last and _LABEL.fullmatch(words[last]) and LEXICON[words[last - 1]] in _NAMES:
        last -= 1
    while first < last and words[first] in _EMPTY:
        first += 1
    return " ".join([*(word for word in words[first:last] if word != ","), singular(words[last])])

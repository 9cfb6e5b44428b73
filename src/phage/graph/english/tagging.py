"""Read a claim: words, where they stand, and what each is.

In:   claim text.
Out:  a Reading.
Why:  what a noun phrase is and what a verb joins follow from the tags by regular expressions,
      at a few microseconds a word and without a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from phage.graph.english.lexicon import LEXICON, NUMERAL
from phage.graph.english.rules import resolve

_TOKEN = re.compile(
    rf"""
    \(\s*(?:(?:{NUMERAL}|[a-z]|[ivx]{{1,4}})(?:\s*[,;/–-]\s*)?)+\s*\)  # (12), (3a, 3b), (ii)
    |[^\W_](?:[\w'’/%°+*-]|[.,](?=\d)|\((?=[^\s()]*\)[\w-])|(?<=\w)\)(?=[\w-]))*
    |[%°][cfk]?
    |[,;:.()\[\]=<>≤≥±]
    """,
    re.VERBOSE,
)
_SIGN = re.compile(r"(?<=[NSAZngG])1(?![NSAnUJO1XF])")
"""A bare reference sign behind its noun: "the arm 12 is"."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim as words, spans and tags; all of one length."""

    words: tuple[str, ...]
    """Lower case, as printed; reference signs left out."""
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    tags: str
    """One sign per word; ``rules.py`` lists them."""


@lru_cache(maxsize=256)
def read_claim(text: str) -> Reading:
    """Split a claim into words and tag them.

    >>> read_claim("A shaft (12) that supports the rotating supports.").tags
    'aNwVDJS.'
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow: İ
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    tokens = [
        (word, match.start(), match.end())
        for match in _TOKEN.finditer(lower)
        if (word := match.group())[0] != "(" or len(word) == 1
    ]
    tags = "".join([LEXICON[word] for word, _, _ in tokens])
    if _SIGN.search(tags):
        places = [match.start() for match in _SIGN.finditer(tags)]
        gone = {place for place in places if tokens[place][0][0].isdigit()}
        tokens = [token for index, token in enumerate(tokens) if index not in gone]
        tags = "".join([tag for index, tag in enumerate(tags) if index not in gone])
    if not tokens:
        return Reading((), (), (), "")
    words, starts, ends = zip(*tokens, strict=True)
    return Reading(words, starts, ends, resolve(tags, words))

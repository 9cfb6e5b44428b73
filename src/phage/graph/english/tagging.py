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
_SIGN = re.compile(r"(?<=[NSAZngqkG#])1(?![NSAnUJO1XF])")
"""A bare reference sign behind its noun: "the arm 12 is"."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A claim as words and tags, of one length."""

    words: tuple[str, ...]
    """Lower case, as printed; reference signs left out."""
    tags: str
    """One sign per word; ``rules.py`` lists them."""
    matches: tuple[re.Match[str], ...]
    """Where each word was found."""

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Give the characters of words ``first`` to ``last``, both inside."""
        return self.matches[first].start(), self.matches[last].end()


@lru_cache(maxsize=256)
def read_claim(text: str) -> Reading:
    """Split a claim into words and tag them.

    >>> read_claim("A shaft (12) that supports the rotating supports 14.").tags
    'aNwVDJS.'
    """
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow: İ
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    matches = list(_TOKEN.finditer(lower))
    words = [match[0] for match in matches]
    tags = "".join(map(LEXICON.__getitem__, words))
    if "#" in tags or _SIGN.search(tags):
        tags = _SIGN.sub("#", tags) if _SIGN.search(tags) else tags
        kept = [index for index, tag in enumerate(tags) if tag != "#" or words[index].isalpha()]
        matches, words = [matches[index] for index in kept], [words[index] for index in kept]
        tags = "".join([tags[index] for index in kept]).replace("#", "1")
    return Reading(tuple(words), resolve(tags, words), tuple(matches))

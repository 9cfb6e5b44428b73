"""Noun phrases of a tagged claim, as terms with their determiners.

In:   a Reading.
Out:  Phrases: normalised term, determiner, first and last word.
Why:  the reading guideline in code: pre-modifiers stay, the head is singular, determiners,
      numerals and quantities go, "first and second arms" are two."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from phage.graph.english.lexicon import MASS
from phage.graph.english.plurals import singular
from phage.graph.english.tagging import Reading
from phage.graph.language.types import Determiner

_PHRASE = re.compile(
    r"""
    (?=[DaI1LRJONSQ])                        # nothing else begins one
    (?P<det>D?[aI]?D?)                       # the, said, a, each
    (?P<count>(?:[LR]*1(?:C[L1])?[LR]*)?)    # at least one, one or more, two
    (?P<of>(?:[JO]*Qo)?)                     # plurality of
    (?P<inner>(?:D?L*1?(?:CL)?)?)            # ... the two
    (?P<joined>(?:(?:R*[JO]+,)*R*[JO]+,?C[Da]?(?=R*[JO]))?)  # first and
    (?P<core>(?:[NSJO]|R+(?=[JO])|(?<=[JONS])R|(?<=J),(?=R*J*[NS]))*[NS])
    """,
    re.VERBOSE,
)


class Phrase(NamedTuple):
    """A noun phrase: words ``first`` to ``last`` (both inside), without its determiner."""

    term: str
    determiner: Determiner
    first: int
    last: int
    left: int
    """The first word with its determiner."""

    @property
    def bare(self) -> bool:
        """Say whether no determiner and no number stands before it."""
        return self.left == self.first


@lru_cache(maxsize=64)
def find_phrases(reading: Reading) -> tuple[Phrase, ...]:
    """Find all noun phrases in order, the claimed thing and empty carriers too.

    >>> from phage.graph.english.tagging import read_claim
    >>> text = "at least two drive shafts of the pump, the first and second arms"
    >>> [(p.term, str(p.determiner)) for p in find_phrases(read_claim(text))]
    [('drive shaft', 'indef'), ('pump', 'def'), ('first arm', 'def'), ('second arm', 'def')]
    """
    words, tags = reading.words, reading.tags
    found: list[Phrase] = []
    introduced: set[str] = set()
    for match in _PHRASE.finditer(tags):
        left = match.start()
        joined, first = match.span("joined")
        last = match.end() - 1
        terms = [(first, words[first : last + 1])]
        if joined < first:
            terms[:0] = _distributed(words, tags, joined, terms[0])
        elif match.group("det") == "a" and match.group("count") == "1" and tags[last] == "N":
            terms = [(first - 1, words[first - 1 : last + 1])]  # a one piece element
        before = tags[left:joined]
        definite = "D" in before
        if not before and found and _continues(found[-1], left, last, reading):
            definite = found[-1].determiner is Determiner.DEF
        for start, pieces in terms:
            term = _term(pieces)
            again = words[left] == "each" and term in introduced
            determiner = Determiner.DEF if definite or again else Determiner.INDEF
            if not definite:
                introduced.add(term)
            found.append(Phrase(term, determiner, start, last, left))
    return tuple(found)


def _continues(previous: Phrase, left: int, last: int, reading: Reading) -> bool:
    """Say whether the article of "the arm and shaft" holds for the shaft."""
    if previous.last != left - 2 or reading.tags[left - 1] != "C" or previous.bare:
        return False
    return reading.tags[previous.last] == reading.tags[last] and reading.words[last] not in MASS


def _distributed(
    words: tuple[str, ...], tags: str, start: int, whole: tuple[int, tuple[str, ...]]
) -> list[tuple[int, tuple[str, ...]]]:
    """Give "first arms" and "second arms" of "first, second and third arms"."""
    first, rest = whole
    pieces: list[tuple[int, tuple[str, ...]]] = []
    begin = start
    for index in range(start, first):
        if tags[index] in ",CaD":
            if index > begin:
                front = words[begin:index]
                if front[-1].endswith("-") and "-" in rest[0]:  # right- and left-hand arms
                    front = (*front[:-1], front[-1] + rest[0].split("-", 1)[1])
                pieces.append((begin, (*front, *rest[len(front) :])))
            begin = index + 1
    return pieces


_LABELS = frozenset((*"abcdefghijklmnopqrstuvwxyz", "ii", "iii", "iv", "vi", "vii", "viii"))
_EMPTY = frozenset(("other", "same", "certain", "only", "very", ","))


@lru_cache(maxsize=50_000)
def _term(words: tuple[str, ...]) -> str:
    while len(words) > 1 and words[-1] in _LABELS:  # formula I, point A
        words = words[:-1]
    while len(words) > 1 and words[0] in _EMPTY:
        words = words[1:]
    return " ".join([*(word for word in words[:-1] if word != ","), singular(words[-1])])

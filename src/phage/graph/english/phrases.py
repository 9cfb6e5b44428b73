"""Noun phrases of a tagged claim, as terms with their determiners.

In:   a Reading.
Out:  Phrases: first and last word, normalised term, determiner; stop terms left out.
Why:  the reading guideline in code: pre-modifiers stay, the head is singular, numerals,
      quantities and the claimed thing itself are no terms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from phage.graph.english.plurals import singular
from phage.graph.english.tagging import Reading
from phage.graph.english.words import STOP_TERMS
from phage.graph.language.types import Determiner

_PHRASE = re.compile(
    r"""
    (?P<det>D?[aI]?D?)                       # the, said, a, each
    (?P<count>(?:[LR]*1(?:C[L1])?[LR]*)?)    # at least one, one or more, two
    (?P<of>(?:[JO]*Qo)?)                     # plurality of
    (?P<inner>(?:D?L*1?(?:CL)?)?)            # ... the two
    (?P<joined>(?:(?:R*[JO]+,)*R*[JO]+,?C[Da]?(?=R*[JO]))?)  # first and
    (?P<core>(?:R*[JO]|[NS])*[NS])
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Phrase:
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


def find_phrases(reading: Reading) -> list[Phrase]:
    """Find all noun phrases in order, the claimed thing and empty carriers too.

    >>> from phage.graph.english.tagging import read_claim
    >>> text = "at least two drive shafts of the pump, the first and second arms"
    >>> [(p.term, str(p.determiner)) for p in find_phrases(read_claim(text))]
    [('drive shaft', 'indef'), ('pump', 'def'), ('first arm', 'def'), ('second arm', 'def')]
    """
    words = reading.words
    found: list[Phrase] = []
    for match in _PHRASE.finditer(reading.tags):
        first, end = match.span("core")
        before = reading.tags[match.start() : match.start("joined")]
        definite = "D" in before
        if not before and found and _joined_to(found[-1], match.start(), reading.tags):
            definite = found[-1].determiner is Determiner.DEF
        determiner = Determiner.DEF if definite else Determiner.INDEF
        if match.group("joined"):
            for piece in _pieces(match.start("joined"), first, reading.tags):
                tail = words[first + len(piece) : end]
                term = _term((*(words[index] for index in piece), *tail))
                found.append(Phrase(term, determiner, piece[0], end - 1, match.start()))
        term = _term(words[first:end])
        found.append(Phrase(term, determiner, first, end - 1, match.start()))
    return found


_LABELS = frozenset((*"abcdefghijklmnopqrstuvwxyz", "ii", "iii", "iv", "vi", "vii", "viii"))


def _joined_to(previous: Phrase, start: int, tags: str) -> bool:
    """Say whether only "and" stands between: the article of the first holds for the second."""
    return previous.last == start - 2 and tags[start - 1] == "C"


def _pieces(start: int, end: int, tags: str) -> list[range]:
    """Give the word ranges of "first," and "second" in "first, second and third arms"."""
    pieces, begin = [], start
    for index in range(start, end):
        if tags[index] in ",C":
            if index > begin:
                pieces.append(range(begin, index))
            begin = index + 1
    return pieces


@lru_cache(maxsize=50_000)
def _term(words: tuple[str, ...]) -> str:
    while len(words) > 1 and words[-1] in _LABELS:  # formula I, point A
        words = words[:-1]
    return " ".join((*words[:-1], singular(words[-1])))

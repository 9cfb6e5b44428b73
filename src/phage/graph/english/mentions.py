"""The technical terms of a claim.

In:   claim text.
Out:  Mentions in order of appearance.
Why:  what a claim speaks of, less what every claim speaks of: itself."""

from __future__ import annotations

from functools import lru_cache

from phage.graph.english.clauses import FORMS, Clauses
from phage.graph.english.phrases import Phrase, find_phrases
from phage.graph.english.tagging import Reading, read_claim
from phage.graph.english.words import STOP_TERMS
from phage.graph.language.types import Component, Determiner, Mention

# What may stand between a claimed thing and the "claim" it refers to.
_REFERRING = frozenset(
    """
    of in to according as claimed recited defined set forth described specified stated by with
    accordance any one more or the preceding foregoing previous per under at least either each
    and/or and on from which is disclosed mentioned characterized such said claim claims , ( -
    """.split()
)


def mentions(text: str) -> tuple[Mention, ...]:
    """Find the technical noun phrases of a claim.

    >>> claim = "The pump of claim 1, wherein a first drive shaft (12) of the pump holds the rotor."
    >>> [(mention.term, str(mention.determiner)) for mention in mentions(claim)]
    [('first drive shaft', 'indef'), ('rotor', 'def')]
    """
    reading = read_claim(text)
    return tuple(
        [
            Mention(phrase.term, phrase.determiner, reading.starts[phrase.first],
                    reading.ends[phrase.last])
            for phrase in terms(text)
        ]
    )  # fmt: skip


@lru_cache(maxsize=256)
def terms(text: str) -> tuple[Phrase, ...]:
    """Find the phrases of a claim that are technical terms."""
    reading = read_claim(text)
    phrases = find_phrases(reading)
    own = _own_names(reading, phrases)
    kept = [phrase for phrase in phrases if _technical(phrase, own)]
    return tuple(kept)


def _technical(phrase: Phrase, own: frozenset[str]) -> bool:
    term = phrase.term
    return term not in STOP_TERMS and term not in own and len(term) > 1


def _own_names(reading: Reading, phrases: list[Phrase]) -> frozenset[str]:
    """Name the claimed thing and what is taken over from another claim by reference."""
    if not phrases:
        return frozenset()
    names = [phrases[0].term]
    if phrases[0].determiner is Determiner.INDEF:
        names += _referred(reading, phrases)
    introduced = {
        phrase.term
        for phrase in phrases[1:]
        if phrase.determiner is Determiner.INDEF and not phrase.bare
    }
    own = set(names)
    for name in names:
        words = name.split(" ")
        own.update(" ".join(words[index:]) for index in range(1, len(words)))
    return frozenset(own - (introduced - set(names)))


def _referred(reading: Reading, phrases: list[Phrase]) -> list[str]:
    """Find what "the engine of claim 1" takes over."""
    names = []
    for index, word in enumerate(reading.words):
        if word in ("claim", "claims"):
            at = index - 1
            while at >= 0 and reading.words[at] in _REFERRING:
                at -= 1
            names += [phrase.term for phrase in phrases if phrase.last == at]
    return names


def components(text: str, found: tuple[Mention, ...]) -> tuple[Component, ...]:
    """Find the terms that the 13 verbs join, in order of appearance, each once.

    >>> claim = "A pump comprising a housing configured to receive a battery."
    >>> [(part.term, part.verb) for part in components(claim, mentions(claim))]
    [('housing', 'configure'), ('battery', 'configure')]
    """
    reading = read_claim(text)
    if FORMS.keys().isdisjoint(reading.words):
        return ()
    known = {(mention.start, mention.term) for mention in found}
    parts: dict[str, Component] = {}
    for phrase, verb in Clauses(reading, list(find_phrases(reading))).components():
        start = reading.starts[phrase.first]
        if (start, phrase.term) in known and phrase.term not in parts:
            end = reading.ends[phrase.last]
            parts[phrase.term] = Component(phrase.term, verb, start, end)
    return tuple(parts.values())

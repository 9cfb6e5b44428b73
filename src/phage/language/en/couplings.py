"""English: the terms that the 13 verbs join, by patterns around the verb.

In:   claim text and its mentions.
Out:  Components in order of appearance.
Why:  ``clauses`` finds noun phrases; only the technical terms among them may carry an edge."""

from __future__ import annotations

from phage.language.en.clauses import FORMS, Clauses
from phage.language.en.nodes import fold
from phage.language.en.noun_phrases import find_phrases, full_name
from phage.language.en.tagging import read_claim
from phage.language.en.tags import signs
from phage.language.types import Component, Mention, OnDense, ignored

_VERB = signs("VERB")


def components(
    text: str, found: tuple[Mention, ...], on_dense: OnDense = ignored
) -> tuple[Component, ...]:
    """Find the terms that the 13 verbs join, in order of appearance, each once.

    >>> from phage.language.en.mentions import mentions
    >>> claim = "A pump comprising a housing configured to receive a battery."
    >>> [(part.term, part.verb) for part in components(claim, mentions(claim))]
    [('housing', 'configure'), ('battery', 'configure')]
    """
    reading = read_claim(text)
    if FORMS.keys().isdisjoint(reading.words):
        return ()
    verbs = [
        at for at, word in enumerate(reading.words) if word in FORMS and reading.tags[at] == _VERB
    ]
    if not verbs:
        return ()
    known = {(mention.start, mention.term) for mention in found}
    parts: dict[str, Component] = {}
    clauses = Clauses(fold(reading, find_phrases(reading), verbs))
    for phrase, verb in clauses.components():
        term, last = full_name(phrase, reading)
        start, end = reading.span(phrase.first, last)
        if (start, term) in known and term not in parts:
            parts[term] = Component(term, verb, start, end)
    if clauses.dense:
        on_dense()
    return tuple(parts.values())

"""English: the technical terms of a claim.

In:   claim text.
Out:  Mentions in order of appearance.
Why:  these are the things a claim names, without the claim itself, which every claim names."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from phage.language.en.abbreviations import abbreviations
from phage.language.en.lexicon import CONTEXT, LEXICON
from phage.language.en.noun_phrases import NounPhrase, find_phrases, full_name
from phage.language.en.tagging import TaggedClaim, read_claim
from phage.language.en.tags import Tag, tag_pattern
from phage.language.types import Determiner, Mention

__all__ = ["abbreviations", "mentions"]

# What may stand between a claimed thing and the "claim" it refers to.
_REFERRING = CONTEXT["referring"]
_STOP, _CARRIERS = CONTEXT["stop"], CONTEXT["carriers"]
_VERB = re.compile(Tag.VERB)
_SYMBOL = re.compile(r"(?!.*[a-z]{3})(?=.*\d).*|.|seq id.*|(?:.* )?formula|[ivx]{2,5}")
"""Variables, formulae and numbers: R1, n391, 130n/m."""
_MEMBERS = tuple(
    (word,) for word in ["consisting", "comprising", "including", "of", "containing", "thereof"]
)


def mentions(text: str) -> tuple[Mention, ...]:
    """Find the technical noun phrases of a claim.

    >>> claim = "The pump of claim 1, wherein a first drive shaft (12) of the pump holds the rotor."
    >>> [(mention.term, str(mention.determiner)) for mention in mentions(claim)]
    [('first drive shaft', 'indef'), ('rotor', 'def')]
    """
    reading = read_claim(text)
    phrases = find_phrases(reading)
    own = _own_names(text, reading, phrases)
    skipped = _preamble_end(reading, phrases)
    found, inside = list[Mention](), -1  # the "heating" of "means for heating" is part of its name
    for phrase in phrases:
        term, _, first, last, _ = phrase
        if first <= skipped:
            continue
        if term == "means":  # a stop term, unless it says what for
            term, last = full_name(phrase, reading)
            inside = last
            wanted = term != "means" and term not in own
        else:
            wanted = not first == last == inside and _technical(phrase, own, reading)
        if wanted:
            found.append(Mention(term, phrase.determiner, *reading.span(first, last)))
    return tuple(found)


def _technical(phrase: NounPhrase, own: set[str], reading: TaggedClaim) -> bool:
    """Return whether a phrase names a part of the invention."""
    if phrase.term in own:
        return False
    worth = _worth(phrase.term)
    if worth is not Worth.BY_CONTEXT:
        return worth is Worth.ALWAYS
    words = reading.words
    before, after = (
        words[phrase.left - 1] if phrase.left else "",
        words[phrase.last + 1 : phrase.last + 2],
    )
    if phrase.term == "function":  # as a function of
        return before != "as"
    if phrase.term in ("group", "mixture"):  # the group consisting of, a mixture thereof
        return after not in _MEMBERS
    # "in contact with", "in close proximity to": a relation in a noun's clothes.
    return not phrase.bare or before not in ("in", "into", "at", "by", "on")


class Worth(Enum):
    """Whether a term carries meaning."""

    NEVER, BY_CONTEXT, ALWAYS = range(3)


def _worth(term: str) -> Worth:
    return _known_worth(term) if len(term) <= 200 else _judged(term)


@lru_cache(maxsize=50_000)
def _known_worth(term: str) -> Worth:
    return _judged(term)


def _judged(term: str) -> Worth:
    head = term.rsplit(" ", 1)[-1]
    if term in _STOP or _SYMBOL.fullmatch(term):
        return Worth.NEVER
    if head.endswith("ing") and LEXICON[head] == Tag.ING:  # the laying of the web: an act
        return Worth.NEVER
    doubtful = head in _CARRIERS or term in ("function", "group", "mixture")
    return Worth.BY_CONTEXT if doubtful else Worth.ALWAYS


def _preamble_end(reading: TaggedClaim, phrases: tuple[NounPhrase, ...]) -> int:
    """Return the last word of "The method of a printer according to claim 7", or -1.

    A dependent claim repeats its parent's name there, which adds nothing.
    """
    if not phrases or "claim" not in reading.words[:40]:
        return -1
    end = reading.words.index("claim")
    if _BODY.search(reading.tags, 0, end):
        return -1
    first = last = phrases[0]
    for phrase in phrases:
        if phrase.last >= end:
            break
        last = phrase
    whole = first.determiner is Determiner.DEF or first.bare
    return end if whole or last.determiner is Determiner.INDEF else -1


_BODY = re.compile(tag_pattern("WHERE|SEMI|COLON"))
"""After this point the body has begun, and a reference is not a preamble."""


def _own_names(text: str, reading: TaggedClaim, phrases: tuple[NounPhrase, ...]) -> set[str]:
    """Return the claimed thing and the things taken over from another claim by reference."""
    if not phrases:
        return set()
    claimed = _claimed(reading, phrases)
    names = [
        claimed.term,
        full_name(claimed, reading)[0],
        *_aliases(text, reading, claimed, phrases),
    ]
    if claimed.determiner is Determiner.INDEF:
        names += _referred(reading, phrases)
    parts = {name[at:] for name in names for at in _word_starts(name)}
    if parts:  # "the valve" is the claimed "check valve", unless there is "a valve" too
        parts -= {
            phrase.term
            for phrase in phrases
            if phrase.determiner is Determiner.INDEF and phrase.left != phrase.first
        }
    return parts.union(names)


def _word_starts(name: str) -> list[int]:
    return [match.end() for match in re.finditer(" ", name)][-_LONGEST_NAME:]


_LONGEST_NAME = 40
"""The most words of a name, and between a thing and the claim it is taken from."""


def _claimed(reading: TaggedClaim, phrases: tuple[NounPhrase, ...]) -> NounPhrase:
    """Return the claimed thing: the first phrase, or the last in "In a pump, a seal comprising"."""
    if reading.words[0] != "in":
        return phrases[0]
    opening = _VERB.search(reading.tags)
    for match in _VERB.finditer(reading.tags):
        if reading.words[match.start()] in ("comprising", "including", "comprises"):
            opening = match
            break
    ahead = [phrase for phrase in phrases if opening and phrase.last < opening.start()]
    return ahead[-1] if ahead else phrases[0]


def _aliases(
    text: str, reading: TaggedClaim, claimed: NounPhrase, phrases: tuple[NounPhrase, ...]
) -> list[str]:
    """Return "footwear" for "article of footwear", and "GGBP" for "binding protein (GGBP)"."""
    after = claimed.last + 1
    if after >= len(reading.words):
        return []
    if reading.tags[after] == Tag.OF and claimed.term in ("article", "item", "piece"):
        return [phrase.term for phrase in phrases if phrase.left == after + 1]
    alias = text[reading.ends[claimed.last] : reading.starts[after]].strip(" ()").lower()
    return [phrase.term for phrase in phrases if alias and reading.words[phrase.last] == alias]


def _referred(reading: TaggedClaim, phrases: tuple[NounPhrase, ...]) -> list[str]:
    """Find the things that phrases like "the engine of claim 1" take over."""
    words, names = reading.words, list[str]()
    if "claim" not in words and "claims" not in words:
        return []
    ending: dict[int, list[str]] = {}
    for phrase in phrases:
        ending.setdefault(phrase.last, []).append(phrase.term)
    for index, word in enumerate(words):
        if word in ("claim", "claims"):
            at, least = index - 1, index - 1 - _LONGEST_NAME
            while at >= 0 and at > least and words[at] in _REFERRING:
                at -= 1
            names += ending.get(at, ())
    return names

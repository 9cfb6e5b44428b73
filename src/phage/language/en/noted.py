"""Every noun phrase of a claim, with the details that a legal reading needs.

In:   claim text.
Out:  Noted phrases: determiner, number, role, and the words around them.
Why:  the paper's graph leaves out the claimed thing, dependent preambles and carriers. A reader who
      asks what "the valve" means needs them all. Both use the same phrases."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from phage.language.en.noun_phrases import NounPhrase, phrases_of
from phage.language.en.plurals import singular
from phage.language.en.tagging import TaggedClaim, tag_claim
from phage.language.en.tags import signs

_BODY = frozenset(signs("WHERE SEMI COLON"))
_AMOUNTS = frozenset(("number", "amount", "amounts", "quantity", "majority", "variety"))


class Article(StrEnum):
    """How a phrase is introduced, as finely as the law needs it."""

    THE = "the"
    SAID = "said"
    OWN = "own"
    """its, their: belongs to something already named."""
    EACH = "each"
    """each, every, both, any: refers to something known, or introduces it."""
    A = "a"
    COUNT = "count"
    """two, at least one, a plurality of."""
    ANOTHER = "another"
    BARE = "bare"


class Role(StrEnum):
    """The role of a phrase in its claim."""

    PART = "part"
    CLAIMED = "claimed"
    """What the claim is to."""
    PREAMBLE = "preamble"
    """Between the claimed thing and the claim it refers to."""


class Noted(NamedTuple):
    """A noun phrase; ``text[start:end]`` holds it with its determiner."""

    term: str
    """Lower case, head in the singular, no determiner."""
    article: Article
    plural: bool
    start: int
    end: int
    first: int
    """Words of the TaggedClaim: without the determiner, both inside."""
    last: int
    left: int
    """The first word with the determiner."""
    role: Role
    definite: bool
    """It refers to something as known: the, said."""


# In loops over words: a member of an enum is slow to look up.
_THE, _SAID, _BARE, _COUNT = Article.THE, Article.SAID, Article.BARE, Article.COUNT
_ARTICLES = frozenset(("the", "said", "a", "an"))
_PART, _CLAIMED, _PREAMBLE = Role.PART, Role.CLAIMED, Role.PREAMBLE


def noted(text: str) -> tuple[TaggedClaim, tuple[Noted, ...]]:
    """Find all noun phrases of a claim.

    >>> claim = "The pump of claim 1, wherein the shaft drives two rotors and said at least one arm."
    >>> [(n.term, str(n.article), n.plural, str(n.role)) for n in noted(claim)[1]]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('pump', 'the', False, 'claimed'), ('shaft', 'the', False, 'part'),
     ('rotor', 'count', True, 'part'), ('arm', 'said', False, 'part')]
    """
    reading = tag_claim(text)
    return reading, tuple(_noted(reading))


def _noted(reading: TaggedClaim) -> Iterator[Noted]:
    phrases = phrases_of(reading)
    claimed = _claimed(reading, phrases)
    cited = _preamble(reading)
    new = tuple.__new__  # the constructor of a NamedTuple is Python
    words, starts, ends = reading.words, reading.starts, reading.ends
    ahead = -1
    for place, (term, _, first, last, left) in enumerate(phrases):
        if place and phrases[place - 1].first == left and words[first - 1] in _ARTICLES:
            left = first - 1  # "is flat and the inner wall"
        if first - left == 1:
            article = _KINDS.get(words[left], _COUNT)
        else:
            article = _article(words[left:first]) if left < first else _BARE
        role = _CLAIMED if place == claimed else _PREAMBLE if last < cited else _PART
        start = starts[left] if left <= first else starts[first]
        # "first and second arms" are one arm and another.
        shared = ahead == last or (place + 1 < len(phrases) and phrases[place + 1].last == last)
        plural = not shared and _plural(words[last])
        ahead = last
        definite = article is _THE or article is _SAID
        yield new(
            Noted, (term, article, plural, start, ends[last], first, last, left, role, definite)
        )


@lru_cache(maxsize=10_000)
def _plural(word: str) -> bool:
    return singular(word) != word


def _article(words: tuple[str, ...]) -> Article:
    return _known_article(words) if len(words) < 10 else _named_article(words)


@lru_cache(maxsize=10_000)
def _known_article(words: tuple[str, ...]) -> Article:
    return _named_article(words)


def _named_article(words: tuple[str, ...]) -> Article:
    """Return the determiner of a phrase; "the number of pins" does not refer to known pins.

    >>> [str(_named_article(tuple(w.split()))) for w in ("each of the", "a plurality of", "said two")]
    ['the', 'count', 'said']
    >>> str(_named_article(("the", "number", "of")))
    'bare'
    """
    if words[-1] == "of" and words[-2] in _AMOUNTS:
        return Article.BARE
    found = {_KINDS.get(word, Article.COUNT) for word in words}
    for kind in (Article.SAID, Article.OWN, Article.THE, Article.ANOTHER, Article.EACH):
        if kind in found:
            return kind
    # "a first and" is still "a"; "a plurality of" counts.
    counts = any(word not in ("a", "an", "first", "and") for word in words)
    return Article.A if Article.A in found and not counts else Article.COUNT


_KINDS = {
    **dict.fromkeys(("the", "these", "those", "this"), Article.THE),
    **dict.fromkeys(("said", "aforesaid", "aforementioned"), Article.SAID),
    **dict.fromkeys(("its", "their", "his", "her", "whose", "our"), Article.OWN),
    **dict.fromkeys(
        ("each", "every", "all", "both", "either", "any", "neither", "no", "such"), Article.EACH
    ),
    **dict.fromkeys(("a", "an"), Article.A),
    "another": Article.ANOTHER,
}


def _claimed(reading: TaggedClaim, phrases: tuple[NounPhrase, ...]) -> int:
    """Return the position of the claimed thing: the seal in "In a pump, a seal comprising"."""
    if not phrases or reading.words[0] != "in":
        return 0
    for place, word in enumerate(reading.words):
        if word in ("comprising", "including", "comprises", "wherein", "characterized"):
            ahead = [n for n, phrase in enumerate(phrases) if phrase.last < place]
            return ahead[-1] if ahead else 0
    return 0


def _preamble(reading: TaggedClaim) -> int:
    """Return the word "claim" of "The pump of claim 1", if it stands before the body."""
    opening = reading.words[:60]
    places = [opening.index(word) for word in ("claim", "claims") if word in opening]
    if not places:
        return -1
    place = min(places)
    return place if _BODY.isdisjoint(reading.tags[:place]) else -1

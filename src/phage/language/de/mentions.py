"""German: noun phrases with their articles.

In:   claim text.
Out:  its mentions.
Why:  every noun has a capital letter, which shows where a phrase ends; the verb comes last."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.language.de.citations import references
from phage.language.marked_phrases import ClaimedThing, MarkedPhrase, Marker, mentions_of
from phage.language.words import load_words

_WORDS = load_words(__package__)
_PREPOSITION = _WORDS["preposition"]
_FUNCTION = _PREPOSITION | _WORDS["function"]
_FOLD = str.maketrans("äöüß", "aous")


def stem(word: str) -> str:
    """Reduce a word to the part that its cases and its plural share.

    >>> stem("Wellen") == stem("Welle"), stem("Gehäuses") == stem("Gehäuse"), stem("ersten")
    (True, True, 'erst')
    """
    word = word.lower().translate(_FOLD)
    for _ in range(3):  # Trägern → trager → trag
        if not (match := _ENDING.search(word, max(3, len(word) - 2))):
            break
        word = word[: match.start()]
    return word


_ENDING = re.compile(r"(?:e[nrms]|[ens])$")
_SKIPPED, _MANY, _STOP = (
    frozenset(map(stem, _WORDS[name])) for name in ("skipped", "many", "stop")
)
_KNOWN = re.compile(
    r"d(?:er|ie|as|em|en|es)|dies(?:e[rmns]?)?|jene[rmns]?|solche?[rmns]?|besagte[rmns]?|"
    r"d(?:er|ie|as|em|en|es)selben?|(?:sein|ihr)(?:e[rmns]?)?|deren|dessen|"
    r"im|am|zum|zur|beim|vom|ins|ans"
)
_NEW = re.compile(
    r"k?ein(?:e[rmns]?)?|mehrere[rnms]?|zwei(?:er)?|drei(?:er)?|vier|fünf|sechs|sieben|acht|neun|"
    r"zehn|einige[rnms]?|beide[rnms]?|alle[rnm]?"
)
_EACH = re.compile(r"jede[rmns]?")
_INFLECTED = re.compile(r"[a-zäöüß]{2,}e[rmns]?")
_WORD = re.compile(r"[^\W\d_][\w’'-]*\w|[^\W\d_]|[^\w\s]")


def chunks(text: str) -> Iterator[MarkedPhrase]:
    """Find determiner, adjectives and noun; a noun may have no determiner.

    >>> [(p.term, str(p.mark)) for p in chunks("mit einer ersten Welle und dem Kolben")]
    [('erst well', 'new'), ('kolb', 'known')]
    """
    state = _State()
    words = [(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]
    for place, (word, start, end) in enumerate(words):
        following = words[place + 1][0] if place + 1 < len(words) else ""
        if not place and following[:1].isupper() and _INFLECTED.fullmatch(word.lower()):
            state.other(word.lower(), start, following)  # "Höhenverstellbare Anordnung"
        elif word[0].isupper() and not _mark(word, "", ""):
            yield from state.noun(word, start, end, following)
        elif mark := _mark(word, following, words[place - 1][0] if place else ""):
            state.determiner(mark, start)
        else:
            state.other(word, start, following)


class _State:
    """What was read before the next noun."""

    def __init__(self) -> None:
        self.outer: list[Marker] = []
        self._clear()

    def _clear(self) -> None:
        self.mark, self.start, self.adjectives = Marker.NONE, -1, list[str]()

    def determiner(self, mark: Marker, start: int) -> None:
        if self.mark is Marker.KNOWN and mark is Marker.NEW and not self.adjectives:
            return  # "die zwei Arme", "der mindestens eine Arm"
        self.mark, self.start, self.adjectives = mark, start, []

    def noun(self, word: str, start: int, end: int, following: str) -> Iterator[MarkedPhrase]:
        head = stem(word)
        if head in _MANY and following in ("von", "an", "der", "dieser"):
            return  # "eine Vielzahl von Armen": the determiner waits
        begin = self.start if self.start >= 0 else start
        if self.mark is Marker.NONE and self.adjectives and self.outer:
            # "die mit dem Gehäuse verbundene Welle": the participle has its own complement
            self.mark, begin, self.adjectives = self.outer.pop(), start, []
        for group in " ".join(self.adjectives).split("|"):
            yield MarkedPhrase(" ".join([*group.split(), head]), self.mark, begin, end, head)
        self._clear()

    def other(self, word: str, start: int, following: str) -> None:
        if stem(word) in _SKIPPED or (word == "von" and self.mark is not Marker.NONE):
            return
        if word in ("und", "oder", "bzw") and self.adjectives and _INFLECTED.fullmatch(following):
            self.adjectives.append("|")  # "der ersten und zweiten Arme"
        elif word not in _FUNCTION and _INFLECTED.fullmatch(word):
            self.start = self.start if self.start >= 0 else start
            self.adjectives.append(stem(word))
        elif word in _FUNCTION or not word[0].isalpha():
            if self.mark is not Marker.NONE and word in _PREPOSITION and not self.adjectives:
                self.outer.append(self.mark)
            if word in ".;:":
                self.outer.clear()
            self._clear()


def _mark(word: str, following: str, previous: str) -> Marker | None:
    """Read a determiner; before another one it is a relative pronoun."""
    lower = word.lower()
    if _KNOWN.fullmatch(lower):
        again = _KNOWN.fullmatch(following) or _NEW.fullmatch(following)
        relative = previous == "," and (again or following in _FUNCTION or following == "sich")
        return None if relative else Marker.KNOWN
    if _NEW.fullmatch(lower):
        return Marker.NEW
    return Marker.EACH if _EACH.fullmatch(lower) else None


mentions = mentions_of(chunks, references, ClaimedThing(stop=_STOP | _MANY))

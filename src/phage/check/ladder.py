"""Look for the introduction of every definite mention, step by step.

In:   a claim's text, and the Scope of what its parents introduce.
Out:  a Walk: resolutions with the step that held, and what the claim introduces itself.
Why:  an exact match alone gives eleven false alarms per granted patent."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from phage.check.scope import Introduction, Places, Scope, Table
from phage.check.stems import stem
from phage.check.types import Step
from phage.graph.english.lexicon import LEXICON
from phage.graph.english.noted import Article, Noted, Role, noted
from phage.graph.english.plurals import singular
from phage.graph.english.tagging import Reading
from phage.graph.language.types import Determiner, Language

_WORDS = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))
INHERENT = frozenset(_WORDS["inherent"].split())
KNOWN = frozenset(_WORDS["known"].split())
HEADS = frozenset(_WORDS["heads"].split())
_EMPTY = frozenset(_WORDS["empty"].split())
DIRECTIONS = frozenset(_WORDS["directions"].split())
PHRASES = frozenset(" ".join(phrase.split()) for phrase in _WORDS["phrases"].split(","))
ORDINALS = frozenset(_WORDS["ordinals"].split())
_VERBS = frozenset("ZzVvEG")
_AGENT = re.compile(r"[^e](?:er|or)$")
"""What acts: "the roller" does not follow from "rolling"."""
_OPENING = frozenset("information data meeting starting processing".split())
"""Behind a known name these open something new: "receives from the server information that"."""
_PARTICIPLE = re.compile(r"(?:ed|ing|en)$")
_SUPERLATIVE = re.compile(
    r".{2}(?<!inter)(?<!requ)(?<!arr)(?<!inv)(?<!harv)(?<!dig)(?<!manif)(?<!cont)(?<!prot)(?<!for)"
    r"(?<!ch)(?<!cr)(?<!gu)est$|.{2}most$|^(?:last|most|least)$"
)
_ACRONYM = re.compile(r"[A-Z][A-Z0-9-]+s?|[A-Z][a-z]?[A-Z]\S*")
EVIDENCE: dict[str, int] = _WORDS["evidence"]
VALUES = frozenset(_WORDS["values"].split())
_HOLDING = frozenset(
    "comprising comprises comprise including includes include having has have with".split()
)
_AFTER = {
    "B": "be", "H": "have", "M": "modal", ".": "end", ";": "end", ":": "end", "": "end",
    ",": "comma", "C": "and", "T": "to", "P": "prep", "o": "of", "V": "verb", "w": "which",
    "W": "which",
}  # fmt: skip
_BEFORE = {
    "W": "wherein", "w": "wherein", "P": "prep", "o": "of", "T": "to", "V": "verb", "H": "have",
    "B": "be", "C": "and", ",": "comma", ";": "semi", ":": "semi",
}  # fmt: skip
_ALIAS = re.compile(r"\s?\(([A-Z][A-Za-z0-9-]+)\)")
_BODY = re.compile(r"compris|consist|includ|wherein|having|characteri", re.IGNORECASE)
_WHERE = (("that",), ("when",), ("where",), ("from",), ("between",))
_MOST_PLACES = 12
"""Places kept of a word: more say no more, and all pairs of two words are compared."""
_NEAR = 6
"""Words between two that belong together."""
_SYMBOL = re.compile(r"[a-zα-ωδ]{1,2}\d*|(?!.*[a-z]{3})(?=.*\d).*")
Found = tuple[Step, tuple[Introduction, ...], bool]
"""Step, what it takes up or comes near, whether it is ambiguous."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A definite mention and what it takes up; ``text[start:end]`` includes the determiner."""

    term: str
    claim: int
    start: int
    end: int
    step: Step
    antecedents: tuple[Introduction, ...] = ()
    """What it takes up, or, where it is ambiguous or unresolved, what comes near."""
    ambiguous: bool = False
    split: bool = False
    """Each of several paths has an introduction of its own."""
    number: bool = False
    """Singular here, plural there."""
    said: bool = False
    new: bool = False
    """No form of its head noun has stood in the chain."""


class Repeat(NamedTuple):
    """An introduction of what the chain has introduced before."""

    again: Introduction
    first: Introduction
    evidence: int
    """What speaks for one and the same thing, in tenths."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What one claim says, in order."""

    resolutions: tuple[Resolution, ...] = ()
    introductions: tuple[Introduction, ...] = ()
    repeated: tuple[Repeat, ...] = ()
    table: Table = field(default_factory=dict, repr=False)
    places: Places = field(default_factory=dict, repr=False)


Walker = Callable[[int, str, Scope, bool], Walk]
"""Number, text, what the parents introduce, whether the claim refers to another."""


def walker(language: Language) -> Walker | None:
    """Give the function that reads the antecedents of a language."""
    if language.code == "en":
        return walk_english
    if language.mentions is None:
        return None
    return lambda number, text, above, refers: _walk_plain(number, text, above, language)


@lru_cache(maxsize=50_000)
def key_of(term: str) -> str:
    """Give what spellings of one term share.

    >>> key_of("sub-assembly") == key_of("sub assembly") == key_of("subassembly")
    True
    """
    return term.replace("-", "").replace(" ", "")


def walk_english(number: int, text: str, above: Scope, refers: bool) -> Walk:
    """Read an English claim."""
    reading, mentions = noted(text)
    steps = _English(number, text, above, refers, reading, mentions)
    return steps.walk()


class _English:
    """One claim, mention by mention."""

    def __init__(
        self, number: int, text: str, above: Scope, refers: bool, reading: Reading,
        mentions: tuple[Noted, ...],
    ) -> None:
        self.number, self.text, self.above, self.refers = number, text, above, refers
        self.reading, self.mentions = reading, mentions
        self.table: Table = {}
        self.places: Places = {}
        words = reading.words
        self.each = words.index("each") if "each" in words else len(words)
        body = _BODY.search(text)
        self.body = body.start() if body else len(text)
        self.stems = 0  # words whose places are noted
        self.resolutions: list[Resolution] = []
        self.introductions: list[Introduction] = []
        self.repeated: list[Repeat] = []

    def walk(self) -> Walk:
        for place, mention in enumerate(self.mentions):
            self._seen(mention.left)
            if mention.definite and mention.role is Role.PART:
                found = self._resolve(mention, place)
                self.resolutions.append(found)
                if found.step in (Step.EXACT, Step.NUMBER, Step.SHORTER, Step.CLAIMED):
                    if found.number or found.ambiguous:
                        self._introduce(mention, reported=True)
                    continue
                self._introduce(mention, reported=found.step in (Step.NONE, Step.QUALIFIED))
            else:
                self._twice(mention, place)
                self._introduce(mention)
        self._seen(len(self.reading.words))
        return Walk(
            tuple(self.resolutions), tuple(self.introductions), tuple(self.repeated), self.table,
            self.places,
        )

    def _seen(self, end: int) -> None:
        """Note where the words before a mention stand, by their stems."""
        places, base = self.places, self.number << 20
        for at in range(self.stems, end):
            word = self.reading.words[at]
            key = stem(word)
            if key not in places:
                places[key] = [base + at]
            elif len(places[key]) < _MOST_PLACES:
                places[key].append(base + at)
        self.stems = max(self.stems, end)

    def look_up(self, key: str) -> tuple[Introduction, ...]:
        """Give the introductions under a key, the chain's before the claim's own."""
        own, inherited = self.table.get(key), self.above.look_up(key)
        return inherited + own if own else inherited

    def stands(self, word: str) -> list[int]:
        """Give the places in the chain, and before in the claim, where a form of a word stands."""
        key = stem(word)
        found = [at for places in self.above.places for at in places.get(key, ())]
        return found + self.places.get(key, [])

    def knows(self, word: str) -> bool:
        """Say whether a form of a word has stood in the chain or before in the claim."""
        key = stem(word)
        return key in self.places or any(key in places for places in self.above.places)

    def _introduce(self, mention: Noted, reported: bool = False) -> None:
        several = mention.plural and self._counted(mention)
        found = Introduction(
            mention.term, self.number, mention.start, mention.end, mention.plural, several,
            reported, mention.role is Role.CLAIMED,
            not mention.plural and (mention.article is Article.A or mention.definite),
        )  # fmt: skip
        self.introductions.append(found)
        head = mention.term.rsplit(" ", 1)[-1]
        keys = [key_of(mention.term), ">" + head]
        if alias := _ALIAS.match(self.text, mention.end):
            keys += [key_of(alias[1].lower()), ">" + alias[1].lower()]
        for key in keys:
            self.table[key] = (*self.table.get(key, ()), found)[:12]

    def _counted(self, mention: Noted) -> bool:
        """Say whether several are introduced as such: "a plurality of", "two"."""
        words = self.reading.words[mention.left : mention.first]
        return mention.article is Article.COUNT and "one" not in words

    def _twice(self, mention: Noted, place: int) -> None:
        """Note an introduction of what is known already."""
        term = mention.term
        if mention.article is not Article.A or mention.plural or mention.role is not Role.PART:
            return
        before = self.look_up(key_of(term))
        known = [found for found in before if found.single]
        if not known or any(found.reported for found in before):
            return
        again = Introduction(term, self.number, mention.start, mention.end, False)
        self.repeated.append(Repeat(again, known[0], self._evidence(mention, known)))

    def _evidence(self, mention: Noted, known: list[Introduction]) -> int:
        """Weigh whether the thing known is meant, or a further one, or none in particular."""
        words, tags = self.reading.words, self.reading.tags
        after, before = mention.last + 1, mention.left - 1
        previous = words[before] if before >= 0 else ""
        head = mention.term.rsplit(" ", 1)[-1]
        near = words[max(0, mention.left - 14) : mention.left]
        signs = {
            "next_" + _AFTER.get(tags[after : after + 1], "other"): True,
            "prev_" + _BEFORE.get(tags[before : before + 1] if before >= 0 else "", "other"): True,
            "or": previous == "or",
            "comprising": previous in _HOLDING,
            "each": "each" in near or "respective" in near,
            "value": head in VALUES,
            "inherent": head in INHERENT,
            "several": len(known) > 1,
        }
        total = EVIDENCE["bias"] + EVIDENCE["word"] * (min(4, mention.term.count(" ") + 1) - 1)
        return total + sum(EVIDENCE[sign] for sign, holds in signs.items() if holds)

    def _resolve(self, mention: Noted, place: int) -> Resolution:
        step, near, ambiguous = self._climb(mention, place)
        key = key_of(mention.term)
        split = step is Step.EXACT and key in self.above.split and key not in self.table
        number = step is Step.EXACT and not mention.plural and self._one_of_many(mention, near)
        return Resolution(
            mention.term, self.number, mention.start, mention.end, step, near, ambiguous, split,
            number, mention.article is Article.SAID,
            step is Step.NONE and not self.knows(mention.term.rsplit(" ", 1)[-1]),
        )  # fmt: skip

    def _one_of_many(self, mention: Noted, near: tuple[Introduction, ...]) -> bool:
        """Say whether one is taken up where only several were introduced."""
        if not all(found.plural for found in near) or not any(found.several for found in near):
            return False
        words = self.reading.words
        if words[mention.left - 1 : mention.left] in (("of",), ("each",)):
            return False  # each of the, one of the
        counted = {"one", "each", "respective", "single", "at"}
        if not counted.isdisjoint(words[mention.left : mention.first]):
            return False
        return mention.term not in HEADS and mention.left <= self.each

    def _climb(self, mention: Noted, place: int) -> Found:
        """Go up the ladder; the first step that holds counts."""
        term = mention.term.removesuffix("'s").removesuffix("’s")
        if exact := self.look_up(key_of(term)):
            return Step.EXACT, exact, False
        whole = term.split()
        words = [word for word in whole if word not in _EMPTY] or whole[-1:]
        kin = self.look_up(">" + words[-1])
        if kin and (plain := self._plain(words, whole)):
            return Step.DERIVED, plain, False
        found = (
            self._shorter(mention, words, kin)
            or self._act(mention, whole)
            or self._longer(mention, whole)
        )
        if found:
            return found
        if self._derived(words, kin) or (kin and len(words) < len(whole)):
            return Step.DERIVED, kin, False
        if step := self._needless(mention, whole):
            return step, (), False
        return (Step.QUALIFIED, kin, False) if kin else (Step.NONE, (), False)

    def _plain(self, words: list[str], whole: list[str]) -> tuple[Introduction, ...]:
        """Look for the name without participles in front: "the received signal"."""
        start = 0
        while start < len(words) - 1 and words[start].endswith("ed"):
            start += 1
        return self.look_up(key_of(" ".join(words[start:]))) if len(words) - start < len(whole) else ()

    def _shorter(
        self, mention: Noted, words: list[str], kin: tuple[Introduction, ...]
    ) -> Found | None:
        """Take "the valve" for "a check valve"; two that fit are ambiguous."""
        wanted = set(words)
        longer = [found for found in kin if wanted <= set(found.term.split())]
        if not longer:
            return None
        claimed = tuple(found for found in longer if found.claimed)
        if claimed:
            return Step.CLAIMED, claimed, False
        return Step.SHORTER, tuple(longer), self._ambiguous(mention, longer)

    def _ambiguous(self, mention: Noted, longer: list[Introduction]) -> bool:
        """Say whether a shorter name fits two things."""
        names = {found.term for found in longer}
        if len(names) < 2 or mention.plural or mention.term in HEADS:
            return False
        least = {
            name for name in names
            if not any(set(other.split()) < set(name.split()) for other in names)
        }  # fmt: skip
        here = {found.term for found in longer if found.claim == self.number} & least
        words = self.reading.words
        after = words[mention.last + 1 : mention.last + 2]
        if len(least) < 2 or len(here) == 1 or mention.left > self.each:
            return False
        if after == ("of",) and mention.term.rsplit(" ", 1)[-1] in INHERENT:
            return False
        return all(not ORDINALS.isdisjoint(name.split()) for name in least)

    def _act(self, mention: Noted, words: list[str]) -> Found | None:
        """Take "the unit stops" for the unit: a verb was read as part of the name."""
        if len(words) == 1:
            return None
        printed = self.reading.words[mention.first : mention.last + 1]
        for end in range(len(printed) - 1, 0, -1):
            last = printed[end - 1]
            one = singular(last)
            opens = printed[end] in _OPENING or LEXICON[printed[end]] in _VERBS
            if one != last or opens or self._capital(mention, end):
                found = self.look_up(key_of(" ".join((*printed[: end - 1], one))))
                if found:
                    return Step.EXACT, found, False
        return None

    def _longer(self, mention: Noted, words: list[str]) -> Found | None:
        """Take "the player" for the player interface: a noun was read as a verb."""
        for more in (1, 2):
            rest = self.reading.words[mention.last + 1 : mention.last + 1 + more]
            printed = self.reading.words[mention.last]
            name = (*words[:-1], printed, *rest[:-1], singular(rest[-1])) if rest else ()
            if name and (found := self.look_up(key_of(" ".join(name)))):
                return Step.EXACT, found, False
        return None

    def _derived(self, words: list[str], kin: tuple[Introduction, ...]) -> bool:
        """Say whether the words have stood together in other forms: "the measured pressure"."""
        head, others = words[-1], words[:-1]
        if not others:
            return _AGENT.search(head) is None and self.knows(head)
        places = self.stands(head) if kin or _AGENT.search(head) is None else []
        return bool(places) and all(
            (kin and _PARTICIPLE.search(word) and self.knows(word)) or self._near(word, places)
            for word in others
        )

    def _near(self, word: str, places: list[int]) -> bool:
        return any(abs(at - other) <= _NEAR for at in self.stands(word) for other in places)

    def _capital(self, mention: Noted, word: int) -> bool:
        """Say whether a word of a phrase begins with a capital letter."""
        return self.text[self.reading.starts[mention.first + word]].isupper()

    def _needless(self, mention: Noted, words: list[str]) -> Step | None:
        """Say whether no introduction is needed: inherent, or known to all."""
        head, term = words[-1], mention.term
        every = self.reading.words
        after = every[mention.last + 1 : mention.last + 2]
        names = self.text[mention.start : mention.end].split()[1:]
        known = head in HEADS or term in KNOWN or _SYMBOL.fullmatch(term)
        if known or any(map(_ACRONYM.fullmatch, names)) or LEXICON[head] == "G":
            return Step.NOT_NEEDED
        if words[0] == "following" or "same" in every[mention.left : mention.last]:
            return Step.NOT_NEEDED
        if self._has_of_itself(mention, words, after):
            return Step.INHERENT
        return None

    def _has_of_itself(self, mention: Noted, words: list[str], after: tuple[str, ...]) -> bool:
        """Say whether a thing has what is named without being given it."""
        head = words[-1]
        if after == ("thereof",):
            return True
        if after == ("of",):
            opening = not self.refers and mention.start <= self.body
            return (
                head in INHERENT or mention.plural or opening
                or head.endswith(("ity", "ness", "ency"))
            )  # fmt: skip
        if head in INHERENT:
            beyond = self.reading.words[mention.last + 1 : mention.last + 3]
            owner = self.look_up(key_of(" ".join(words[:-1]))) if words[1:] else ()
            if owner or beyond[:1] in _WHERE or beyond[1:] == ("which",):
                return True
        if head in ("direction", "axis", "plane") and words[1:] and words[-2] in DIRECTIONS:
            return True
        return mention.term in PHRASES or any(map(_SUPERLATIVE.search, words))


def _walk_plain(number: int, text: str, above: Scope, language: Language) -> Walk:
    """Read a claim of another language: exact terms and shorter names."""
    table: Table = {}
    resolutions: list[Resolution] = []
    introductions: list[Introduction] = []
    for mention in language.mentions(text) if language.mentions else ():
        key = key_of(mention.term)
        before = above.look_up(key) + table.get(key, ())
        if mention.determiner is Determiner.DEF:
            step = Step.EXACT if before else Step.NONE
            resolutions.append(
                Resolution(mention.term, number, mention.start, mention.end, step, before)
            )
            if before:
                continue
        found = Introduction(mention.term, number, mention.start, mention.end, False)
        introductions.append(found)
        table[key] = (*table.get(key, ()), found)[:12]
    return Walk(tuple(resolutions), tuple(introductions), (), table)

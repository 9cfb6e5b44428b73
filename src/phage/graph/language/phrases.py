"""Noun phrases and couplings: the part that all languages but English share.

In:   what a language's own chunker saw: terms with their markers, verbs, clauses.
Out:  Mentions as the graph wants them, without the claimed thing, names of claims, stop words.
Why:  each language marks the known in its own way; what follows from a mark is the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from phage.graph.language.types import (
    Component,
    Components,
    Determiner,
    Mention,
    Mentions,
    Reference,
    References,
)


class Mark(StrEnum):
    """What stands before a noun phrase."""

    KNOWN = "known"
    """der, ledit, 所述, 前記, 상기."""
    NEW = "new"
    """ein, un, 一个, 複数の, 하나의."""
    EACH = "each"
    """New on the first mention in the claim, known on a later one."""
    NONE = "none"
    """Nothing: introduces on the first mention in the claim."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase as a chunker saw it; ``text[start:end]`` holds it with its marker."""

    term: str
    mark: Mark
    start: int
    end: int
    head: str = ""
    """The part of the term that names the thing, where that is less than the whole."""


Chunker = Callable[[str], Iterable[Phrase]]


@dataclass(frozen=True, slots=True)
class Naming:
    """Where a language says what a claim is to."""

    stop: frozenset[str]
    """Terms that name no component: method, device, manner, claim."""
    last: bool = False
    """The claimed thing stands last (Japanese, Korean); otherwise in the preamble."""
    head_last: bool = False
    """In the preamble, the claimed thing is the last phrase (Chinese), not the first."""
    preamble: str = r"[,;:]"
    """What ends the words that name a dependent claim after its reference."""
    blank: str = r"[（(][^()（）]*[)）]"
    """What is no part of any phrase: reference numerals in brackets."""


def mentions_of(chunker: Chunker, references: References, naming: Naming) -> Mentions:
    """Make a language's ``mentions`` function of its chunker."""
    blank = re.compile(naming.blank)
    ends = re.compile(naming.preamble)

    def mentions(text: str) -> tuple[Mention, ...]:
        plain = blank.sub(lambda match: " " * len(match.group()), text)
        found = list(chunker(plain))
        cited = references(text)
        found = [p for p in found if not any(r.start < p.end and p.start < r.end for r in cited)]
        found = _unnamed(found, plain, cited, ends, naming)
        return tuple(_settled(p for p in found if p.term not in naming.stop))

    return mentions


def _unnamed(
    found: list[Phrase],
    text: str,
    cited: tuple[Reference, ...],
    ends: re.Pattern[str],
    naming: Naming,
) -> list[Phrase]:
    """Take out what names a claim: this one, and those it refers to."""
    names: list[Phrase] = []
    if naming.last:
        names += found[-1:]
        for reference in cited:  # "請求項1に記載の装置"
            after = [p for p in found if reference.end <= p.start][:1]
            names += [p for p in after if _LINK.fullmatch(text, reference.end, p.start)]
    else:
        first = ends.search(text)
        opening = [p for p in found if first is None or p.end <= first.start()]
        names += opening[-1:] if naming.head_last else found[:1]
        if cited and (first is None or cited[0].start < first.start()):
            end = ends.search(text, cited[0].end)
            stop = end.start() if end else cited[0].end
            named = [p for p in found if p.end <= stop]
            names = [*(named[-1:] if naming.head_last else named[:1]), *named]
        for reference in cited[1:]:
            names += [p for p in found if p.end <= reference.start][-1:]
    own = names[0] if names else None
    spans = {(name.start, name.end) for name in names}
    return [p for p in found if (p.start, p.end) not in spans and not (own and _same(p, own))]


_LINK = re.compile(r"[\sにの에의]*(?:記載の?|따른|기재된)?\s*")


def _same(phrase: Phrase, claimed: Phrase) -> bool:
    """Say whether a phrase names the claimed thing again: "the drum" of "a rotary drum"."""
    same_head = (phrase.head or phrase.term) == (claimed.head or claimed.term)
    return same_head and set(phrase.term.split()) <= set(claimed.term.split())


def _settled(found: Iterable[Phrase]) -> Iterator[Mention]:
    """Turn marks into determiners: what was not there before is new."""
    seen: set[str] = set()
    for phrase in found:
        known = phrase.term in seen
        seen.add(phrase.term)
        if phrase.mark is Mark.KNOWN or (phrase.mark is Mark.EACH and known):
            determiner = Determiner.DEF
        elif phrase.mark is Mark.NONE and known:
            determiner = Determiner.BARE
        else:
            determiner = Determiner.INDEF
        yield Mention(phrase.term, determiner, phrase.start, phrase.end)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A functional verb where it stands."""

    verb: str
    start: int
    end: int


Joins = Callable[[str, tuple[Mention, ...], Predicate], Iterable[Mention]]
"""The mentions that a verb takes as subject and objects."""


def components_of(verbs: Mapping[str, str], joins: Joins) -> Components:
    """Make a language's ``components`` function of its verbs and its word order.

    ``verbs``: the paper's English verb → the forms that translate it, as a pattern.
    """
    pattern = re.compile("|".join(f"(?P<{verb}>{forms})" for verb, forms in verbs.items()))

    def components(text: str, mentions: tuple[Mention, ...]) -> tuple[Component, ...]:
        plain = re.sub(
            r"[（(][^()（）]*[)）]|[①-⓿]", lambda match: " " * len(match.group()), text
        )  # a numeral's comma ends no clause
        found: dict[str, Component] = {}
        for match in pattern.finditer(plain):
            predicate = Predicate(match.lastgroup or "", *match.span())
            if any(m.start <= predicate.start and predicate.end <= m.end for m in mentions):
                continue  # part of a name: Verbindungselement, 连接件, 接続部
            for mention in joins(plain, mentions, predicate):
                found.setdefault(
                    mention.term,
                    Component(mention.term, predicate.verb, mention.start, mention.end),
                )
        return tuple(sorted(found.values(), key=lambda component: component.start))

    return components


@dataclass(frozen=True, slots=True)
class VerbLast:
    """What a verb takes where it stands behind its arguments: Japanese, Korean."""

    clause: re.Pattern[str]
    """Ends the clause before; a topic reaches back to it."""
    adnominal: re.Pattern[str]
    """Ends a verb that describes a noun; objects reach back to it."""
    takes: re.Pattern[str]
    """Follows an object: a particle."""
    topic: re.Pattern[str]
    """Follows a subject."""
    comma: re.Pattern[str]

    def arguments(
        self,
        text: str,
        mentions: tuple[Mention, ...],
        predicate: Predicate,
        described: list[Mention] | None,
    ) -> list[Mention]:
        """Give objects and subject; ``described`` is the noun behind an adnominal verb, else None."""
        start = last_before(self.clause, text, predicate.start)
        local = max(start, last_before(self.adnominal, text, predicate.start))
        before = within(mentions, local, predicate.start)
        objects = [m for m in before if self.takes.match(text, m.end)]
        if described is not None:
            comma = last_before(self.comma, text, predicate.start)
            return [*(m for m in objects if m.start >= comma), *described]
        reach = within(mentions, start, predicate.start)
        topics = [m for m in reach if self.topic.match(text, m.end)]
        members = [*topics[-1:], *objects]
        return members if len(members) > 1 else []


def within(mentions: tuple[Mention, ...], start: int, end: int) -> list[Mention]:
    """Give the mentions that lie inside a stretch of text."""
    return [m for m in mentions if start <= m.start and m.end <= end]


def last_before(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Say where the last match before a place ends; 0 where there is none."""
    end = 0
    for match in pattern.finditer(text, 0, place):
        end = match.end()
    return end


def first_after(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Say where the next match after a place starts; the text's end where there is none."""
    match = pattern.search(text, place)
    return match.start() if match else len(text)


def words(text: str) -> frozenset[str]:
    """Give the words of a list that is easier to read in one run.

    >>> sorted(words("an auf"))
    ['an', 'auf']
    """
    return frozenset(text.split())


def with_enumeration(text: str, mentions: tuple[Mention, ...], start: int, comma: str = ",") -> int:
    """Move a clause's start before the enumeration that it goes on: "A, B und C sind …"."""
    while start and text[start - 1] == comma:
        before = [m for m in mentions if m.end <= start]
        if not before or text[before[-1].end : start - 1].strip():
            return start
        gap = text[: before[-1].start].rstrip()
        if not gap.endswith((comma, "wobei", "dass", "lequel", "laquelle", ":", ";")):
            return start
        start = len(gap)
        if not gap.endswith(comma):
            return start
    return start

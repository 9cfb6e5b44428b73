"""Mentions: the part that all languages but English share.

In:   the phrases of a language's own chunker: terms with their markers.
Out:  Mentions as the graph needs them, without the claimed thing, names of claims and stop words.
Why:  each language marks known things in its own way; the meaning of a mark is the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from phage.language.passage import Cover, Order
from phage.language.types import Determiner, Mention, Mentions, Reference, References


class Marker(StrEnum):
    """The marker before a noun phrase."""

    KNOWN = "known"
    """der, ledit, 所述, 前記, 상기."""
    NEW = "new"
    """ein, un, 一个, 複数の, 하나의."""
    EACH = "each"
    """New on the first mention in the claim, known on a later one."""
    NONE = "none"
    """No marker: introduces on the first mention in the claim."""


@dataclass(frozen=True, slots=True)
class MarkedPhrase:
    """A noun phrase as found by a chunker; ``text[start:end]`` holds it with its marker."""

    term: str
    mark: Marker
    start: int
    end: int
    head: str = ""
    """The part of the term that names the thing, if that is not the whole term."""


Chunker = Callable[[str], Iterable[MarkedPhrase]]


@dataclass(frozen=True, slots=True)
class ClaimedThing:
    """Where a language names the claimed thing."""

    stop: frozenset[str]
    """Terms that do not name a component: method, device, manner, claim."""
    last: bool = False
    """Whether the claimed thing stands last (Japanese, Korean); otherwise it is in the preamble."""
    head_last: bool = False
    """Whether the claimed thing is the last phrase of the preamble (Chinese), not the first."""
    preamble: str = r"[,;:]"
    """Marks the end of the words that name a dependent claim after its reference."""
    blank: str = r"[（(][^()（）]*[)）]"
    """Text outside all phrases: reference numerals in brackets."""


def mentions_of(chunker: Chunker, references: References, claimed: ClaimedThing) -> Mentions:
    """Make a language's ``mentions`` function from its chunker."""
    blank = re.compile(claimed.blank)
    ends = re.compile(claimed.preamble)

    def mentions(text: str) -> tuple[Mention, ...]:
        plain = blank.sub(lambda match: " " * len(match.group()), text)
        found = list(chunker(plain))
        cited = references(text)
        if cited:
            cover = Cover(len(text), cited)
            found = [p for p in found if not cover.touches(p.start, p.end)]
        found = _unnamed(found, plain, cited, ends, claimed)
        return tuple(_settled(p for p in found if p.term not in claimed.stop))

    return mentions


def _unnamed(
    found: list[MarkedPhrase],
    text: str,
    cited: tuple[Reference, ...],
    ends: re.Pattern[str],
    claimed: ClaimedThing,
) -> list[MarkedPhrase]:
    """Remove the phrases that name a claim: this one, and those it refers to."""
    names: list[MarkedPhrase] = []
    order = Order(found)
    if claimed.last:
        names += found[-1:]
        for reference in cited:  # "請求項1に記載の装置"
            at = order.first_from(reference.end)
            names += [p for p in found[at : at + 1] if _links(text, reference.end, p.start)]
    else:
        first = ends.search(text)
        opening = [p for p in found if first is None or p.end <= first.start()]
        names += opening[-1:] if claimed.head_last else found[:1]
        if cited and (first is None or cited[0].start < first.start()):
            end = ends.search(text, cited[0].end)
            stop = end.start() if end else cited[0].end
            named = [p for p in found if p.end <= stop]
            names = [*(named[-1:] if claimed.head_last else named[:1]), *named]
        for reference in cited[1:]:
            at = order.last_until(reference.start)
            names += found[max(at, 0) : at + 1]
    spans = {(name.start, name.end) for name in names}
    again = _naming_again(names[0]) if names else None
    return [p for p in found if (p.start, p.end) not in spans and not (again and again(p))]


_LINK = re.compile(r"[\sにの에의]*(?:記載の?|따른|기재된)?\s*")
_LONGEST_LINK = 200


def _links(text: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_LINK and _LINK.fullmatch(text, start, end) is not None


def _naming_again(name: MarkedPhrase) -> Callable[[MarkedPhrase], bool]:
    """Return whether a phrase names the claimed thing again: "the drum" for "a rotary drum"."""
    head, parts = name.head or name.term, frozenset(name.term.split())
    return lambda phrase: (
        (phrase.head or phrase.term) == head and parts.issuperset(phrase.term.split())
    )


def _settled(found: Iterable[MarkedPhrase]) -> Iterator[Mention]:
    """Turn marks into determiners: a term without an earlier mention is new."""
    seen: set[str] = set()
    for phrase in found:
        known = phrase.term in seen
        seen.add(phrase.term)
        if phrase.mark is Marker.KNOWN or (phrase.mark is Marker.EACH and known):
            determiner = Determiner.DEF
        elif phrase.mark is Marker.NONE and known:
            determiner = Determiner.BARE
        else:
            determiner = Determiner.INDEF
        yield Mention(phrase.term, determiner, phrase.start, phrase.end)

"""What a functional verb joins: the part that all languages but English share.

In:   a language's verbs, and how its word order leads from a verb to its subject and objects.
Out:  its ``components`` function.
Why:  languages differ in where subject and objects stand; the rest is the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from phage.language.passage import Passage
from phage.language.types import Component, Components, Mention, OnDense, ignored
from phage.language.words import fill, load_table


@dataclass(frozen=True, slots=True)
class Predicate:
    """A functional verb with its position."""

    verb: str
    start: int
    end: int


Joins = Callable[[Passage, Predicate], Iterable[Mention]]
"""The mentions that a verb takes as subject and objects."""


def verb_patterns(package: str) -> dict[str, str]:
    """Return each verb of the paper with its translations, from ``words.toml``."""
    table = load_table(package, "words.toml")
    filled = fill(table["verbs"], fill(table.get("parts", {})))
    return {verb: filled[verb] for verb in table["verbs"]}


def components_of(package: str, joins: Joins) -> Components:
    """Make a language's ``components`` function from the verbs in its folder and its word order."""
    verbs = verb_patterns(package)
    pattern = re.compile("|".join(f"(?P<{verb}>{forms})" for verb, forms in verbs.items()))

    def components(
        text: str, mentions: tuple[Mention, ...], on_dense: OnDense = ignored
    ) -> tuple[Component, ...]:
        plain = re.sub(
            r"[（(][^()（）]*[)）]|[①-⓿]", lambda match: " " * len(match.group()), text
        )  # a numeral's comma ends no clause
        found: dict[str, Component] = {}
        passage = Passage(plain, mentions)
        for match in pattern.finditer(plain):
            predicate = Predicate(match.lastgroup or "", *match.span())
            if passage.inside(predicate.start, predicate.end):
                continue  # part of a name: Verbindungselement, 连接件, 接続部
            for mention in joins(passage, predicate):
                found.setdefault(
                    mention.term,
                    Component(mention.term, predicate.verb, mention.start, mention.end),
                )
        if passage.dense:
            on_dense()
        return tuple(sorted(found.values(), key=lambda component: component.start))

    return components


@dataclass(frozen=True, slots=True)
class VerbLast:
    """The arguments of a verb that stands after them: Japanese, Korean."""

    clause: re.Pattern[str]
    """Ends the previous clause; the search for a topic goes back to it."""
    adnominal: re.Pattern[str]
    """Ends a verb that describes a noun; the search for objects goes back to it."""
    takes: re.Pattern[str]
    """Follows an object: a particle."""
    topic: re.Pattern[str]
    """Follows a subject."""
    comma: re.Pattern[str]

    def arguments(
        self, passage: Passage, predicate: Predicate, described: list[Mention] | None
    ) -> list[Mention]:
        """Return objects and subject; ``described`` is the noun after an adnominal verb."""
        text, end = passage.text, predicate.start
        start = passage.last_before(self.clause, end)
        local = max(start, passage.last_before(self.adnominal, end))
        objects = [m for m in passage.within(local, end, end) if self.takes.match(text, m.end)]
        if described is not None:
            comma = passage.last_before(self.comma, end)
            return [*(m for m in objects if m.start >= comma), *described]
        reach = passage.back_from(end, start)
        topic = next((m for m in reach if self.topic.match(text, m.end)), None)
        members = [*([topic] if topic else []), *objects]
        return members if len(members) > 1 else []

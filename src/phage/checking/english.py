"""Walk through an English claim.

In:   claim text, and the Scope of what its parents introduce.
Out:  its Walk.
Why:  what a mention introduces or takes up depends on all that stands before it."""

from __future__ import annotations

import re
from types import MappingProxyType

from phage.checking.evidence import DOUBTFUL, PASSED, Signs, missing_signs, repeat_signs
from phage.checking.known import Known
from phage.checking.ladder import Ladder
from phage.checking.scope import Introduction, Scope, introduce
from phage.checking.types import Step
from phage.checking.walk import Repeat, Resolution, Walk, key_of, keys_of
from phage.checking.words import HEADS
from phage.language.en.noted import Article, Noted, Role, noted
from phage.language.en.plurals import singular

_FOUND = (Step.EXACT, Step.NUMBER, Step.SHORTER, Step.CLAIMED)
# In loops over mentions: a member of an enum is slow to look up.
_A, _SAID, _PART, _CLAIMED = Article.A, Article.SAID, Role.PART, Role.CLAIMED
_EXACT = Step.EXACT
_NO_SIGNS: Signs = MappingProxyType({})
_ALIAS = re.compile(r"\s?\(([A-Z][A-Za-z0-9-]+)\)")


def walk_english(number: int, text: str, above: Scope, refers: bool) -> Walk:
    """Read an English claim."""
    reading, mentions = noted(text)
    return _English(Known(number, text, above, refers, reading)).walk(mentions)


class _English:
    """One claim, mention by mention."""

    def __init__(self, known: Known) -> None:
        self.known, self.ladder = known, Ladder(known)
        self.resolutions: list[Resolution] = []
        self.introductions: list[Introduction] = []
        self.repeated: list[Repeat] = []

    def walk(self, mentions: tuple[Noted, ...]) -> Walk:
        """Go through the mentions in order."""
        known, resolved = self.known, self.resolutions.append
        for mention in mentions:
            _, article, plural, _, _, _, _, known.upto, role, definite = mention
            if definite and role is _PART:
                found = self._resolve(mention)
                resolved(found)
                if found.step in _FOUND:
                    if found.number or found.ambiguous:
                        self._introduce(mention, reported=True)
                    continue
                self._introduce(mention, reported=found.step in DOUBTFUL)
            else:
                if article is _A and not plural and role is _PART:
                    self._twice(mention)
                self._introduce(mention)
        known.upto = len(known.reading.words)
        return Walk(
            tuple(self.resolutions),
            tuple(self.introductions),
            tuple(self.repeated),
            self.known.table,
            self.known.note,
        )

    def _introduce(self, mention: Noted, reported: bool = False) -> None:
        term, article, plural, start, end, _, _, _, role, definite = mention
        several = plural and self._counted(mention)
        single = not plural and (definite or article is _A)
        known = self.known
        claimed = role is _CLAIMED
        fields = (term, known.number, start, end, plural, several, reported, claimed, single)
        found = tuple.__new__(Introduction, fields)  # the constructor of a NamedTuple is Python
        self.introductions.append(found)
        introduce(known.table, keys_of(term), found)
        if known.brackets and (alias := _ALIAS.match(known.text, end)):
            introduce(known.table, keys_of(alias[1].lower()), found)

    def _counted(self, mention: Noted) -> bool:
        """Return whether several are introduced as such: "a plurality of", "two"."""
        words = self.known.reading.words[mention.left : mention.first]
        return mention.article is Article.COUNT and "one" not in words

    def _twice(self, mention: Noted) -> None:
        """Note an introduction of what is known already."""
        term = mention.term
        before = self.known.look_up(key_of(term))
        if not before:
            return
        known = [found for found in before if found.single]
        if not known or any(found.reported for found in before):
            return
        again = Introduction(term, self.known.number, mention.start, mention.end, False)
        self.repeated.append(Repeat(again, known[0], repeat_signs(self.known, mention, known)))

    def _resolve(self, mention: Noted) -> Resolution:
        step, near, ambiguous = self.ladder.climb(mention)
        known = self.known
        term, article, plural, start, end, *_ = mention
        split = number = False
        signs = _NO_SIGNS
        if step is _EXACT:
            if known.above.split:
                key = key_of(term)
                split = key in known.above.split and key not in known.table
            number = near[0].plural and not plural and self._one_of_many(mention, near)
        elif step in DOUBTFUL or step in PASSED:  # no introduction was found, or none asked for
            signs = missing_signs(known, mention, step)
        fields = (term, known.number, start, end, step, near, ambiguous, split, number,
                  article is _SAID, signs)  # fmt: skip
        return tuple.__new__(Resolution, fields)

    def _one_of_many(self, mention: Noted, near: tuple[Introduction, ...]) -> bool:
        """Return whether one is taken up where only several were introduced."""
        if not all(found.plural for found in near) or not any(found.several for found in near):
            return False
        words = self.known.reading.words
        if words[mention.left - 1 : mention.left] in (("of",), ("each",)):
            return False  # each of the, one of the
        counted = {"one", "each", "respective", "single", "at", "other"}
        if not counted.isdisjoint(words[mention.left : mention.last]):
            return False
        if singular(words[mention.last]) != words[mention.last]:
            return False  # the first and second pins
        return mention.term not in HEADS and mention.left <= self.known.each

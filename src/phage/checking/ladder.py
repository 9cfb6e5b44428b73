"""Look for the introduction of a definite mention, step by step.

In:   a mention, and what is Known before it.
Out:  the step that held, and what the mention takes up.
Why:  an exact match alone gives eleven false alarms per granted patent."""

from __future__ import annotations

import re

from phage.checking.evidence import AGENT, PARTICIPLE
from phage.checking.known import Known
from phage.checking.scope import Introduction
from phage.checking.types import Step
from phage.checking.walk import key_of
from phage.checking.words import DIRECTIONS, EMPTY, HEADS, INHERENT, KNOWN, ORDINALS, PHRASES
from phage.language.en.lexicon import LEXICON
from phage.language.en.noted import Noted
from phage.language.en.plurals import singular

_EXACT = Step.EXACT
_ELSE = frozenset(("same", "other"))
_VERBS = frozenset("ZzVvEG")
_OPENING = frozenset(["information", "data", "meeting", "starting", "processing"])
"""Behind a known name these open something new: "receives from the server information that"."""
_SUPERLATIVE = re.compile(
    r".{2}(?<!inter)(?<!requ)(?<!arr)(?<!inv)(?<!harv)(?<!dig)(?<!manif)(?<!cont)(?<!prot)(?<!for)"
    r"(?<!ch)(?<!cr)(?<!gu)est$|.{2}most$|^(?:last|most|least)$"
)
_ACRONYM = re.compile(r"[A-Z][A-Z0-9-]+s?|[A-Z][a-z]?[A-Z]\S*")
_WHERE = (("that",), ("when",), ("where",), ("from",), ("between",))
_NEAR = 6
"""Words between two that belong together."""
_SYMBOL = re.compile(r"[a-zα-ωδ]{1,2}\d*|(?!.*[a-z]{3})(?=.*\d).*")
Found = tuple[Step, tuple[Introduction, ...], bool]
"""Step, what it takes up or comes near, whether it is ambiguous."""


class Ladder:
    """The steps, in order."""

    def __init__(self, known: Known) -> None:
        """Stand at the foot, with what one claim knows."""
        self.known = known

    def climb(self, mention: Noted) -> Found:
        """Go up the ladder; the first step that holds counts."""
        term = mention.term
        if term.endswith(("'s", "’s")):
            term = term[:-2]
        if exact := self.known.look_up(key_of(term)):
            return _EXACT, exact, False
        whole = term.split()
        words = [word for word in whole if word not in EMPTY] or whole[-1:]
        kin = self.known.look_up(">" + words[-1])
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
        return (
            self.known.look_up(key_of(" ".join(words[start:])))
            if len(words) - start < len(whole)
            else ()
        )

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
        """Return whether a shorter name fits two things."""
        names = {found.term for found in longer}
        if len(names) < 2 or mention.plural or mention.term in HEADS:
            return False
        least = {
            name for name in names
            if not any(set(other.split()) < set(name.split()) for other in names)
        }  # fmt: skip
        here = {found.term for found in longer if found.claim == self.known.number} & least
        words = self.known.reading.words
        after = words[mention.last + 1 : mention.last + 2]
        if (
            "least" in words[mention.left : mention.first]
            or "claim" in words[mention.last + 2 : mention.last + 4]
        ):
            return False  # the at least one bolt; the bolt of claim 1
        if len(least) < 2 or len(here) == 1 or mention.left > self.known.each:
            return False
        if after == ("of",) and mention.term.rsplit(" ", 1)[-1] in INHERENT:
            return False
        return all(not ORDINALS.isdisjoint(name.split()) for name in least)

    def _act(self, mention: Noted, words: list[str]) -> Found | None:
        """Take "the unit stops" for the unit: a verb was read as part of the name."""
        if len(words) == 1:
            return None
        printed = self.known.reading.words[mention.first : mention.last + 1]
        for end in range(len(printed) - 1, 0, -1):
            last = printed[end - 1]
            one = singular(last)
            opens = printed[end] in _OPENING or LEXICON[printed[end]] in _VERBS
            if one != last or opens or self._capital(mention, end):
                found = self.known.look_up(key_of(" ".join((*printed[: end - 1], one))))
                if found:
                    return Step.EXACT, found, False
        return None

    def _longer(self, mention: Noted, words: list[str]) -> Found | None:
        """Take "the player" for the player interface: a noun was read as a verb."""
        for more in (1, 2):
            rest = self.known.reading.words[mention.last + 1 : mention.last + 1 + more]
            printed = self.known.reading.words[mention.last]
            name = (*words[:-1], printed, *rest[:-1], singular(rest[-1])) if rest else ()
            if name and (found := self.known.look_up(key_of(" ".join(name)))):
                return Step.EXACT, found, False
        return None

    def _derived(self, words: list[str], kin: tuple[Introduction, ...]) -> bool:
        """Return whether the words have stood together in other forms: "the measured pressure"."""
        head, others = words[-1], words[:-1]
        if not others:
            return AGENT.search(head) is None and self.known.knows(head)
        places = self.known.stands(head) if kin or AGENT.search(head) is None else []
        return bool(places) and all(
            (kin and PARTICIPLE.search(word) and self.known.knows(word)) or self._near(word, places)
            for word in others
        )

    def _near(self, word: str, places: list[int]) -> bool:
        return any(abs(at - other) <= _NEAR for at in self.known.stands(word) for other in places)

    def _capital(self, mention: Noted, word: int) -> bool:
        """Return whether a word of a phrase begins with a capital letter."""
        return self.known.text[self.known.reading.starts[mention.first + word]].isupper()

    def _needless(self, mention: Noted, words: list[str]) -> Step | None:
        """Return whether no introduction is needed: inherent, or known to all."""
        head, term = words[-1], mention.term
        every = self.known.reading.words
        after = every[mention.last + 1 : mention.last + 2]
        names = self.known.text[mention.start : mention.end].split()[1:]
        known = head in HEADS or term in KNOWN or _SYMBOL.fullmatch(term)
        if known or any(map(_ACRONYM.fullmatch, names)) or LEXICON[head] == "G":
            return Step.NOT_NEEDED
        # "the following steps"; "the balance Fe" of an alloy
        if words[0] in ("following", "balance", "remainder") or not _ELSE.isdisjoint(
            every[mention.left : mention.last]
        ):
            return Step.NOT_NEEDED
        # "a bicycle of the type having a frame"
        if term in ("type", "kind") and every[mention.left - 1] == "of":
            return Step.NOT_NEEDED
        if self._has_of_itself(mention, words, after):
            return Step.INHERENT
        return None

    def _has_of_itself(self, mention: Noted, words: list[str], after: tuple[str, ...]) -> bool:
        """Return whether a thing has what is named without being given it."""
        head = words[-1]
        if mention.term in PHRASES or (after == ("forth",) and mention.term[:-4] in PHRASES):
            return True  # "the amino acid sequence set forth in"
        if after == ("thereof",) or any(map(_SUPERLATIVE.search, words)):
            return True
        if after == ("of",):
            opening = not self.known.refers and mention.start <= self.known.body
            return (
                head in INHERENT or mention.plural or opening
                or head.endswith(("ity", "ness", "ency"))
            )  # fmt: skip
        if head in INHERENT:
            beyond = self.known.reading.words[mention.last + 1 : mention.last + 3]
            owner = self.known.look_up(key_of(" ".join(words[:-1]))) if words[1:] else ()
            if owner or beyond[:1] in _WHERE or beyond[1:] == ("which",):
                return True
        return (
            head in ("direction", "axis", "plane") and words[1:] != [] and words[-2] in DIRECTIONS
        )

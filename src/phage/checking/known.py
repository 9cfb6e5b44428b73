"""What is known at one point of a claim.

In:   a TaggedClaim, and the Scope of what the parents introduce.
Out:  Known: introductions by key, places of words by stem, as far as the claim was walked.
Why:  in a claim only what stands before counts."""

from __future__ import annotations

import re
from functools import cached_property

from phage.checking.scope import Introduction, Places, Scope, Table
from phage.checking.stems import stem
from phage.language.en.tagging import TaggedClaim

_BODY = re.compile(r"compris|consist|includ|wherein|having|characteri", re.IGNORECASE)
_MOST = 12
"""Places kept of a word: more say no more, and all pairs of two words are compared."""


class Known:
    """One claim while it is walked."""

    def __init__(
        self, number: int, text: str, above: Scope, refers: bool, reading: TaggedClaim
    ) -> None:
        """Begin before the first word; ``refers``: the claim refers to another."""
        self.number, self.text, self.above, self.refers = number, text, above, refers
        self.reading = reading
        self.tables = above.tables[::-1]  # the newest first
        self.table: Table = {}
        self.places: Places = {}
        self.brackets = "(" in text
        self.noted = 0  # words whose places are noted
        self.upto = 0  # words walked over, whose places are noted when they are asked for

    @cached_property
    def each(self) -> int:
        """The place of the first "each", or the number of words."""
        words = self.reading.words
        return words.index("each") if "each" in words else len(words)

    @cached_property
    def body(self) -> int:
        """Where the body begins, in characters."""
        found = _BODY.search(self.text)
        return found.start() if found else len(self.text)

    def note(self) -> Places:
        """Note where the words walked over stand, by their stems."""
        places, base = self.places, self.number << 20
        if self.noted < self.upto:
            stems = map(stem, self.reading.words[self.noted : self.upto])
            for at, key in enumerate(stems, base + self.noted):
                if key not in places:
                    places[key] = [at]
                elif len(places[key]) < _MOST:
                    places[key].append(at)
            self.noted = self.upto
        return places

    def look_up(self, key: str) -> tuple[Introduction, ...]:
        """Return the introductions under a key, the chain's before the claim's own."""
        found = self.table.get(key, ())
        for table in self.tables:
            if key in table:
                found = table[key] + found if found else table[key]
        return found

    def stands(self, word: str) -> list[int]:
        """Return the places in the chain, and earlier in the claim, of a form of a word."""
        key = stem(word)
        found = [at for places in self.above.places for at in places.get(key, ())]
        return found + self.note().get(key, [])

    def knows(self, word: str) -> bool:
        """Return whether a form of a word has stood in the chain or before in the claim."""
        key = stem(word)
        return key in self.note() or any(key in places for places in self.above.places)

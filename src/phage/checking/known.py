"""What is known at one point of a claim.

In:   a TaggedClaim, and the Scope of what the parents introduce.
Out:  Known: introductions by key, places of words by stem, as far as the claim was walked.
Why:  in a claim only what stands before counts."""

from __future__ import annotations

import re

from phage.checking.scope import Introduction, Places, Scope, Table
from phage.checking.stems import stem
from phage.graph.language.en.tagging import TaggedClaim

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
        self.table: Table = {}
        self.places: Places = {}
        words = reading.words
        self.each = words.index("each") if "each" in words else len(words)
        body = _BODY.search(text)
        self.body = body.start() if body else len(text)
        self.stems = 0  # words whose places are noted

    def note(self, end: int) -> None:
        """Note where the words before a mention stand, by their stems."""
        places, base = self.places, self.number << 20
        for at in range(self.stems, end):
            word = self.reading.words[at]
            key = stem(word)
            if key not in places:
                places[key] = [base + at]
            elif len(places[key]) < _MOST:
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

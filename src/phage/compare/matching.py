"""Words of two texts side by side, within a bound.

In:   two lists of words, and an Effort that several comparisons may share.
Out:  difflib's matcher; TooMuch once the effort is spent.
Why:  difflib takes cubic time where a text repeats itself: 3,000 words could take a quarter of an hour."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher

MOST = 40_000_000
"""Steps of all comparisons together: some seconds."""


class TooMuch(Exception):
    """The effort is spent."""


class Effort:
    """Counts the steps that are left."""

    def __init__(self) -> None:
        """Begin with all of them."""
        self.left = MOST

    def spend(self, steps: int) -> None:
        """Take steps, or stop for good."""
        self.left -= steps
        if self.left < 0:
            raise TooMuch


class Matcher(SequenceMatcher[str]):
    """Compares two lists of words as far as the effort goes."""

    a: Sequence[str]
    b2j: dict[str, list[int]]
    """Word → its places in the second list."""

    def __init__(self, one: Sequence[str], other: Sequence[str], effort: Effort) -> None:
        """Index the second list; nothing is compared yet."""
        self.effort = effort
        super().__init__(None, one, other, autojunk=False)

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Find a run of words that both have, after paying for the search."""
        self.effort.spend(sum(1 + len(self.b2j.get(word, ())) for word in self.a[alo:ahi]))
        return super().find_longest_match(alo, ahi, blo, bhi)

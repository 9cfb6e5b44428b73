"""One claim as its verbs need it: its mentions and the ends of its clauses, each found once.

In:   claim text and its mentions.
Out:  Passage: lookup of whatever stands near a position, by bisection.
Why:  a claim may hold thousands of verbs; the lookup for one verb must not scan the whole claim."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Protocol

from phage.language.types import NEAREST, Mention


class Span(Protocol):
    """Anything that has a position in a text."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


class Order:
    """Finds the nearest spans on either side of a position; spans may come in any order."""

    def __init__(self, spans: Sequence[Span]) -> None:
        """Index the spans."""
        self._starts = list(accumulate((span.start for span in spans), max))
        self._ends = list(accumulate((span.end for span in reversed(spans)), min))[::-1]

    def first_from(self, place: int) -> int:
        """Return the index of the first span that starts at or after a position."""
        return bisect_left(self._starts, place)

    def last_until(self, place: int) -> int:
        """Return the index of the last span that ends at or before a position; -1 for none."""
        return bisect_right(self._ends, place) - 1


class Cover:
    """The characters that some spans cover."""

    def __init__(self, size: int, spans: Sequence[Span]) -> None:
        """Mark the spans in a text of ``size`` characters."""
        self._signs = bytearray(size)
        for span in spans:
            self.add(span.start, span.end)

    def add(self, start: int, end: int) -> None:
        """Mark a stretch."""
        self._signs[start:end] = b"\1" * (end - start)

    def touches(self, start: int, end: int) -> bool:
        """Return whether a stretch holds a covered character."""
        return self._signs.find(1, start, end) >= 0


class Passage:
    """A claim's text, its mentions, and the ends of its clauses."""

    def __init__(self, text: str, mentions: tuple[Mention, ...]) -> None:
        """Index the mentions; patterns are searched on first use."""
        self.text, self.mentions = text, mentions
        self.dense = False
        """Whether some verb had more mentions nearby than it is tried on."""
        self._order = Order(mentions)
        self._ends = sorted(mention.end for mention in mentions)
        by_start = sorted(mentions, key=lambda mention: mention.start)
        self._starts = [mention.start for mention in by_start]
        self._reach = list(accumulate((mention.end for mention in by_start), max))
        self._matches: dict[re.Pattern[str], _Matches] = {}
        self._openings: dict[int, int] = {}

    def inside(self, start: int, end: int) -> bool:
        """Return whether a stretch lies inside a mention."""
        at = bisect_right(self._starts, start)
        return at > 0 and self._reach[at - 1] >= end

    def starts_at(self, place: int) -> bool:
        """Return whether a mention starts at a place."""
        at = bisect_left(self._starts, place)
        return at < len(self._starts) and self._starts[at] == place

    def adjoins(self, place: int) -> bool:
        """Return whether only blanks stand between a position and the mention before it."""
        at = bisect_right(self._ends, place) - 1
        return at >= 0 and self.blank(self._ends[at], place)

    def blank(self, start: int, end: int) -> bool:
        """Return whether a stretch holds nothing but blanks."""
        return _SIGN.search(self.text, start, end) is None

    def next_from(self, place: int) -> Mention | None:
        """Return the first mention that starts at or after a position."""
        at = self._order.first_from(place)
        return self.mentions[at] if at < len(self.mentions) else None

    def back_from(self, place: int, start: int = 0) -> Iterator[Mention]:
        """Return the mentions between a start and a position, last first."""
        first, end = self._order.first_from(start), self._order.last_until(place) + 1
        for mention in reversed(self.mentions[max(first, end - NEAREST) : end]):
            if start <= mention.start and mention.end <= place:
                yield mention
        self.dense |= end - first > NEAREST

    def forth_from(self, place: int, end: int) -> Iterator[Mention]:
        """Return the mentions between a position and an end, first first."""
        first, last = self._order.first_from(place), self._order.last_until(end) + 1
        for mention in self.mentions[first : min(last, first + NEAREST)]:
            if place <= mention.start and mention.end <= end:
                yield mention
        self.dense |= last - first > NEAREST

    def within(self, start: int, end: int, near: int) -> list[Mention]:
        """Return the mentions inside a stretch; of many, only those nearest to a position."""
        middle = self._order.last_until(near) + 1
        first, last = self._order.first_from(start), self._order.last_until(end) + 1
        self.dense |= middle - first > NEAREST or last - middle > NEAREST
        first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
        return [m for m in self.mentions[first:last] if start <= m.start and m.end <= end]

    def last_before(self, pattern: re.Pattern[str], place: int) -> int:
        """Return the end of the last match before a position; 0 if there is none.

        Text that a match looks ahead at must stand before the position, too; a group named
        ``ahead`` holds it.
        """
        matches = self._all(pattern)
        at = bisect_right(matches.reaches, place) - 1
        return matches.ends[at] if at >= 0 else 0

    def first_after(self, pattern: re.Pattern[str], place: int) -> int:
        """Return the start of the next match after a position, or the end of the text."""
        starts = self._all(pattern).starts
        at = bisect_left(starts, place)
        return starts[at] if at < len(starts) else len(self.text)

    def _all(self, pattern: re.Pattern[str]) -> _Matches:
        if pattern not in self._matches:
            self._matches[pattern] = _Matches(pattern, self.text)
        return self._matches[pattern]

    def with_enumeration(self, start: int, comma: str = ",") -> int:
        """Move a clause's start to that of the enumeration it continues: "A, B und C sind …"."""
        passed: list[int] = []
        while start not in self._openings:
            passed.append(start)
            earlier = self._item_before(start, comma)
            if earlier == start or not self.text.endswith(comma, 0, earlier):
                self._openings[start] = earlier
            else:
                start = earlier
        for one in passed:
            self._openings[one] = self._openings[start]
        return self._openings[start]

    def _item_before(self, start: int, comma: str) -> int:
        """Return the start of the item before a comma; the same position if there is none."""
        if not start or self.text[start - 1] != comma:
            return start
        item = next(self.back_from(start), None)
        if item is None or not self.blank(item.end, start - 1):
            return start
        end = item.start
        while end and self.text[end - 1].isspace():
            end -= 1
        opened = (comma, "wobei", "dass", "lequel", "laquelle", ":", ";")
        return end if self.text.endswith(opened, 0, end) else start


class _Matches:
    """All matches of a pattern in a text: starts, ends, and how far each one looked."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        found = list(pattern.finditer(text))
        self.starts = [match.start() for match in found]
        self.ends = [match.end() for match in found]
        ahead = "ahead" in pattern.groupindex
        self.reaches = [max(m.end(), m.end("ahead")) if ahead else m.end() for m in found]


_SIGN = re.compile(r"\S")

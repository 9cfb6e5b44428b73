"""What a claim may take as known: the introductions of its chain.

In:   the words that each claim introduces, claim by claim.
Out:  a Scope per claim that answers "what was introduced under this key?".
Why:  a chain of ten thousand claims must not be copied ten thousand times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Introduction(NamedTuple):
    """A mention that brings a thing in; ``text[start:end]`` holds it with its determiner."""

    term: str
    claim: int
    start: int
    end: int
    plural: bool
    several: bool = False
    """More than one thing, or maybe so: "a plurality of pins", "at least one pin"."""
    reported: bool = False
    """It was reported as a finding, not introduced: one cause, one finding."""
    claimed: bool = False
    """What the claim is to."""
    single: bool = False
    """Introduced as one thing: "a pin"."""


Table = dict[str, tuple[Introduction, ...]]
"""Key → introductions, the oldest first."""

Places = dict[str, list[int]]
"""Stem → places of its words: claim number times 2**20, plus the word's place in the claim."""

_MOST = 12
"""Introductions kept under one key: more say no more."""


def introduce(table: Table, keys: Iterable[str], found: Introduction) -> None:
    """Add an introduction to a claim's own table."""
    one = (found,)
    for key in keys:
        before = table.get(key)
        if before is None:
            table[key] = one
        elif len(before) < _MOST:
            table[key] = (*before, found)


class Scope:
    """The tables of a chain, newest last; sizes shrink, so that there are few of them."""

    __slots__ = ("places", "split", "tables")

    def __init__(
        self,
        tables: tuple[Table, ...] = (),
        split: frozenset[str] = frozenset(),
        places: tuple[Places, ...] = (),
    ) -> None:
        """Take the tables of a chain and the keys whose introduction differs by path."""
        self.tables = tables
        self.split = split
        self.places = places

    def look_up(self, key: str) -> tuple[Introduction, ...]:
        """Return what the chain introduces under a key, the oldest first."""
        found: tuple[Introduction, ...] = ()
        for table in self.tables:
            if key in table:
                found = found + table[key] if found else table[key]
        return found

    def __contains__(self, key: str) -> bool:
        """Return whether a key was introduced on every path."""
        return any(key in table for table in self.tables)

    def __iter__(self) -> Iterator[str]:
        """Return all keys."""
        return iter(dict.fromkeys(key for table in self.tables for key in table))

    def extended(self, own: Table, places: Places | None = None) -> Scope:
        """Add a claim's own table; the parent's scope stays as it is.

        >>> below = Scope().extended({"pin": (Introduction("pin", 1, 0, 5, False),)})
        >>> "pin" in below, "cup" in below, len(below.extended({"cup": ()}).tables)
        (True, False, 1)
        """
        tables = _stacked(self.tables, own) if own else self.tables
        words = _stacked(self.places, places) if places else self.places
        return Scope(tables, self.split, words)


def _stacked(tables: tuple[dict[str, Any], ...], own: dict[str, Any]) -> tuple[Any, ...]:
    """Put a table on top; those that are not much larger are merged into one."""
    stack = [*tables, own]
    while len(stack) > 1 and len(stack[-2]) <= 2 * len(stack[-1]):
        newer, older = stack.pop(), stack.pop()
        merged = dict(older)
        for key, found in newer.items():
            merged[key] = (merged[key] + found)[:_MOST] if key in merged else found
        stack.append(merged)
    return tuple(stack)


def united(scopes: Iterable[Scope]) -> Scope:
    """Join the scopes of parents that all hold."""
    whole = Scope()
    split: frozenset[str] = frozenset()
    for scope in scopes:
        split |= scope.split
        for table in scope.tables:
            whole = whole.extended(table)
        for places in scope.places:
            whole = whole.extended({}, places)
    return Scope(whole.tables, split, whole.places)


def shared(one: Scope, other: Scope) -> Scope:
    """Keep what both of two alternative parents introduce.

    >>> pin, cup = (Introduction("pin", n, 0, 5, False) for n in (2, 3))
    >>> both = shared(Scope(({"pin": (pin,)},)), Scope(({"pin": (cup,), "cup": (cup,)},)))
    >>> list(both), sorted(both.split)
    (['pin'], ['pin'])
    """
    small, large = sorted((one, other), key=lambda scope: sum(map(len, scope.tables)))
    table: Table = {}
    split = set(one.split | other.split)
    for key in small:
        if key in large:
            here, there = small.look_up(key), large.look_up(key)
            if here != there and here and there:
                common = [found for found in here if found in there]
                if not common:
                    split.add(key)
                here = tuple(common) or tuple(sorted({*here, *there}, key=lambda i: i[1:3]))[:_MOST]
            table[key] = here
    said = _in_both(one.places, other.places)
    return Scope(
        (table,) if table else (), frozenset(split & table.keys()), (said,) if said else ()
    )


def _in_both(here: tuple[Places, ...], there: tuple[Places, ...]) -> Places:
    """Keep the words that stand on both paths; where the second has them does not matter.

    >>> _in_both(({"pin": [1]}, {"pin": [5], "cup": [6]}), ({"pin": [9]},))
    {'pin': [1, 5]}
    """
    both: Places = {}
    said = set().union(*there)
    for places in here:
        for key in places.keys() & said:
            both[key] = (both[key] + places[key])[:_MOST] if key in both else places[key]
    return both

"""What one claim says, mention by mention.

In:   mentions of a claim, and the Scope of what its parents introduce.
Out:  a Walk: resolutions, introductions, repetitions; one function for languages without a ladder.
Why:  rules, reports and pages ask for the same things in every language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from phage.checking.scope import Introduction, Places, Scope, Table, introduce
from phage.checking.types import Step
from phage.language.types import Determiner, Language


class Resolution(NamedTuple):
    """A definite mention and what it takes up; ``text[start:end]`` includes the determiner."""

    term: str
    claim: int
    start: int
    end: int
    step: Step
    antecedents: tuple[Introduction, ...] = ()
    """What it takes up, or, where it is ambiguous or unresolved, what comes near."""
    ambiguous: bool = False
    split: bool = False
    """Each of several paths has an introduction of its own."""
    number: bool = False
    """Singular here, plural there."""
    said: bool = False
    signs: Mapping[str, int] = MappingProxyType({})
    """Evidence for a missing introduction; see ``phage.checking.evidence``."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """An introduction of what the chain has introduced before."""

    again: Introduction
    first: Introduction
    signs: Mapping[str, int] = field(repr=False)
    """Evidence for one and the same thing; see ``phage.checking.evidence``."""


@dataclass(frozen=True, slots=True)
class Walk:
    """What one claim says, in order."""

    resolutions: tuple[Resolution, ...] = ()
    introductions: tuple[Introduction, ...] = ()
    repeated: tuple[Repeat, ...] = ()
    table: Table = field(default_factory=dict, repr=False)
    places: Callable[[], Places] = field(default=dict, repr=False)
    """Gives where its words stand; claims that no other refers to are not asked."""


Walker = Callable[[int, str, Scope, bool], Walk]
"""Number, text, what the parents introduce, whether the claim refers to another."""


@lru_cache(maxsize=50_000)
def key_of(term: str) -> str:
    """Return what spellings of one term share.

    >>> key_of("sub-assembly") == key_of("sub assembly") == key_of("subassembly")
    True
    """
    return term.replace("-", "").replace(" ", "")


@lru_cache(maxsize=50_000)
def keys_of(term: str) -> tuple[str, str]:
    """Return the keys under which a term is introduced: its own, and that of its head.

    >>> keys_of("check valve")
    ('checkvalve', '>valve')
    """
    return key_of(term), ">" + term.rsplit(" ", 1)[-1]


def walk_plain(number: int, text: str, above: Scope, language: Language) -> Walk:
    """Read a claim of another language: exact terms and shorter names."""
    table: Table = {}
    resolutions: list[Resolution] = []
    introductions: list[Introduction] = []
    for mention in language.mentions(text) if language.mentions else ():
        key = key_of(mention.term)
        before = above.look_up(key) + table.get(key, ())
        if mention.determiner is Determiner.DEF:
            step = Step.EXACT if before else Step.NONE
            resolutions.append(
                Resolution(mention.term, number, mention.start, mention.end, step, before)
            )
            if before:
                continue
        found = Introduction(mention.term, number, mention.start, mention.end, False)
        introductions.append(found)
        introduce(table, (key,), found)
    return Walk(tuple(resolutions), tuple(introductions), (), table)

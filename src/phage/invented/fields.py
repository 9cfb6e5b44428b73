"""The technical fields the invented corpus writes about.

In:   ``vocabulary/*.toml``: one file per IPC section, and what all fields share.
Out:  Field (an IPC subclass), Topic and Shared, frozen.
Why:  words are data: a field is added or corrected without touching the grammar."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

SECTIONS = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Topic:
    """What patents of one main group speak of."""

    key: str
    """``F16D 55/226``: unique, and the IPC symbol itself."""
    things: tuple[str, ...]
    """What is claimed."""
    hosts: tuple[str, ...]
    """Larger things that contain it."""
    settings: tuple[str, ...]
    purposes: tuple[str, ...]
    """What its methods do, as gerunds."""
    parts: tuple[str, ...]
    steps: tuple[str, ...]
    functions: tuple[str, ...]
    materials: tuple[str, ...]
    quantities: tuple[str, ...]
    effects: tuple[str, ...]
    """Advantages, for the abstract."""


@dataclass(frozen=True, slots=True)
class Field:
    """One IPC subclass and the ways its drafters write."""

    code: str
    name: str
    relations: tuple[str, ...]
    """Participles with preposition outside the functional verbs: ``welded to``."""
    adjectives: tuple[str, ...]
    mechanical: float
    """Share of relations that are couplings; low in chemistry."""
    chemical: bool
    computing: bool
    topics: tuple[Topic, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Words that every field borrows, so that a few common words do not give a field away."""

    mechanical: tuple[str, ...]
    control: tuple[str, ...]
    chemistry: tuple[str, ...]
    adjectives: tuple[str, ...]
    functions: tuple[str, ...]
    relations: tuple[str, ...]
    materials: tuple[str, ...]
    dimensions: tuple[str, ...]
    shares: tuple[str, ...]
    mass: frozenset[str]
    """Nouns without an indefinite article."""


@cache
def fields() -> tuple[Field, ...]:
    """Return all fields, in the order of the IPC.

    >>> len(fields()), "".join(sorted({field.code[0] for field in fields()}))
    (24, 'ABCDEFGH')
    """
    found = [_field(row) for section in SECTIONS for row in _load(section)["subclass"]]
    return tuple(sorted(found, key=lambda field: field.code))


@cache
def shared() -> Shared:
    """Return what the fields have in common."""
    row = _load("shared")
    marked = {
        word[1:]
        for field in fields()
        for topic in field.topics
        for word in topic.parts
        if word.startswith("~")
    }
    return Shared(
        mechanical=_list(row["mechanical"]["parts"]),
        control=_list(row["control"]["parts"]),
        chemistry=_list(row["chemistry"]["parts"]),
        adjectives=_list(row["mechanical"]["adjectives"]),
        functions=_list(row["functions"]["any"]),
        relations=_list(row["relations"]["any"]),
        materials=_list(row["materials"]["any"]),
        dimensions=_list(row["dimensions"]["any"]),
        shares=_list(row["shares"]["any"]),
        mass=frozenset(_list(row["mass"]["any"])) | marked,
    )


def _field(row: Mapping[str, Any]) -> Field:
    return Field(
        code=row["code"],
        name=row["name"],
        relations=_list(row["relations"]),
        adjectives=_list(row["adjectives"]),
        mechanical=row["mechanical"],
        chemical=row.get("chemical", False),
        computing=row.get("computing", False),
        topics=tuple(_topic(row["code"], topic) for topic in row["topic"]),
    )


def _topic(code: str, row: Mapping[str, str]) -> Topic:
    lists = {name: _list(text) for name, text in row.items() if name != "group"}
    return Topic(key=f"{code} {row['group']}", **lists)


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";"))


def _load(name: str) -> dict[str, Any]:
    folder = resources.files("phage.invented") / "vocabulary"
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))

"""Colours and line styles of the four relations, on light and dark ground.

LIGHT and DARK palettes, and the line style of each relation. One relation looks the same in every
picture, also to a colour-blind reader or in grey."""

from __future__ import annotations

from dataclasses import dataclass

from phage.graph.types import Relation


@dataclass(frozen=True, slots=True)
class Palette:
    """Hex colours; the relations' come from the colour-blind safe set of Okabe and Ito."""

    ground: str
    ink: str
    muted: str
    rule: str
    error: str
    warning: str
    relations: dict[Relation, str]


LIGHT = Palette(
    ground="#ffffff",
    ink="#1c2530",
    muted="#6b7785",
    rule="#e6eaee",
    error="#b3261e",
    warning="#8a5a00",
    relations={
        Relation.CITE: "#5b6b7c",
        Relation.TERM: "#0072b2",
        Relation.FUNC: "#d55e00",
        Relation.BOTH: "#6a3fa0",
    },
)
DARK = Palette(
    ground="#10151b",
    ink="#e8edf2",
    muted="#93a1b0",
    rule="#232c36",
    error="#ff8f85",
    warning="#e3b341",
    relations={
        Relation.CITE: "#8fa1b3",
        Relation.TERM: "#56b4e9",
        Relation.FUNC: "#f0954a",
        Relation.BOTH: "#b9a0f5",
    },
)

DASHES = {
    Relation.CITE: "",
    Relation.TERM: "",
    Relation.FUNC: "5 3",
    Relation.BOTH: "",
}
"""SVG dash patterns; BOTH is a heavier line instead."""
WIDTHS = {Relation.CITE: 1.4, Relation.TERM: 1.4, Relation.FUNC: 1.2, Relation.BOTH: 2.4}

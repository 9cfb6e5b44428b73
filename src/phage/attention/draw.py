"""The mask and bias of a claim set, as a picture.

In:   a Projection; the five effective biases of a layer, if they have been learned.
Out:  png, pdf or svg: queries down, keys across, a claim as wide as its tokens.
Why:  whether attention follows the graph should be seen, not believed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.attention.batch import node_table
from phage.attention.guidance import Code
from phage.errors import PhageError
from phage.extras import require
from phage.graph.drawing.palette import DARK, LIGHT, Palette
from phage.graph.types import Relation
from phage.projection import Projection
from phage.storage import atomic

ENDINGS = (".png", ".pdf", ".svg")
_NAMES = ("self", *Relation)
_CLS = 0.02
"""Share of the picture that [CLS] gets; one token of 512 would not be seen."""


def draw_attention(
    projection: Projection,
    path: Path | str,
    *,
    biases: Sequence[float] | None = None,
    dark: bool = False,
) -> None:
    """Draw which tokens may see which, by what relation, and with what bias (at first ln 2)."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise PhageError(
            f"cannot draw to '{path.name}'", remedy=f"end its name in one of: {' '.join(ENDINGS)}"
        )
    figures = require("matplotlib.figure", extra="draw")
    palette = DARK if dark else LIGHT
    codes = node_table(projection)  # (1 + n, 1 + n)
    sizes = np.bincount(projection.claims + 1, minlength=len(codes))  # tokens of each node
    figure = figures.Figure(figsize=(9.2, 7.2), dpi=160, facecolor=palette.ground)
    axes = figure.add_axes((0.07, 0.06, 0.66, 0.84))
    _matrix(axes, codes, _edges(sizes), palette)
    _ticks(axes, projection, _edges(sizes), palette)
    _key(axes, codes, biases, palette)
    open_pairs = sizes @ (codes != Code.CLOSED) @ sizes / sizes.sum() ** 2
    kept = projection.kept
    figure.text(
        0.07, 0.945,
        f"{projection.patent}   {kept.claims_kept} of {kept.claims} claims, "
        f"{kept.edges_kept} of {kept.edges} edges in {len(projection)} tokens; "
        f"{open_pairs:.0%} of the token pairs are open",
        color=palette.ink, fontsize=10.5,
    )  # fmt: skip
    with atomic(path) as partial:
        figure.savefig(partial, format=path.suffix[1:].lower(), facecolor=palette.ground)


def _edges(sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the borders of the nodes, from 0 to 1."""
    share = sizes / max(sizes[1:].sum(), 1) * (1 - _CLS)
    share[0] = _CLS
    return np.concatenate(([0.0], np.cumsum(share)))


def _matrix(
    axes: Any,  # noqa: ANN401
    codes: NDArray[np.int8],
    edges: NDArray[np.float64],
    palette: Palette,
) -> None:
    colours = require("matplotlib.colors", extra="draw")
    shades = _shades(palette)
    mapping = colours.ListedColormap([palette.ground, *shades.values()])
    crowded = len(codes) > 40
    axes.pcolormesh(
        edges, edges, codes, cmap=mapping, vmin=-1.5, vmax=5.5, edgecolors=palette.rule,
        linewidth=0.15 if crowded else 0.5,
    )  # fmt: skip
    axes.set(xlim=(0, edges[-1]), ylim=(edges[-1], 0), facecolor=palette.ground)


def _shades(palette: Palette) -> dict[Code, str]:
    relations = [palette.relations[relation] for relation in Relation]
    neutral = ("#c9d2db", "#f2e7c9") if palette is LIGHT else ("#3a4652", "#3d3722")
    return dict(zip(list(Code)[1:], [neutral[0], *relations, neutral[1]], strict=True))


def _ticks(
    axes: Any,  # noqa: ANN401
    projection: Projection,
    edges: NDArray[np.float64],
    palette: Palette,
) -> None:
    """Name the claims that are wide enough for a number, and [CLS]."""
    middles = (edges[:-1] + edges[1:]) / 2
    names = ["CLS", *map(str, projection.numbers)]
    style = {"labelcolor": palette.muted, "labelsize": 7.5, "length": 0}
    # Shares of the axis: numbers beside each other need their width, below each other one line.
    axes.set_xticks(*_apart(middles, names, per_letter=0.01, gap=0.004))
    axes.set_yticks(*_apart(middles, names, per_letter=0.0, gap=0.018))
    axes.tick_params(axis="x", top=True, labeltop=True, bottom=False, labelbottom=False, **style)
    axes.tick_params(axis="y", **style)
    axes.set_ylabel("query: this claim reads …", color=palette.muted, fontsize=9)
    axes.set_xlabel("… key: the words of this claim", color=palette.muted, fontsize=9)
    for side in axes.spines.values():
        side.set_color(palette.rule)


def _apart(
    places: NDArray[np.float64], names: Sequence[str], per_letter: float, gap: float
) -> tuple[list[float], list[str]]:
    """Leave out the names that would touch the one before.

    >>> _apart(np.array([0.01, 0.03, 0.05]), ["98", "101", "104"], per_letter=0.01, gap=0.004)
    ([0.01, 0.05], ['98', '104'])
    """
    shown: tuple[list[float], list[str]] = ([], [])
    end = -1.0  # of the name before
    for place, name in zip(places.tolist(), names, strict=True):
        half = per_letter * len(name) / 2
        if place - half >= end + gap:
            shown[0].append(place)
            shown[1].append(name)
            end = place + half
    return shown


def _key(
    axes: Any,  # noqa: ANN401
    codes: NDArray[np.int8],
    biases: Sequence[float] | None,
    palette: Palette,
) -> None:
    """Draw the legend: what each shade means, what it adds to a score, how many edges have it."""
    patches = require("matplotlib.patches", extra="draw")
    values = [math.log(2)] * len(_NAMES) if biases is None else list(biases)
    shades = _shades(palette)
    rows = []
    for code, name in enumerate(_NAMES):
        count = int((codes == code).sum())
        what = "same claim" if code == Code.SELF else f"{count} edge{'s' * (count != 1)}"
        rows.append((shades[Code(code)], f"{name}  b = {values[code]:.4f}   {what}"))
    rows.append((shades[Code.FREE], "open, no bias ([CLS] reads all)"))
    rows.append((palette.ground, "closed"))
    handles = [
        patches.Patch(facecolor=shade, edgecolor=palette.muted, linewidth=0.4, label=label)
        for shade, label in rows
    ]
    legend = axes.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=8.5,
        labelcolor=palette.ink, handlelength=1.4, borderaxespad=0.0, labelspacing=0.9,
        title="what is added to a score" if biases is None else "what is added, as learned",
    )  # fmt: skip
    legend.get_title().set(color=palette.ink, fontsize=9.5)
    legend.set_alignment("left")

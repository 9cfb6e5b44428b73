"""The distributions of a corpus of graphs, as a picture.

In:   a Tally and its Statistics.
Out:  a figure file (png, svg, pdf).
Why:  means hide that a few patents hold most of the edges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phage.extras import require
from phage.graph.drawing.palette import LIGHT
from phage.graph.paper import PAPER
from phage.graph.statistics import Statistics, Tally, density
from phage.graph.types import Relation
from phage.storage import atomic, picture_ending

_INK, _MUTED, _BAR = LIGHT.ink, LIGHT.muted, "#8fb0c9"


def plot(tally: Tally, found: Statistics, path: Path) -> None:
    """Draw six panels: claims, edges, density, edges per relation, path length, diameter."""
    ending = picture_ending(path)
    matplotlib = require("matplotlib", extra="draw")
    matplotlib.use("Agg")
    pyplot = require("matplotlib.pyplot", extra="draw")
    rows = tally.matrix()
    claims, edges = rows[:, 0], rows[:, 1:].sum(axis=1)
    with pyplot.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, axes = pyplot.subplots(2, 3, figsize=(11, 6), layout="constrained")
        top, low = axes
        _histogram(top[0], claims, "claims", "claims per patent", found)
        _histogram(top[1], edges, "edges", "edges per patent", found)
        _histogram(top[2], density(claims, edges, tally.ways), "density", "density", found)
        _relations(low[0], found)
        _histogram(low[1], [a for a, _ in tally.paths], "path_length", "mean path length", found)
        _histogram(low[2], [b for _, b in tally.paths], "diameter", "diameter", found)
        figure.suptitle(f"Claim graphs of {found.patents:,} patents", x=0.01, ha="left", color=_INK)
        with atomic(path) as partial:
            figure.savefig(partial, dpi=150, format=ending)
        pyplot.close(figure)


def _histogram(axis: Any, values: Any, name: str, title: str, found: Statistics) -> None:  # noqa: ANN401
    array = np.asarray(values, dtype=float)
    top = float(np.quantile(array, 0.99)) if len(array) else 1.0
    whole = name in ("claims", "edges", "diameter")
    step = max(1, round(top / 40)) if whole else top / 30 or 1
    low = -0.5 if whole else 0.0  # whole numbers stand in the middle of their bar
    axis.hist(np.minimum(array, top), bins=np.arange(low, top + 1.5 * step, step), color=_BAR)
    ours, paper = found.basic[name].mean, PAPER.basic[name].mean
    axis.axvline(ours, color=_INK, label=f"mean {ours:.2f}")
    axis.axvline(paper, color=_INK, linestyle=":", label=f"paper {paper:.2f}")
    axis.set_title(title, loc="left", color=_INK)
    axis.set_ylabel("patents", color=_MUTED)
    axis.legend(frameon=False)


def _relations(axis: Any, found: Statistics) -> None:  # noqa: ANN401
    names = [str(relation) for relation in Relation]
    place = np.arange(len(names))
    ours = [found.relations[name].mean for name in names]
    paper = [PAPER.relations[name].mean for name in names]
    colours = [LIGHT.relations[relation] for relation in Relation]
    axis.bar(place - 0.2, ours, 0.36, color=colours)
    axis.bar(place + 0.2, paper, 0.36, color="none", edgecolor=colours, linestyle=":")
    for x, value in [*zip(place - 0.2, ours, strict=True), *zip(place + 0.2, paper, strict=True)]:
        axis.annotate(f"{value:.1f}", (x, value), ha="center", va="bottom", fontsize=8)
    axis.set_xticks(place, names)
    axis.set_title("edges per patent (dotted: paper)", loc="left", color=_INK)

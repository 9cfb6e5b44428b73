"""A scene as PNG or PDF, through matplotlib.

In:   a Scene.
Out:  a picture file, light or dark.
Why:  papers, slides and mail programs do not accept SVG; the geometry is the same scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phage.extras import require
from phage.graph.drawing.palette import DARK, LIGHT, WIDTHS, Palette
from phage.graph.drawing.scene import Disc, Line, Scene, Words
from phage.graph.types import Relation
from phage.storage import atomic

_SIZES = {"title": 17.0, "root": 12.5, "number": 10.5, "mark": 11.5, "label": 11.0}
_SIDES = {"start": "left", "middle": "center", "end": "right"}
_OPACITY = {"func": (0.8, 0.4), "term": (0.9, 0.75), "both": (0.9, 0.75)}
"""Of an edge, in a drawing with few edges and in a crowded one."""
_DPI = 200  # twice a screen
_POINT = 0.72  # points per pixel at 100 dots per inch
_FONTS = ["DejaVu Sans", "Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans CJK SC"]


def save_raster(scene: Scene, path: Path, *, dark: bool = False) -> None:
    """Write the picture at twice the screen's resolution."""
    matplotlib = require("matplotlib", extra="draw")
    matplotlib.use("Agg")
    pyplot = require("matplotlib.pyplot", extra="draw")
    palette = DARK if dark else LIGHT
    known = {font.name for font in require("matplotlib.font_manager", "draw").fontManager.ttflist}
    with pyplot.rc_context({"font.family": [name for name in _FONTS if name in known]}):
        size = (scene.width / 100, scene.height / 100)
        figure = pyplot.figure(figsize=size, dpi=_DPI, facecolor=palette.ground)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, scene.width), ylim=(scene.height, 0))
        axes.axis("off")
        crowded = sum(group.kind == "edge" for group in scene.groups) > 120
        for order, group in enumerate(scene.groups):
            opacity = _OPACITY.get(group.relation, (1.0, 1.0))[crowded]
            for part in group.parts:
                _add(axes, part, palette, order, opacity)
        with atomic(path) as partial:
            figure.savefig(
                partial, dpi=_DPI, format=path.suffix.lstrip("."), facecolor=palette.ground
            )
        pyplot.close(figure)


def _add(
    axes: Any,  # noqa: ANN401
    part: Words | Line | Disc,
    palette: Palette,
    order: int,
    opacity: float,
) -> None:
    if isinstance(part, Words):
        _words(axes, part, palette, order)
    elif isinstance(part, Disc):
        _disc(axes, part, palette, order)
    else:
        _line(axes, part, palette, order, opacity)


def _words(axes: Any, part: Words, palette: Palette, order: int) -> None:  # noqa: ANN401
    first = part.role.split()[0]
    colour = palette.muted if first == "subtitle" else palette.ink
    if first == "mark":
        colour = palette.error if part.role.endswith("error") else palette.warning
    style: dict[str, Any] = {
        "fontsize": _SIZES.get(first, 12.5) * _POINT,
        "ha": _SIDES[part.anchor],
        "va": "baseline",
        "zorder": order,
        "parse_math": False,
    }
    x = part.x
    if part.lead:
        lost = part.role == "broken"
        faint = palette.error if lost else palette.muted
        lead = axes.text(x, part.y, part.lead, color=faint, **style)
        x = lead.get_window_extent().transformed(axes.transData.inverted()).x1
    if first == "label":  # legible where it lies on an arc
        effects = require("matplotlib.patheffects", extra="draw")
        style["path_effects"] = [effects.withStroke(linewidth=3, foreground=palette.ground)]
    bold = first in ("title", "root", "number")
    weight = "bold" if bold else "normal"
    axes.text(
        x,
        part.y,
        part.text,
        color=palette.ground if part.role == "number independent" else colour,
        fontweight=weight,
        **style,
    )


def _disc(axes: Any, part: Disc, palette: Palette, order: int) -> None:  # noqa: ANN401
    patches = require("matplotlib.patches", extra="draw")
    full = part.role == "independent"
    edge = palette.ink if full else palette.relations[Relation.CITE]
    edge = palette.error if part.role == "broken" else edge
    if part.role == "cross":
        axes.add_patch(
            patches.Circle((part.x, part.y), 11.5, fc="none", ec=edge, lw=0.8, zorder=order)
        )
    axes.add_patch(
        patches.Circle(
            (part.x, part.y), 9, zorder=order, lw=1.0, ec=edge,
            ls="dashed" if part.role == "broken" else "solid",
            fc=palette.ink if full else palette.ground,
        )
    )  # fmt: skip


def _line(axes: Any, part: Line, palette: Palette, order: int, opacity: float) -> None:  # noqa: ANN401
    path = require("matplotlib.path", extra="draw").Path
    patches = require("matplotlib.patches", extra="draw")
    plain = part.role in ("aside", "rule", "snapped")
    relation = Relation.CITE if plain else Relation(part.role)
    others = {"rule": palette.rule, "snapped": palette.error}
    colour = others.get(part.role, palette.relations[relation])
    codes = [path.MOVETO, *[path.CURVE4 if part.curve else path.LINETO] * (len(part.points) - 1)]
    style: Any = "solid"
    if part.role == "aside":
        style = (0, (2, 2.5))
    elif relation is Relation.FUNC:
        style = (0, (4, 2.4))
    width = 0.7 if part.role in ("aside", "rule") else WIDTHS[relation] * 0.75
    axes.add_patch(
        patches.PathPatch(
            path(part.points, codes), fc="none", ec=colour, lw=width, ls=style, zorder=order,
            alpha=opacity, capstyle="butt",
        )
    )  # fmt: skip
    if part.arrow:
        (x, y), before = part.points[-1], part.points[-2][0]
        back = 6.5 if before > x else -6.5
        head = [(x, y), (x + back, y - 2.8), (x + back, y + 2.8)]
        axes.add_patch(patches.Polygon(head, fc=colour, ec="none", zorder=order, alpha=opacity))

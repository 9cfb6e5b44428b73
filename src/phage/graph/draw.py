"""Draw a claim graph to a file.

In:   a ClaimGraph, the Patent for its words, findings to mark its claims with, a file name.
Out:  svg, html, png, pdf, dot, graphml or json, by the name's ending.
Why:  one door for every way of looking at one graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.graph.drawing.layout import Marks
from phage.graph.drawing.page import to_html
from phage.graph.drawing.raster import save_raster
from phage.graph.drawing.scene import compose
from phage.graph.drawing.svg import to_svg
from phage.graph.export import to_dot, to_graphml, to_json
from phage.graph.types import ClaimGraph
from phage.storage import write_text

TEXTS: dict[str, Callable[[ClaimGraph, Patent | None, Marks], str]] = {
    ".svg": lambda graph, patent, marks: to_svg(
        compose(graph, patent, marks), f"claim graph of {graph.patent}"
    ),
    ".html": to_html,
    ".dot": lambda graph, patent, _: to_dot(graph, patent),
    ".graphml": lambda graph, patent, _: to_graphml(graph, patent),
    ".json": lambda graph, patent, _: to_json(graph, patent),
}
"""Ending → writer of a text file."""
PICTURES = (".png", ".pdf")


def draw(
    graph: ClaimGraph,
    path: Path | str,
    patent: Patent | None = None,
    *,
    dark: bool = False,
    marks: Marks | None = None,
) -> None:
    """Write one picture or file; ``dark`` is for png and pdf, svg and html follow the reader.

    ``marks`` are shown by svg, html, png and pdf.
    """
    marks = marks or {}
    path = Path(path)
    ending = path.suffix.lower()
    if ending in TEXTS:
        write_text(path, TEXTS[ending](graph, patent, marks))
    elif ending in PICTURES:
        save_raster(compose(graph, patent, marks), path, dark=dark)
    else:
        known = " ".join([*TEXTS, *PICTURES])
        raise PhageError(f"cannot draw to '{path.name}'", remedy=f"end its name in one of: {known}")

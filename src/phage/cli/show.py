"""``phage show``: one patent's claim graph, drawn or printed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from phage.claims import Patent


def show(
    source: Annotated[Path, typer.Argument(help="A patent file of any format, or a draft.")],
    patent: Annotated[
        str | None, typer.Option(help="Which patent, by its number; the first one if left out.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="svg, html, png, pdf, dot, graphml or json."),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Claims of this language, where there are several.")
    ] = None,
    parser: Annotated[str, typer.Option(help="Coupling parser: pattern or spacy.")] = "pattern",
    dark: Annotated[bool, typer.Option("--dark", help="Dark ground, for png and pdf.")] = False,
) -> None:
    """Draw a patent's claim graph; without -o, print it as a tree.

    Independent claims are filled, cross-category ones ringed. Evidence shows on hover.

    Example: phage show patents.parquet --patent US8621662B2 -o graph.svg
    """
    from phage.graph import GraphSettings, build_graph
    from phage.terminal import messages, output

    found = _find(source, patent)
    if language:
        found = found.in_language(language)
    graph = build_graph(found, GraphSettings(parser=parser))
    if out:
        from phage.graph.draw import draw

        draw(graph, out, found, dark=dark)
        messages.print(f"{found.number}: {len(graph.edges)} edges → {out}")
        return
    from phage.graph.drawing.outline import outline

    for line in outline(graph, found, output.width):
        output.print(line)


def _find(source: Path, number: str | None) -> Patent:
    from phage.claims import read
    from phage.errors import PhageError

    for found in read(source):
        if number is None or _same(found.number, number):
            return found
    if number is None:
        raise PhageError("no patent in this file", place=str(source))
    raise PhageError(
        f"no patent {number}",
        place=str(source),
        remedy="give its number as printed, US8621662B2, or leave --patent out for the first one",
    )


def _same(number: str, wanted: str) -> bool:
    """Compare as people write numbers.

    >>> [_same("US8621662B2", w) for w in ("US8621662B2", "US 8,621,662", "8621662", "662")]
    [True, True, True, False]
    """
    import re

    bare = re.sub(r"[^0-9A-Z]", "", wanted.upper())
    kindless = re.sub(r"(?<=\d)[A-Z]\d?$", "", number)
    return bare in (number, kindless, kindless[2:])

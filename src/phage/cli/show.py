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

    close = []
    for found in read(source):
        if number is None or found.number == number:
            return found
        # "8621662" and "US 8,621,662" mean US8621662B2 too.
        digits = "".join(filter(str.isdigit, number))
        if len(digits) > 3 and digits in found.number:
            close.append(found.number)
    if number is None:
        raise PhageError("no patent in this file", place=str(source))
    hint = f"did you mean {', '.join(close[:5])}?" if close else "phage read --json lists numbers"
    raise PhageError(f"no patent {number}", place=str(source), remedy=hint)

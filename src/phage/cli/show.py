"""``phage show``: one patent's claim graph, drawn or printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import AsJson, apart

if TYPE_CHECKING:
    from phage.claims import Patent
    from phage.graph.drawing.layout import Marks
    from phage.graph.types import ClaimGraph


def show(
    source: Annotated[Path, typer.Argument(help="A patent file of any format, or a draft.")],
    patent: Annotated[
        str | None, typer.Option(help="Number of the patent; by default the first one.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            help="Drawing to write: .svg, .html, .png, .pdf, .dot, .graphml or .json.",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language version to draw, if the patent has several.")
    ] = None,
    parser: Annotated[str, typer.Option(help="Coupling parser: pattern or spacy.")] = "pattern",
    dark: Annotated[bool, typer.Option("--dark", help="Dark background, for png and pdf.")] = False,
    attention: Annotated[
        Path | None,
        typer.Option(help="Draw the attention mask and bias of its tokens: png, pdf or svg."),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Model whose tokenizer, window and learned biases are used.")
    ] = "phage-mini",
    window: Annotated[
        int | None, typer.Option(help="Window in tokens; by default the model's own.")
    ] = None,
    fit: Annotated[
        str, typer.Option(help="How to cut claim sets that exceed the window: prefix or balanced.")
    ] = ("prefix"),
    as_json: AsJson = False,
) -> None:
    """Draw a patent's claim graph; without -o, print it as a tree.

    Independent claims are filled, cross-category ones ringed, claims with a broken reference dashed.
    Errors and warnings of phage check (office US) stand beside their claims. Point at an edge to see
    its evidence.

    Example: phage show patents.parquet --patent US8621662B2 -o graph.svg

    Example: phage show draft.txt --attention mask.png --fit balanced
    """
    from phage.graph import GraphSettings, build_graph
    from phage.terminal import emit_json, messages, output

    for written in (out, attention):
        apart(written, source)
    found = find(source, patent)
    if language:
        found = found.in_language(language)
    graph = build_graph(found, GraphSettings(parser=parser))
    if as_json:
        emit_json(graph.to_json())
    if attention:
        _draw_attention(found, graph, attention, _Reading(model, window, fit, dark))
        messages.print(f"{found.number}: mask and bias → {attention}")
        if not out:
            return
    if out:
        from phage.graph.draw import draw

        draw(graph, out, found, dark=dark, marks=_marks(found))
        messages.print(f"{found.number}: {len(graph.edges)} edges → {out}")
        return
    if as_json:
        return
    from phage.graph.drawing.outline import outline

    for line in outline(graph, found, output.width, _marks(found)):
        output.print(line)


def _marks(patent: Patent) -> Marks:
    """Check the claims; return what is to be shown beside each of them."""
    from phage.checking.run import check
    from phage.checking.types import Severity
    from phage.graph.drawing.layout import Mark

    marks: dict[int, tuple[Mark, ...]] = {}
    for finding in check(patent).findings:
        if finding.severity is not Severity.NOTE:
            error = finding.severity is Severity.ERROR
            mark = Mark(finding.rule, finding.reason, error)
            marks[finding.claim] = (*marks.get(finding.claim, ()), mark)
    return marks


@dataclass(frozen=True, slots=True)
class _Reading:
    model: str
    window: int | None
    fit: str
    dark: bool


def _draw_attention(patent: Patent, graph: ClaimGraph, path: Path, reading: _Reading) -> None:
    from phage.attention.draw import draw_attention
    from phage.backbone import load_config, load_tokenizer
    from phage.claims.window import Fit, window_of
    from phage.encoder.loading import find_model
    from phage.errors import PhageError
    from phage.projection import Projector
    from phage.training.inspect import read

    if reading.fit not in list(Fit):
        raise PhageError(f"unknown fit '{reading.fit}'", remedy=f"use {' or '.join(Fit)}")
    folder = find_model(reading.model)
    tokenizer = load_tokenizer(folder)
    window = window_of(load_config(folder), tokenizer, reading.window)
    learned = read(folder) if (folder / "relations.safetensors").is_file() else None
    biases = None
    if learned is not None and learned.bias is not None:
        biases = learned.biases().mean(0).tolist()  # over the layers
    projection = Projector(tokenizer, window, Fit(reading.fit))(patent, graph)
    draw_attention(projection, path, biases=biases, dark=reading.dark)


def find(source: Path, number: str | None, *, descriptions: bool = False) -> Patent:
    """Return the patent of a file that has this number; without one, the first."""
    from phage.claims import ReadReport, read
    from phage.errors import PhageError

    report = ReadReport()
    for found in read(source, report=report, descriptions=descriptions):
        if number is None or _same(found.number, number):
            return found
    if number is None:
        raise report.nothing(str(source))
    raise PhageError(
        f"this file has no patent {number}",
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

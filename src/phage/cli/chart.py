"""Command ``phage chart``: a claim of one patent, element by element, against another patent."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import AsJson, apart
from phage.cli.pair import Source

if TYPE_CHECKING:
    from phage.compare import Chart


def chart(
    patent: Annotated[str, typer.Argument(help="Patent to chart: a file, or a number.")],
    other: Annotated[str, typer.Argument(help="Patent to compare it with.")],
    claim: Annotated[
        list[int] | None,
        typer.Option(help="Number of the claim to chart; repeatable. By default the first."),
    ] = None,
    source: Source = None,
    model: Annotated[str, typer.Option(help="Model folder or name.")] = "phage-mini",
    html: Annotated[Path | None, typer.Option(help="Write an HTML page.")] = None,
    xlsx: Annotated[Path | None, typer.Option(help="Write a spreadsheet.")] = None,
    docx: Annotated[Path | None, typer.Option(help="Write a Word file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Chart a claim: for each element, the best passage of another patent and what it lacks.

    Passages are claim elements and sentences of the abstract and, where the file has it, of the
    description. This is a reading aid, not legal advice. docs/workbench.md explains the score.

    Example: phage chart draft.docx US8621662 --from week.index --claim 1 --html chart.html

    Example: phage chart US8621662 US8622045 --from week.index --xlsx chart.xlsx --docx chart.docx
    """
    from phage.cli.pair import patent as read_patent
    from phage.compare.chart import chart as compare
    from phage.compare.chart import vectors_by
    from phage.compare.terminal import chart_lines
    from phage.encoder import Encoder
    from phage.storage import alone
    from phage.terminal import emit_json, messages, output

    with contextlib.ExitStack() as held:
        for written in filter(None, (html, xlsx, docx)):
            apart(written, patent, other, source)
            held.enter_context(alone(written))
        ours, theirs = read_patent(patent, source), read_patent(other, source)
        made = compare(ours, theirs, vectors_by(Encoder.from_pretrained(model)), claim or ())
        _write(made, html, xlsx, docx)
    if as_json:
        emit_json(made.to_json())
        return
    for line in chart_lines(made):
        output.print(line)
    messages.print("score: cosine of the vectors and words together, from 0 to 1", style="dim")


def _write(made: Chart, html: Path | None, xlsx: Path | None, docx: Path | None) -> None:
    from phage.storage import atomic, write_text

    if html:
        from phage.compare.page import chart_page

        write_text(html, chart_page(made))
    if xlsx:
        from phage.compare.sheet import write_sheet

        with atomic(xlsx) as partial:
            write_sheet(made, partial)
    if docx:
        from phage.compare.word import write_chart

        with atomic(docx) as partial:
            write_chart(made, partial)

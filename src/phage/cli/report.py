"""``phage report``: results beside the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def report(
    folder: Annotated[Path, typer.Argument(help="Folder of results.")] = Path("results"),
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these: classification, retrieval, clustering, dapfam, ablation, uspto-week, "
            "mteb. Repeatable."
        ),
    ] = None,
    against: Annotated[
        str,
        typer.Option(
            help="Compare every other model with this one: difference, 95 % interval and p of a "
            "paired randomisation test, instead of tables."
        ),
    ] = "",
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown or latex.")
    ] = "terminal",
    json: Annotated[bool, typer.Option("--json", help="Print the tables as JSON.")] = False,
) -> None:
    """Print the paper's tables with its numbers and ours; cells not measured stay empty.

    Example: phage report results --table uspto-week --format markdown
    Example: phage report results --against BM25
    """
    from dataclasses import asdict

    from phage import terminal
    from phage.errors import PhageError
    from phage.evaluation import significance
    from phage.evaluation.report import make_report
    from phage.evaluation.tables import latex, markdown

    if form not in ("terminal", "markdown", "latex"):
        raise PhageError(f"unknown format '{form}'", remedy="use terminal, markdown or latex")
    found = significance.against(folder, against) if against else make_report(folder)
    shown = [one for one in found if not table or one.name in table]
    if not shown:
        raise PhageError(f"no result for {', '.join(table or [])}", place=str(folder))
    if json:
        terminal.emit_json([asdict(one) for one in shown])
        return
    for one in shown:
        if form == "terminal":
            terminal.table(one.caption, one.titles, one.rows)
        else:
            write = markdown if form == "markdown" else latex
            mark = "%" if form == "latex" else "###"
            typer.echo(terminal.plain(f"{mark} {one.caption}\n\n{write(one.titles, one.rows)}"))

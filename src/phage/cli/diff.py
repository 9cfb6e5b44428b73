"""Command ``phage diff``: two versions of a claim set, claim by claim and word by word."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from phage.cli.options import AsJson, apart
from phage.cli.pair import Source


def diff(
    before: Annotated[str, typer.Argument(help="The earlier version: a file, or a number.")],
    after: Annotated[str, typer.Argument(help="The later version.")],
    source: Source = None,
    html: Annotated[Path | None, typer.Option(help="Write an HTML page.")] = None,
    docx: Annotated[
        Path | None, typer.Option(help="Write a Word file, marked up as US amendments are.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two versions of a claim set: amended, renumbered, merged, cancelled and new claims.

    Inserted words are underlined, deleted words are struck through.

    Example: phage diff application.xml grant.xml --docx amended.docx

    Example: phage diff before.txt after.txt --html changes.html
    """
    from phage.cli.pair import patent
    from phage.compare.diff import diff as compare
    from phage.compare.page import diff_page
    from phage.compare.terminal import diff_lines
    from phage.compare.word import write_diff
    from phage.storage import alone, atomic, write_text
    from phage.terminal import emit_json, output

    with contextlib.ExitStack() as held:
        for written in filter(None, (html, docx)):
            apart(written, before, after, source)
            held.enter_context(alone(written))
        made = compare(patent(before, source), patent(after, source))
        if html:
            write_text(html, diff_page(made))
        if docx:
            with atomic(docx) as partial:
                write_diff(made, partial)
    if as_json:
        emit_json(made.to_json())
        return
    for line in diff_lines(made):
        output.print(line)

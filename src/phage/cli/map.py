"""Command ``phage map``: an index → one page with all its patents as a map."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phage.cli.options import AsJson, apart


def map_index(
    index: Annotated[Path, typer.Argument(help="Index folder.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="HTML page to write.")],
    title: Annotated[
        str | None, typer.Option(help="Title of the page; by default the folder's name.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the layout.")] = 0,
    threads: Annotated[
        int, typer.Option(min=1, help="Threads; with 1 the same index gives the same page.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Draw all patents of an index as a map, in one page that works offline.

    Patents that mean the same lie near each other. Dense regions are named by their claim terms.
    Colour by IPC, assignee or year; draw around points to list their patents; find words.

    Example: phage map week.index -o map.html
    """
    import time

    import numpy as np

    from phage.errors import PhageError
    from phage.map.build import build
    from phage.map.page import page
    from phage.map.types import indexed
    from phage.searching.index import Index
    from phage.storage import alone, write_text
    from phage.terminal import emit_json, readable_size
    from phage.terminal import output as out

    started = time.monotonic()
    if output.suffix.lower() not in (".html", ".htm"):
        raise PhageError(
            f"a map is an HTML page, but the name {output.name} does not end in .html",
            remedy="name it map.html",
        )
    apart(output, index)
    with alone(output):
        found = list(indexed(Index.open(index)))
        if not found:
            raise PhageError("this index is empty", place=str(index), remedy="add patents to it")
        found.sort(key=lambda one: one[0].number)
        vectors = np.stack([vector for _, vector in found])
        entries = [entry for entry, _ in found]
        name = title or f"Map of {index.resolve().name}"
        made = build(entries, vectors, name, seed=seed, threads=threads)
        write_text(output, page(made))
    size = output.stat().st_size
    seconds = round(time.monotonic() - started, 1)
    if as_json:
        emit_json({"map": str(output), "patents": len(entries), "bytes": size, "seconds": seconds})
        return
    out.print(f"{output}: {len(entries):,} patents, {readable_size(size)}, {seconds:,.0f} s")

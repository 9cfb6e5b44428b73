"""``phage search``: similar patents and their matching claims."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from phage.search import Hit, Index, Query


def search(
    index: Annotated[Path, typer.Argument(help="Index folder made by `phage index`.")],
    query: Annotated[
        str,
        typer.Argument(help="Words, a claim, @draft.docx, or an indexed number; may hold filters."),
    ],
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many hits.")] = 20,
    where: Annotated[
        str, typer.Option("--filter", help="ipc:H02M date:2014.. office:US lang:en")
    ] = "",
    hybrid: Annotated[bool, typer.Option(help="Fuse with full-text ranks.")] = False,
    families: Annotated[bool, typer.Option(help="One hit per family.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Find similar patents and show, for each, the pair of claims that match best.

    Example: phage search my.index "a pump whose rotor floats on a magnetic bearing ipc:F04"
    """
    from phage.search import Index, Search, find, parse
    from phage.terminal import emit_json

    table = Index.open(index)
    words, filters = parse(f"{query} {where}")
    asked = _query(table, words)
    hits = find(table, asked, Search(top, filters, hybrid=hybrid, collapse=families))
    if as_json:
        emit_json(
            {
                "index": str(index),
                "query": words,
                "filters": filters.text,
                "hits": [hit.to_json() for hit in hits],
            }
        )
        return
    _print(hits)


def _query(table: Index, words: str) -> Query:
    import re

    from phage.encoder import Encoder
    from phage.errors import PhageError
    from phage.search import from_index, from_patent, from_text

    number = words.replace(" ", "").upper()
    if re.fullmatch(r"[A-Z]{2}[A-Z0-9]{5,}", number) and table.get(number):
        return from_index(table, number)
    encoder = Encoder.from_pretrained(table.settings.model)
    table.settings.check(encoder, table.path)
    if not words.startswith("@"):
        return from_text(words, encoder)
    from phage.claims import read

    draft = next(iter(read(words[1:])), None)
    if draft is None or not draft.claims:
        raise PhageError("no claims were found in this file", place=words[1:])
    return from_patent(draft, encoder, table.settings.section)


def _print(hits: list[Hit]) -> None:
    from rich.text import Text

    from phage.terminal import output

    if not hits:
        output.print("Nothing found. Loosen the filters, or search with other words.")
    for rank, hit in enumerate(hits, start=1):
        members = f" (+{len(hit.family_members)} of its family)" if hit.family_members else ""
        head = Text.assemble(
            (f"{rank:>3}. {hit.number}", "bold"), f"  {hit.score:.3f}  {hit.title}{members}"
        )
        output.print(head)
        output.print(f"     {hit.publication_date}  {', '.join(hit.ipc[:4])}", style="dim")
        if hit.match:
            asked = f"your claim {hit.match.query_claim}" if hit.match.query_claim else "your text"
            output.print(
                f"     {asked} ~ claim {hit.match.claim} ({hit.match.score:.3f}): ", end=""
            )
            output.print(hit.match.text[:300], style="italic", highlight=False, soft_wrap=False)

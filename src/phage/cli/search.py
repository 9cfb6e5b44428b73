"""``phage search``: similar patents and their matching claims."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phage.cli.options import apart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from phage.searching import Hit, Index, Query, Search
    from phage.searching.asking import Asked
    from phage.searching.batch import Line
    from phage.searching.tables import Found


class RankOption(StrEnum):
    """By what hits are ranked, as in ``phage.searching``; spelled here because commands start fast."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    WORDS = "words"


class LevelOption(StrEnum):
    """What is compared, as in ``phage.searching``."""

    PATENT = "patent"
    CLAIM = "claim"


def search(
    index: Annotated[Path, typer.Argument(help="Index folder made by `phage index`.")],
    query: Annotated[
        str,
        typer.Argument(
            help="Words, an indexed number in any spelling, claims, @draft.docx, or - for stdin; "
            "may contain filters such as ipc:F04."
        ),
    ] = "",
    like: Annotated[
        list[str] | None, typer.Option(help="Find patents like this one, by number; repeatable.")
    ] = None,
    unlike: Annotated[
        list[str] | None,
        typer.Option(help="Move away from this patent, by number; repeatable."),
    ] = None,
    many: Annotated[
        Path | None,
        typer.Option("--queries", help='JSON lines: {"id": …, "text" | "number" | "claims": …}.'),
    ] = None,
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many hits.")] = 20,
    where: Annotated[
        str,
        typer.Option(
            "--filter",
            help="Restrict the hits, e.g. 'ipc:F04 date:2014..'; also cpc:, assignee:, inventor:, office:, "
            "language:, family:.",
        ),
    ] = "",
    rank: Annotated[
        RankOption, typer.Option(help="Vectors and words together, or one of them.")
    ] = RankOption.HYBRID,
    level: Annotated[
        LevelOption, typer.Option(help="Compare whole patents, or single claims.")
    ] = LevelOption.PATENT,
    families: Annotated[bool, typer.Option("--families", help="One hit per family.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Write the hits to a .csv, .xlsx, .json or .jsonl file."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object; with --queries, one per line.")
    ] = False,
) -> None:
    """Find similar patents and show, for each, the pair of claims that match best.

    Example: phage search my.index "a pump whose rotor floats on a magnetic bearing ipc:F04"
    """
    from dataclasses import replace

    from phage.errors import PhageError
    from phage.searching import Level, Rank, Search
    from phage.searching.filters import restriction
    from phage.searching.lance import without_remote_client
    from phage.searching.tables import check_ending

    if many and (query or like or unlike):
        raise PhageError("a query beside --queries", remedy="write it into the file of queries")
    if output:
        check_ending(output)
        apart(output, index, many, query.removeprefix("@"))
    with without_remote_client():
        from phage.searching.hits import find
        from phage.searching.index import Index

        table = Index.open(index)
    how = Search(top, rank=Rank(rank.value), level=Level(level.value), collapse=families)
    if many:
        _many(table, many, replace(how, filters=restriction(where)), output)
        return
    asked = _asked(query, where) if query or not like else None
    how = replace(how, filters=asked.filters if asked else restriction(where))
    hits = find(table, _query(table, asked, like or [], unlike or []), how)
    if output and not _is_json(output):
        _save(((query, place, hit) for place, hit in enumerate(hits, start=1)), output)
    elif output or as_json:
        answer = {
            "index": str(index),
            "query": asked.words if asked else "",
            "kind": asked.kind if asked else "number",
            "filters": how.filters.text,
            "rank": how.rank,
            "level": how.level,
            "hits": [hit.to_json() for hit in hits],
        }
        with _json_out(output) as emit:
            emit(answer, None if output and output.suffix.lower() == ".jsonl" else 2)
    else:
        _print(hits, how)


def _query(table: Index, asked: Asked | None, like: list[str], unlike: list[str]) -> Query:
    from phage.api import loader
    from phage.searching.queries import from_index, query_of
    from phage.searching.ranking import combined

    own = [query_of(table, asked, loader(table))] if asked else []
    if asked:
        with _warning(table) as note:
            note(asked)
    near = [from_index(table, number) for number in like]
    return combined([*own, *near], [from_index(table, number) for number in unlike])


@contextmanager
def _warning(table: Index) -> Iterator[Callable[[Asked], None]]:
    """Note the queries that are encoded; say at the end which are in an unknown language."""
    from phage.claims.foreign import Foreign
    from phage.terminal import messages

    foreign = Foreign(table.settings.languages)

    def note(asked: Asked) -> None:
        if asked.kind in ("text", "claims"):
            foreign.add(asked.meant)

    yield note
    if warning := foreign.warning(table.settings.model):
        messages.print(warning, style="yellow")


def _asked(words: str, where: str) -> Asked:
    import sys

    from phage.searching.asking import from_file, understand

    if words == "-":
        return understand(sys.stdin.read(), where)
    return from_file(words[1:], where) if words.startswith("@") else understand(words, where)


def _many(table: Index, path: Path, how: Search, output: Path | None) -> None:
    """Answer a file of queries: a line of JSON for each, or one table of all hits."""
    from phage.api import loader
    from phage.searching.batch import encoded, read_queries

    with _warning(table) as note:
        lines = _noted(read_queries(path), note)
        _answer(encoded(table, lines, loader(table)), table, how, output)


def _noted(lines: Iterator[Line], note: Callable[[Asked], None]) -> Iterator[Line]:
    for line in lines:
        if line.asked:
            note(line.asked)
        yield line


def _answer(
    answers: Iterator[tuple[Line, Query | str]], table: Index, how: Search, output: Path | None
) -> None:
    from phage.terminal import messages

    failed: list[str] = []
    if output and not _is_json(output):
        _save(_tabled(answers, table, how, failed), output)
    else:
        with _json_out(output) as emit:
            for line, query in answers:
                emit(_row(line, query, table, how, failed), None)
    for said in failed[:_NAMED]:
        messages.print(f"no answer: {said}", style="yellow")
    if failed[_NAMED:]:
        messages.print(f"… and {len(failed) - _NAMED:,} more queries without one", style="yellow")


def _tabled(
    answers: Iterator[tuple[Line, Query | str]], table: Index, how: Search, failed: list[str]
) -> Iterator[Found]:
    from phage.searching.hits import find

    for line, query in answers:
        if isinstance(query, str):
            failed.append(query)
            continue
        for place, hit in enumerate(find(table, query, how), start=1):
            yield str(line.id), place, hit


def _row(
    line: Line, query: Query | str, table: Index, how: Search, failed: list[str]
) -> dict[str, Any]:
    from phage.searching.ranking import rank

    if isinstance(query, str):
        failed.append(query)
        return {"id": line.id, "hits": [], "error": query}
    found = rank(table, query, how)
    hits = [{"number": one.number, "score": round(one.score, 4)} for one in found]
    return {"id": line.id, "hits": hits}


_NAMED = 10
"""Queries without an answer that are named one by one."""


def _is_json(output: Path) -> bool:
    from phage.searching.tables import TEXTS

    return output.suffix.lower() in TEXTS


@contextmanager
def _json_out(output: Path | None) -> Iterator[Callable[[Any, int | None], None]]:
    """Yield what writes one JSON object: to a file that appears when whole, or to the screen."""
    from functools import partial as bound

    from phage.storage import atomic
    from phage.terminal import emit_json, messages

    if output is None:
        yield emit_json
        return
    with atomic(output) as partial, partial.open("w", encoding="utf-8") as stream:
        yield bound(emit_json, to=stream)
    messages.print(f"{output}: written")


def _save(found: Iterator[Found], output: Path) -> None:
    from phage.searching.tables import write_table
    from phage.terminal import messages

    count = write_table(found, output)
    messages.print(f"{output}: {count:,} hits")


def _print(hits: list[Hit], how: Search) -> None:
    from rich.text import Text

    from phage.claims.normal import shortened
    from phage.terminal import messages, output

    if not hits:
        output.print("Nothing found. Loosen the filters, or search with other words.")
        return
    for place, hit in enumerate(hits, start=1):
        members = f" (+{len(hit.family_members)} of its family)" if hit.family_members else ""
        head = Text.assemble(
            (f"{place:>3}. {hit.number}", "bold"), f"  {hit.score:.3f}  {hit.title}{members}"
        )
        output.print(head)
        owner = f"  {', '.join(hit.assignees[:2])}" if hit.assignees else ""
        output.print(f"     {hit.publication_date}  {', '.join(hit.ipc[:4])}{owner}", style="dim")
        if hit.match:
            asked = f"your claim {hit.match.query_claim}" if hit.match.query_claim else "your text"
            shared = f" [{', '.join(hit.match.terms)}]" if hit.match.terms else ""
            line = f"     {asked} ~ claim {hit.match.claim} ({hit.match.score:.3f}){shared}: "
            output.print(line, end="", highlight=False)
            output.print(
                shortened(hit.match.text, 300), style="italic", highlight=False, soft_wrap=False
            )
    if any(hit.score for hit in hits):  # fields alone list patents without a score
        messages.print(_SCALES[how.level if how.level == "claim" else how.rank], style="dim")


_SCALES = {
    "hybrid": "score: vectors and words together, in standard deviations above the mean of all candidates",
    "vector": "score: cosine of the vectors",
    "words": "score: similarity of the words; rarer words count more",
    "claim": "score: cosine of the two claims",
}

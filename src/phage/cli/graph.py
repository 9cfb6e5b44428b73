"""``phage graph``: patents → typed claim graphs."""

from __future__ import annotations

from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import AsJson, Limit, OnEngine, RayAddress, Runner, Strict, Workers, apart
from phage.errors import PhageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from phage.claims import ReadReport
    from phage.graph.corpus import Slim


class _Parser(StrEnum):
    PATTERN = "pattern"
    SPACY = "spacy"


class _Citations(StrEnum):
    FULL = "full"
    PAPER = "paper"


class _Functional(StrEnum):
    FORWARD = "forward"
    BOTH = "both"


def graph(
    sources: Annotated[
        list[Path], typer.Argument(help="Patent files, folders or globs, of any known format.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="graphs.parquet or graphs.jsonl.")],
    workers: Workers = 1,
    parser: Annotated[
        _Parser, typer.Option(help="Parser for couplings: built-in patterns, or spaCy.")
    ] = _Parser.PATTERN,
    citations: Annotated[
        _Citations, typer.Option(help="All phrasings, or the paper's five prepositions.")
    ] = _Citations.FULL,
    functional: Annotated[
        _Functional,
        typer.Option(
            help="Link couplings to later claims only, or both ways, which fits the paper's counts."
        ),
    ] = _Functional.FORWARD,
    rho: Annotated[
        float, typer.Option(help="Drop terms in more than this share of claims.", min=0, max=1)
    ] = 0.8,
    language: Annotated[
        str | None, typer.Option(help="Take this language version where a patent has several.")
    ] = None,
    engine: OnEngine = Runner.LOCAL,
    ray_address: RayAddress = "",
    limit: Limit = 0,
    strict: Strict = False,
    json: AsJson = False,
) -> None:
    """Build the claim graph of every patent: typed edges, each with its evidence.

    The graphs come in the order of the patents. To resume a run that was
    stopped, give the same command again. With --engine ray, phage must be installed on every node.

    Example: phage graph patents.parquet -o graphs.parquet --workers 8
    """
    from phage.claims import ReadReport
    from phage.graph import GraphSettings
    from phage.graph.corpus import graphs_job
    from phage.scale import Where, run
    from phage.terminal import emit_json, messages, progress

    apart(out, *sources)
    settings = GraphSettings(
        parser=str(parser), citations=str(citations), rho=rho, functional=str(functional)
    )
    report = ReadReport()
    job = graphs_job(out, settings, _identity(sources, language, limit), strict)
    with progress("graphs", unit="patents") as advance:
        outcome = run(
            job,
            islice(_patents(sources, language, report, strict), limit or None),
            out,
            Where(str(engine), workers, ray_address),
            advance,
        )
    for note in (*report.lines(), *outcome.notes):
        messages.print(note, style="yellow")
    edges = {name: outcome.counts.get(name, 0) for name in ("cite", "term", "func", "both")}
    result = {
        "out": str(out),
        "graphs": outcome.counts.get("graphs", 0),
        "edges": edges,
        "skipped": report.skipped + outcome.counts.get("skipped", 0),
        "partial": report.partial,
        "repaired": report.repaired,
        "resumed": outcome.resumed,
    }
    if json:
        emit_json(result)
    if not result["graphs"]:
        raise _nothing(out, outcome.notes, report)
    if not json:
        counted = ", ".join(f"{count:,} {name}" for name, count in edges.items())
        skipped = f"; {result['skipped']:,} patents skipped" if result["skipped"] else ""
        messages.print(f"{out}: {result['graphs']:,} graphs with {counted} edges{skipped}")


def _nothing(out: Path, notes: Sequence[str], report: ReadReport) -> PhageError:
    """Return the error of a run that built no graph; its empty output goes."""
    from phage.language import LANGUAGES

    out.unlink(missing_ok=True)
    if not report.patents:
        return report.nothing("the sources")
    return PhageError(
        f"no graph could be built: {notes[0] if notes else 'no patent has claims'}",
        remedy=f"PHAGE reads claims in {', '.join(LANGUAGES)}; --language takes another version "
        "of a patent that has several",
    )


def _patents(
    sources: list[Path], language: str | None, report: ReadReport, strict: bool
) -> Iterator[Slim]:
    from phage.claims import read_some
    from phage.graph.corpus import slim

    for patent in read_some(sources, report=report, strict=strict):
        if language and language in patent.translations:
            patent = patent.in_language(language)
        yield slim(patent)


def _identity(sources: list[Path], language: str | None, limit: int) -> list[object]:
    from phage.claims.readers.listing import files
    from phage.scale import identity

    return [language, *identity(files(sources)), *([limit] if limit else [])]

"""Command ``phage read``: patent files of any format → one table of patents.

In:   files, folders, globs, archives.
Out:  ``.parquet`` or ``.jsonl``; counts of what was read and skipped, and why.
Why:  step 1 of the pipeline."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import Limit, apart
from phage.errors import PhageError

if TYPE_CHECKING:
    from phage.claims import Patent, ReadProblem, ReadReport


def read(
    sources: Annotated[
        list[str],
        typer.Argument(help="Files, folders, archives or quoted patterns, of any known format."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="patents.parquet or patents.jsonl")
    ],
    columns: Annotated[
        list[str] | None,
        typer.Option("--columns", help="Column of your table: claims='Claims Text'. Repeatable."),
    ] = None,
    limit: Limit = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first document that cannot be read.")
    ] = False,
    descriptions: Annotated[
        bool, typer.Option("--descriptions", help="Keep the descriptions as well (much larger).")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read patents of any format into one table.

    Formats: USPTO Redbook, PAP, SGML and Greenbook, EPO ST.36, EP full-text and OPS, MAREC and
    CLEF-IP, HUPD, DAPFAM, USPTO-70k, Google Patents, PatentsView, our own tables, drafts as .txt
    and .docx; also inside .gz, .xz, .zst, .bz2, .zip and .tar, which are never unpacked to disk.
    Your own table may be .csv, .tsv, .xlsx, .feather, .parquet or .jsonl: its columns are guessed
    by their names unless --columns names them, and the guess is printed.

    A document that cannot be read is skipped; a mistyped value is repaired or left out. Each case
    is reported and counted. With --strict the first one ends the run with exit code 1.

    Example: phage read ipg140107.xml.xz drafts/ -o patents.parquet --json
    Example: phage read own.xlsx --columns claims="Claims Text" -o patents.parquet
    """
    from phage.claims import ReadReport, read_some, write
    from phage.claims.readers.columns import parse
    from phage.claims.readers.listing import files
    from phage.terminal import emit_json

    apart(output, *(source for source in sources if not Path(source).is_dir()))
    report = ReadReport()
    begun = time.monotonic()
    # Patents hold no cycles; looking for them among so many objects takes a tenth of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    try:
        # An earlier output inside a source folder is not a source.
        strays: list[ReadProblem] = []
        paths = [path for path in files(sources, strays) if path.resolve() != output.resolve()]
        for stray in strays:
            report.note(stray, strict)
        named = parse(columns or [])
        patents = read_some(
            paths, columns=named, report=report, strict=strict, descriptions=descriptions
        )
        write(islice(_watched(patents, paths, report), limit or None), output)
    except PhageError as error:
        if as_json:
            emit_json({"output": None, "error": error.message, **report.to_json()})
        raise
    seconds = time.monotonic() - begun
    if as_json:
        emit_json({"output": str(output), "seconds": round(seconds, 2), **report.to_json()})
    else:
        _show(report, output, seconds)


def _watched(patents: Iterable[Patent], paths: list[Path], report: ReadReport) -> Iterator[Patent]:
    """Show a live line: megabytes of the input, and patents so far."""
    from phage.terminal import progress

    total = sum(path.stat().st_size for path in paths) / 1e6
    with progress("reading", total=max(1, round(total)), unit="MB") as advance:
        shown = 0
        for count, patent in enumerate(patents, start=1):
            if count % 100 == 0:
                done = report.bytes // 1_000_000
                advance(done - shown, f"{count:,} patents")
                shown = done
            yield patent


def _show(report: ReadReport, written: Path, seconds: float) -> None:
    from phage.terminal import messages, output

    formats = ", ".join(f"{n:,} {name}" for name, n in report.formats.most_common())
    output.print(
        f"{written}: {report.patents:,} patents with {report.claims:,} claims "
        f"in {seconds:,.1f} s ({formats or 'no known format'}; {report.with_ipc:,} with IPC)"
    )
    for line in report.guesses():
        output.print(f"columns of {line}")
    counts = {
        "merged into another kind": report.merged,
        "skipped": report.skipped,
        "read in part": report.partial,
        "repaired": report.repaired,
    }
    if any(counts.values()):
        output.print(", ".join(f"{n:,} {what}" for what, n in counts.items() if n))
    for why, n in report.reasons.most_common():
        output.print(f"  {n:,} × {why}")
    for line in report.lines():
        messages.print(line)

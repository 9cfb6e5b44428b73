"""``phage index``: patents → a searchable index on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import SectionOption

if TYPE_CHECKING:
    from phage.search.index import Index


def index(
    sources: Annotated[
        list[str], typer.Argument(help="Patent files of any format `phage read` takes.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Index folder; added to if it exists.")
    ],
    model: Annotated[str, typer.Option(help="Model folder or name.")] = "phage-mini",
    section: Annotated[
        SectionOption,
        typer.Option(
            case_sensitive=False,
            help="What a patent's own vector is made of; whole: title, abstract and all claims.",
        ),
    ] = SectionOption.WHOLE,
    delete: Annotated[
        bool, typer.Option("--delete", help="SOURCES are numbers to remove.")
    ] = False,
    half: Annotated[
        bool | None,
        typer.Option(help="Encode in bfloat16; left out: where the processor multiplies it."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first broken document.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Index patents for search: text, metadata, a vector per patent and per claim.

    Committed batch by batch: a stopped run is finished by running it again; patents that are there
    unchanged are not encoded twice, changed ones are replaced. A second run into the same folder is
    refused while this one works.

    Example: phage index corpus.jsonl -o my.index --model phage-mini
    """
    import time

    from phage.search.index import LOCK, Index
    from phage.storage import alone
    from phage.terminal import emit_json
    from phage.terminal import output as out

    started = time.monotonic()
    with alone(output, output / LOCK):
        if delete:
            table = Index.open(output)
            counts = {"deleted": table.delete(sources), "duplicates_removed": table.heal()}
        else:
            table, counts = _fill(sources, output, model, str(section), strict=strict, half=half)
        table.finish()
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    result = {
        "index": str(output),
        "patents": len(table),
        **counts,
        "seconds": round(time.monotonic() - started, 1),
        "bytes": size,
    }
    if as_json:
        emit_json(result)
        return
    done = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in counts.items())
    out.print(f"{output}: {len(table):,} patents ({done}), {size / 1e6:,.1f} MB")
    out.print(f'Search it: phage search {output} "a pump with a magnetic bearing"')


def _fill(
    sources: list[str], output: Path, model: str, section: str, *, strict: bool, half: bool | None
) -> tuple[Index, dict[str, int]]:
    from dataclasses import asdict
    from itertools import chain

    from phage.claims import ReadReport, read_some
    from phage.encoder import Encoder
    from phage.encoder.loading import fast_half
    from phage.search.index import Added, Index, batches
    from phage.terminal import messages, progress

    encoder = Encoder.from_pretrained(model, half=fast_half() if half is None else half)
    report = ReadReport()
    total = asdict(Added())
    stream = batches(read_some(sources, report=report, strict=strict))
    first = next(stream)  # nothing to read is an error, and must leave no empty index behind
    table = Index.create(output, encoder, section)
    healed = table.heal()
    with progress("index", unit="patents") as advance:
        for batch in chain([first], stream):
            for what, count in asdict(table.add(batch, encoder)).items():
                total[what] += count
            advance(len(batch))
    for line in report.lines():
        messages.print(line, style="yellow")
    counts = {"broken": report.skipped, "partial": report.partial, "repaired": report.repaired}
    return table, {**total, "duplicates_removed": healed, **counts}

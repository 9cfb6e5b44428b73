"""``phage index``: patents → a searchable index on disk."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import Int8, Limit, SectionOption, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phage.claims import Patent, ReadReport
    from phage.searching.index import Index


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
            help="Parts of a patent that its vector covers; whole: title, abstract and all claims.",
        ),
    ] = SectionOption.WHOLE,
    delete: Annotated[
        bool, typer.Option("--delete", help="SOURCES are numbers to remove.")
    ] = False,
    half: Annotated[
        bool | None,
        typer.Option(help="Multiply in bfloat16; by default only if the processor does so itself."),
    ] = None,
    int8: Int8 = False,
    limit: Limit = 0,
    strict: Annotated[
        bool, typer.Option("--strict", help="Stop at the first broken document.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Index patents for search: text, metadata, a vector per patent and per claim.

    The index is saved batch by batch. To finish a stopped run, give the same command again. Unchanged
    patents are not encoded twice, changed ones are replaced. A second run into the same folder is refused while
    this one works; searches and `phage serve` go on and see the new patents within a second.

    Example: phage index corpus.jsonl -o my.index --model phage-mini
    """
    import time

    from phage.searching.index import LOCK, Index
    from phage.storage import alone
    from phage.terminal import emit_json, in_brackets, readable_size
    from phage.terminal import output as out

    started = time.monotonic()
    if not delete and not output.is_dir():
        apart(output, *sources)
    with alone(output, output / LOCK):
        if delete:
            table = Index.open(output)
            counts = {"deleted": table.delete(sources)}
        else:
            source = _Source(sources, strict, limit)
            table, counts = _fill(source, output, model, str(section), half=half, int8=int8)
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
    out.print(f"{output}: {len(table):,} patents{in_brackets(counts)}, {readable_size(size)}")
    out.print(f'Search it: phage search {output} "a pump with a magnetic bearing"')


@dataclass(frozen=True)
class _Source:
    """What is indexed."""

    names: list[str]
    strict: bool
    limit: int

    def patents(self, report: ReadReport | None = None) -> Iterator[Patent]:
        """Read the patents."""
        from itertools import islice

        from phage.claims import read_some

        found = read_some(self.names, report=report, strict=self.strict)
        return islice(found, self.limit) if self.limit else found

    def count(self) -> int | None:
        """Count the patents, which takes a fiftieth of the time of encoding them.

        None where the sources can be read only once.
        """
        from phage.terminal import progress

        if not all(Path(name).is_file() or Path(name).is_dir() for name in self.names):
            return None
        total = 0
        with progress("count", unit="patents") as advance:
            for _ in self.patents():
                total += 1
                advance(1)
        return total


def _fill(
    source: _Source, output: Path, model: str, section: str, *, half: bool | None, int8: bool
) -> tuple[Index, dict[str, int]]:
    from dataclasses import asdict

    from phage.claims import ReadReport
    from phage.claims.foreign import Foreign
    from phage.encoder import Encoder
    from phage.searching.index import Index, batches
    from phage.searching.types import Added
    from phage.terminal import messages, progress

    expected = source.count()  # nothing to read is an error, and must leave no empty index behind
    encoder = Encoder.from_pretrained(model, half=half, int8=int8)
    report = ReadReport()
    total = asdict(Added())
    foreign = Foreign(encoder.settings.languages)
    stream = batches(foreign.watch(source.patents(report)))
    first = next(stream)
    table = Index.create(output, encoder, section)
    with progress("index", expected, unit="patents") as advance:
        for batch in chain([first], stream):
            for what, count in asdict(table.add(batch, encoder, advance)).items():
                total[what] += count
    for line in report.lines():
        messages.print(line, style="yellow")
    if warning := foreign.warning(model):
        messages.print(warning, style="yellow")
    strange = {"unknown_language": sum(foreign.strange.values())}
    counts = {"broken": report.skipped, "partial": report.partial, "repaired": report.repaired}
    return table, {**total, **counts, **strange}

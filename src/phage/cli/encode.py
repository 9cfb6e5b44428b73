"""``phage encode``: patents → vectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phage.cli.options import (
    AsJson,
    Int8,
    Limit,
    OnEngine,
    RayAddress,
    Runner,
    SectionOption,
    Strict,
    Workers,
    apart,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phage.claims import ReadReport


DEFAULT = "phage-mini"


class _Long(StrEnum):
    CUT = "cut"
    MEAN = "mean"


def encode(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] SOURCES",
            help="Model folder or name (by default phage-mini), and patent files of any known format.",
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the Parquet shards.")],
    section: Annotated[
        SectionOption | None,
        typer.Option(
            case_sensitive=False,
            help="Parts of a patent to read (ta: title and abstract; whole: these and all claims). "
            "By default what the model folder says.",
        ),
    ] = None,
    long: Annotated[
        _Long | None,
        typer.Option(help="Beyond the window: cut, or mean over windows; whole reads everything."),
    ] = None,
    guided: Annotated[
        bool, typer.Option("--guided", help="Use the claim graph and the checkpoint's biases.")
    ] = False,
    dimensions: Annotated[
        int | None, typer.Option(min=1, help="Keep only the first N dimensions, renormalised.")
    ] = None,
    pca: Annotated[
        Path | None,
        typer.Option(help="Shorten along these principal axes (a file of phage export --pca)."),
    ] = None,
    int8: Int8 = False,
    workers: Workers = 1,
    engine: OnEngine = Runner.LOCAL,
    ray_address: RayAddress = "",
    limit: Limit = 0,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Encode patents: one vector each, as Parquet shards (number, vector, model).

    To resume a run that was stopped, give the same command again.

    Example: phage encode phage-mini patents.parquet -o vectors/
    """
    model, sources = _divided(words)
    if not out.is_dir():  # new files may lie in the folder of the patents
        apart(out, *sources, pca)
    from phage.claims import ReadReport
    from phage.claims.foreign import Foreign
    from phage.encoder.loading import find_model
    from phage.encoder.settings import known_languages
    from phage.scale import Where, run
    from phage.terminal import emit_json, in_brackets, messages, progress
    from phage.vector_files import MANIFEST

    report, empty = ReadReport(), [0]
    asked = _Asked(
        section and str(section), long and str(long), guided, dimensions, pca, limit, int8
    )
    job, read = _job(model, sources, asked)
    foreign = Foreign(known_languages(find_model(model)))
    given = islice(_items(sources, report, read, empty, strict=strict), limit or None)
    items = foreign.watch(given)
    where = Where(str(engine), workers, ray_address, gpu=True)
    with progress("encode", unit="patents") as advance:
        outcome = run(job, items, out / MANIFEST, where, advance)
    for line in report.lines():
        messages.print(line, style="yellow")
    if warning := foreign.warning(model):
        messages.print(warning, style="yellow")
    result = {
        "out": str(out),
        "vectors": outcome.counts.get("vectors", 0),
        "cut": outcome.counts.get("cut", 0),
        "without_text": empty[0],
        "unknown_language": foreign.strange,
        "skipped": report.skipped,
        "partial": report.partial,
        "repaired": report.repaired,
        "resumed": outcome.resumed,
    }
    if as_json:
        emit_json(result)
        return
    counts = {
        "cut": outcome.counts.get("cut", 0),
        "without_text": empty[0],
        "unreadable": report.skipped,
    }
    messages.print(f"{out}: {result['vectors']:,} vectors{in_brackets(counts)}")


def _divided(words: list[str]) -> tuple[str, list[Path]]:
    """Separate the model from the sources; without a model, the embedded one is used.

    Before other sources a folder is a model, and a file is patents only if one can be read from it:
    a training run that has not finished must not be passed over.
    """
    from phage.errors import PhageError

    first, rest = words[0], [Path(word) for word in words[1:]]
    place = Path(first)
    if rest:
        return (DEFAULT, [place, *rest]) if _holds_patents(place) else (first, rest)
    if (place.exists() or "*" in first) and not (place / "config.json").is_file():
        return DEFAULT, [place]
    raise PhageError(
        f"'{first}' was taken for a model; no patents were given",
        remedy="phage encode [MODEL] SOURCES… -o FOLDER",
    )


def _holds_patents(place: Path) -> bool:
    from phage.claims import read_some
    from phage.errors import PhageError

    try:
        return place.is_file() and any(True for _ in read_some([place]))
    except PhageError:
        return False


@dataclass(frozen=True)
class _Asked:
    """What changes the vectors."""

    section: str | None
    long: str | None
    guided: bool
    dimensions: int | None
    pca: Path | None
    limit: int = 0
    int8: bool = False


def _job(model: str, sources: list[Path], asked: _Asked) -> tuple[Any, str]:
    """Describe the run, and the section it reads."""
    from phage.claims.readers.listing import files
    from phage.encoder.corpus import load_int8, vectors_job
    from phage.encoder.loading import WANTED, find_model
    from phage.encoder.model import Encoder
    from phage.encoder.settings import section_and_fit
    from phage.scale import identity

    folder = find_model(model)  # fails now, not in a worker
    settings = {
        "guided": asked.guided,
        "dimensions": asked.dimensions,
        "pca": identity([asked.pca]) if asked.pca else None,
        "sources": identity(files(sources)),
        # weights and what says how they are read: pooling, window, vocabulary
        "weights": identity(sorted({p for form in WANTED for p in folder.rglob(form)})),
    }
    if asked.limit:
        settings["limit"] = asked.limit
    if asked.guided:
        load, section = _guided(model, asked)
        return vectors_job(model, {**settings, "section": section}, load=load), section
    section = asked.section or str(section_and_fit(folder)[0])
    options = {"section": section, "long": asked.long}
    load = Encoder.from_pretrained
    if asked.int8:
        settings, load = {**settings, "int8": True}, load_int8
    return vectors_job(model, settings, options, _short(folder, asked), load), section


def _guided(model: str, asked: _Asked) -> tuple[Any, str]:
    from phage.errors import PhageError
    from phage.guided import GuidedEncoder, read_section

    if asked.section or asked.long or asked.dimensions or asked.pca:
        raise PhageError(
            "guided encoding reads what the model was trained on and gives whole vectors",
            remedy="drop --section, --long, --dimensions and --pca",
        )
    return GuidedEncoder.from_pretrained, read_section(model)  # fails now, not in a worker


def _short(folder: Path, asked: _Asked) -> Any:  # noqa: ANN401  (Short or None)
    from phage.encoder.corpus import Short
    from phage.encoder.shorten import Principal, check_width
    from phage.storage import read_json

    if asked.dimensions is None and asked.pca is None:
        return None
    axes = Principal.load(asked.pca) if asked.pca else None
    whole = read_json(folder / "config.json").get("hidden_size")
    if axes is not None:
        axes.check(whole)
    width = asked.dimensions or (axes.width if axes else whole)
    check_width(width, axes.width if axes else whole)
    return Short(width, axes)


def _items(
    sources: list[Path],
    report: ReadReport,
    section: str,
    empty: list[int],
    *,
    strict: bool,
) -> Iterator[Any]:
    from dataclasses import replace

    from phage.claims import read_some
    from phage.claims.text import section_text
    from phage.errors import PhageError

    for patent in read_some(sources, report=report, strict=strict):
        if section_text(patent, section):
            description = patent.description if section == "full" else ""
            # what is not read need not travel to a worker
            yield replace(patent, citations=(), description=description)
            continue
        if strict:
            raise PhageError(f"{patent.number} has no text in section '{section}'")
        empty[0] += 1

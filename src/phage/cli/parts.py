"""``phage evaluate --prepare``: a data set's tasks and parts as files.

In:   a data set's files; for the training corpus also the patents that must not be in it.
Out:  tasks.npz and one Parquet file per part.
Why:  a data set is read once and scored often; training must never see test documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phage.evaluation.datasets import Benchmark


def reader(data_set: str) -> Callable[..., Benchmark]:
    """Return the reader of a data set; an unknown name lists the known ones."""
    from phage.errors import PhageError
    from phage.evaluation.datasets import DATA_SETS

    if data_set not in DATA_SETS:
        raise PhageError(
            f"unknown data set '{data_set}'", remedy=f"use one of {', '.join(DATA_SETS)}"
        )
    return DATA_SETS[data_set][1]


def write_parts(data_set: str, path: Path, section: str, folder: Path, exclude: list[Path]) -> None:
    """Write what training and other machines need, instead of evaluating."""
    from phage import terminal
    from phage.claims import write
    from phage.cli.options import apart
    from phage.evaluation.tasks import Split

    for name in ("tasks.npz", "train.parquet", "validation.parquet", "test.parquet"):
        apart(folder / name, path, *exclude)
    if data_set == "hupd":
        _prepare_hupd(path, folder / "train.parquet", exclude)
        return
    benchmark = reader(data_set)(path, section)
    benchmark.tasks.save(folder / "tasks.npz")
    rows: list[tuple[str, int]] = []
    for part in (Split.TRAIN, Split.VALIDATION, Split.TEST):
        patents = list(benchmark.patents(part))
        if patents:
            file = f"{part.name.lower()}.parquet"
            rows.append((file, write(patents, folder / file)))
    terminal.table(f"{folder}: tasks.npz and", ["part", "patents"], rows)


def _prepare_hupd(path: Path, target: Path, exclude: list[Path]) -> None:
    """Write the training corpus without copies of what is excluded; name some of those left out."""
    from phage import terminal
    from phage.claims import Patent, read_some, write
    from phage.claims.copies import Copies, Finding
    from phage.evaluation.datasets import hupd

    check_files(map(str, exclude))
    held_out = Copies(read_some(exclude) if exclude else (), titles=True)
    found: list[Finding] = []

    def wanted(patent: Patent) -> bool:
        copy = next(held_out.find(patent), None)
        found.extend([copy] if copy else [])
        return copy is None

    count = write(hupd.read(path, wanted=wanted), target)
    terminal.output.print(f"{target}: {count:,} patents; {len(found):,} copies were left out")
    for one in found[:5]:
        terminal.output.print(
            f"  {one.trained}: {one.leak} of {one.evaluated} ({one.evidence})", highlight=False
        )


def check_files(paths: Iterable[str]) -> None:
    """Refuse a file that is not here before anything long begins."""
    from phage.claims.readers.listing import files

    for path in set(paths):
        next(files([path]))

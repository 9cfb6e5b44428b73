"""``phage teacher``: patents → vectors that a training run learns neighbours from."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.cli.options import AsJson, Limit, Strict, Workers, apart

if TYPE_CHECKING:
    from torch import Tensor


def teacher(
    sources: Annotated[list[Path], typer.Argument(help="The training patents, in any format.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the vectors.")],
    tokenizer: Annotated[
        str, typer.Option(help="Model folder or name whose word pieces are counted.")
    ] = "phage-mini",
    vectors: Annotated[
        list[Path] | None,
        typer.Option(help="Vectors of the same patents by `phage encode`, joined; repeatable."),
    ] = None,
    width: Annotated[int, typer.Option(min=8, help="Dimensions of the words' part.")] = 2048,
    workers: Workers = 1,
    limit: Limit = 0,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Make the vectors that training learns from: word weights, joined with vectors of large models.

    The folder is what a recipe names as loss.teacher; the line printed at the end says which
    loss.teacher_temperature fits it.

    Example: phage teacher patents.parquet --vectors mpnet/ -o teacher/
    """
    from phage.backbone import load_tokenizer
    from phage.claims import read_some
    from phage.claims.readers.listing import files
    from phage.encoder.loading import find_model
    from phage.provenance import provenance
    from phage.storage import sha256, write_json
    from phage.terminal import emit_json, messages, progress
    from phage.training.teacher import teacher_files
    from phage.training.words import WordCounter, WordCounts, joined, rounded, temperature
    from phage.vector_files import MANIFEST, write_vectors

    apart(out, *(path for path in sources if not path.is_dir()), *(vectors or ()))
    counts = WordCounts(WordCounter(load_tokenizer(str(find_model(tokenizer)))))
    with progress("counting words", unit="patents") as advance:
        found = read_some(sources, strict=strict, descriptions=True)
        counts.add(islice(found, limit or None), workers, advance)
    parts: list[tuple[Tensor, float | None]] = [
        (_vectors(path, counts.numbers), None) for path in vectors or ()
    ]
    with progress("projecting", width, "directions") as advance:
        parts.append((counts.vectors(width, advance), counts.spread()))
    both, most = joined(parts)
    name = "vectors-00000.parquet"
    (out / MANIFEST).unlink(missing_ok=True)
    write_vectors(out / name, counts.numbers, rounded(both).numpy())
    fit = round(temperature(most), 4)
    about = {
        "files": [{"file": name, "rows": len(both), "sha256": sha256(out / name)}],
        "rows": len(both),
        "width": both.shape[1],
        "teacher_temperature": fit,
        "provenance": provenance(
            [*files(sources), *(file for path in vectors or () for file in teacher_files(path))],
            tokenizer=tokenizer,
        ),
    }
    write_json(out / MANIFEST, about)
    if as_json:
        emit_json({"out": str(out), **{k: about[k] for k in ("rows", "width")},
                   "teacher_temperature": fit})  # fmt: skip
        return
    messages.print(
        f"{out}: {len(both):,} vectors of width {both.shape[1]:,}; use it with "
        f"loss.teacher_temperature = {fit}"
    )


def _vectors(path: Path, numbers: list[str]) -> Tensor:
    import numpy as np
    import torch

    from phage.errors import PhageError
    from phage.storage import readable
    from phage.training.teacher import teacher_files
    from phage.vector_files import read_shards

    with readable(path):
        known, rows = read_shards(teacher_files(path))
    place = {number: row for row, number in enumerate(known)}
    lacking = [number for number in numbers if number not in place]
    if lacking:
        raise PhageError(
            f"{len(lacking):,} of {len(numbers):,} patents have no vector here, {lacking[0]} first",
            place=str(path),
            remedy="encode the same patents: phage encode MODEL PATENTS -o FOLDER",
        )
    chosen = np.array([place[number] for number in numbers])
    return torch.from_numpy(rows[chosen].astype(np.float32))

"""Vectors in Parquet files.

In:   files with a column of identifiers and one of vectors, lists of numbers of one width.
Out:  the identifiers, and the vectors (n, D), in order.
Why:  teaching, fitting axes and scoring all read what ``phage encode`` writes; they share this
      reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.storage import atomic, read_json, sha256

MANIFEST = "vectors.json"
"""Written last into a folder of vectors: its files, their rows and hashes."""


def shard_files(folder: Path) -> list[Path]:
    """Return the files of a folder of vectors; compare those of ``phage encode`` with its manifest.

    A missing or changed file raises a ValueError that names it.
    """
    found = sorted(folder.glob("*.parquet"))
    if not (folder / MANIFEST).is_file():
        return found
    manifest = read_json(folder / MANIFEST)
    rows = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError(f"{MANIFEST} does not list the vector files")
    for row in rows:
        file = folder / str(row.get("file"))
        if not file.is_file():
            raise ValueError(f"{file.name} is missing")
        if row.get("sha256", sha256(file)) != sha256(file):  # older versions noted none
            raise ValueError(f"{file.name} has changed since it was written")
    return [folder / str(row["file"]) for row in rows]


def read_shards(
    files: Sequence[Path], key: str = "number", held: str = "vector"
) -> tuple[list[Any], NDArray[np.floating[Any]]]:
    """Read files as one table; anything else raises a ValueError with the reason."""
    import pyarrow.compute as pc  # late: training itself reads no tables
    import pyarrow.parquet as pq

    table = pq.read_table([str(file) for file in files], columns=[key, held])
    column = table[held].combine_chunks()
    if "list" not in str(column.type):
        raise ValueError(f"the vectors are not lists of numbers but {column.type}")
    widths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(table) and (len(widths) != 1 or not widths[0]):
        raise ValueError(f"the vectors have several widths: {widths[:5]}")
    flat = column.flatten().to_numpy()  # not where a number is missing
    if not np.isfinite(flat).all():
        raise ValueError("some vectors are not finite")
    return table[key].to_pylist(), flat.reshape(len(table), widths[0] if widths else 0)


def write_vectors(path: Path, numbers: Sequence[str], vectors: NDArray[Any]) -> None:
    """Write numbers and vectors (n, D) as one file that ``read_shards`` reads, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    flat = pa.array(checked_vectors(vectors, numbers).ravel())
    column = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    table = pa.table({"number": pa.array(numbers, pa.string()), "vector": column})
    with atomic(path) as partial:
        pq.write_table(table, partial, compression="zstd")


def checked_vectors(
    vectors: NDArray[Any], names: Sequence[Any] | NDArray[Any], model: str = ""
) -> NDArray[Any]:
    """Return the vectors (n, D) if all are finite; the error names the first that is not."""
    wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(wrong):
        raise PhageError(
            f"{len(wrong):,} of {len(vectors):,} vectors are not finite, the first: "
            f"{names[wrong[0]]}",
            place=model,
            remedy="use a model with undamaged weights; with --half or a GPU, try float32 on a CPU",
        )
    return vectors

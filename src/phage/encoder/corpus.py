"""Vectors of a corpus: the job that ``phage encode`` runs.

In:   a stream of patents, a model's name.
Out:  a Job for ``phage.scale``; its output is a folder of Parquet shards (``number``, ``vector`` as a
      fixed-size list, ``model``) and ``vectors.json``, which is written last.
Why:  the same function encodes a hundred patents here and a hundred million on a cluster. Chunks are
      fixed, so that one machine, many processes and a cluster give the same vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.encoder.model import Encoder
from phage.encoder.shorten import Principal, shorten
from phage.errors import PhageError
from phage.scale import Job, Part, to_ipc
from phage.scale.join import from_ipc
from phage.storage import atomic, readable, sha256, write_json
from phage.vector_files import MANIFEST, checked_vectors, read_shards, shard_files

CHUNK = 128
"""Patents per part."""
SHARD = 100_000
"""Patents per Parquet file, about; a part is never divided."""
ROW_GROUP = 4_096
"""Rows in memory while shards are written, about."""
Load = Callable[[str], Any]
"""Loads what has ``encode(patents, on_cut=…)``: the encoder, or one with its graph."""


@dataclass(frozen=True, eq=False)
class Short:
    """How vectors are shortened: cut to a width, or turned onto axes first."""

    width: int
    axes: Principal | None = None
    """They travel to the workers, so that no file need be within their reach."""


def vectors_job(
    model: str,
    settings: Mapping[str, Any],
    options: Mapping[str, Any] = MappingProxyType({}),
    short: Short | None = None,
    load: Load = Encoder.from_pretrained,
) -> Job[Patent]:
    """Describe the run that writes the vectors of a corpus.

    ``settings`` name its sources, ``options`` are those of ``encode`` (section, long).
    """
    about = {"model": model, **options, **settings}
    work = partial(encode_part, model=model, options=dict(options), short=short, load=load)
    return Job(work, partial(join_shards, about=about), about, chunk=CHUNK)


def encode_part(
    patents: Sequence[Patent],
    model: str,
    options: Mapping[str, Any],
    short: Short | None = None,
    load: Load = Encoder.from_pretrained,
) -> Part:
    """Encode one chunk; a worker loads the model once."""
    encoder = loaded(load, model)
    cut: list[int] = []
    fast = {"batch_tokens": encoder.budget} if isinstance(encoder, Encoder) else {}
    vectors = encoder.encode(patents, **options, **fast, on_cut=cut.append)
    if short:
        vectors = shorten(vectors, short.width, short.axes)
    counts = {"vectors": len(patents), "cut": sum(cut)}
    numbers = [patent.number for patent in patents]
    return Part(to_ipc(vector_table(numbers, vectors, model)), counts)


def vector_table(numbers: Sequence[str], vectors: Any, model: str) -> pa.Table:  # noqa: ANN401
    """Lay vectors (n, D) out as the columns number, vector, model."""
    width = checked_vectors(vectors, numbers, model).shape[1]
    return pa.table(
        {
            "number": pa.array(numbers, pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), width),
            "model": pa.array([model] * len(numbers), pa.string()),
        }
    )


@functools.lru_cache(maxsize=1)
def loaded(load: Load, model: str) -> Any:  # noqa: ANN401  (whatever encodes)
    """Load a model once per process."""
    return load(model)


def load_int8(model: str) -> Encoder:
    """Load an encoder that may multiply in int8."""
    return Encoder.from_pretrained(model, int8=True)


def join_shards(parts: Sequence[Path], manifest: Path, about: dict[str, Any]) -> None:
    """Write the shards beside the manifest, each whole or absent, the manifest last."""
    if not parts:
        raise PhageError("nothing was written, because the input holds no patents")
    folder = manifest.parent
    files: list[dict[str, Any]] = []
    for shard in _shards(parts):
        name = f"vectors-{len(files):05d}.parquet"
        with atomic(folder / name) as partial:
            rows = _write_shard(shard, partial)
            files.append({"file": name, "rows": rows, "sha256": sha256(partial)})
    for stale in set(folder.glob("vectors-*.parquet")) - {folder / row["file"] for row in files}:
        stale.unlink()  # of an earlier, longer run
    write_json(manifest, {**about, "files": files, "rows": sum(row["rows"] for row in files)})


def read_vectors(folder: Path | str) -> tuple[list[str], NDArray[np.float32]]:
    """Read a folder of vectors back: numbers and rows (n, D), in order."""
    folder = Path(folder)
    if not (folder / MANIFEST).is_file() or not any(folder.glob("vectors-*.parquet")):
        raise PhageError(
            "this folder has no finished vectors",
            place=str(folder),
            remedy="phage encode MODEL SOURCES… -o FOLDER writes them",
        )
    with readable(folder, "encode the patents again: phage encode MODEL SOURCES… -o FOLDER"):
        numbers, rows = read_shards(shard_files(folder))
    return numbers, rows.astype(np.float32, copy=False)


def _shards(parts: Sequence[Path]) -> Iterator[list[Path]]:
    each = max(1, SHARD // CHUNK)
    for start in range(0, len(parts), each):
        yield list(parts[start : start + each])


def _write_shard(parts: Sequence[Path], path: Path) -> int:
    """Write one Parquet file, a row group in memory at a time; return its rows."""
    total, held = 0, [from_ipc(parts[0].read_bytes())]
    with pq.ParquetWriter(path, held[0].schema, compression="zstd") as writer:
        for part in [*parts[1:], None]:
            if part is None or sum(map(len, held)) >= ROW_GROUP:
                writer.write_table(pa.concat_tables(held))
                total += sum(map(len, held))
                held.clear()
            if part is not None:
                held.append(from_ipc(part.read_bytes()))
    return total

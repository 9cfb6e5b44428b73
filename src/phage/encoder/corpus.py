"""Vectors of a corpus: the job that ``phage encode`` runs.

In:   a stream of (number, text), a model's name.
Out:  a Job for ``phage.scale``; its output is a folder of Parquet shards (``number``, ``vector`` as a
      fixed-size list, ``model``) and ``vectors.json``, which is written last.
Why:  the same function encodes a hundred patents here and a hundred million on a cluster. Chunks are
      fixed, so that one machine, many processes and a cluster give the same vectors."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from phage.encoder.model import Encoder
from phage.errors import PhageError
from phage.scale import Job, Part, to_ipc
from phage.scale.join import from_ipc
from phage.storage import atomic, write_json

CHUNK = 128
"""Patents per part."""
SHARD = 100_000
"""Patents per Parquet file."""
MANIFEST = "vectors.json"
BUDGET = 4_096
"""Tokens per batch on a CPU; a GPU takes the encoder's own."""

Item = tuple[str, str]
"""Number and text."""


def vectors_job(model: str, settings: dict[str, Any], long: str = "cut") -> Job[Item]:
    """Describe the run that writes the vectors of a corpus; ``settings`` name its sources."""
    return Job(
        work=partial(encode_part, model=model, long=long),
        join=partial(join_shards, about={"model": model, "long": long, **settings}),
        settings={"model": model, "long": long, **settings},
        chunk=CHUNK,
    )


def encode_part(items: Sequence[Item], model: str, long: str) -> Part:
    """Encode one chunk; a worker loads the model once."""
    encoder = loaded(model)
    numbers, texts = zip(*items, strict=True)
    budget = None if encoder.device.type == "cuda" else BUDGET
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        vectors = encoder.encode(list(texts), long=long, batch_tokens=budget)
    cut = next((str(w.message).split(" of ")[0] for w in told if "cut" in str(w.message)), "0")
    return Part(
        to_ipc(vector_table(numbers, vectors, model)),
        {"vectors": len(items), "cut": int(cut.replace(",", ""))},
    )


def vector_table(numbers: Sequence[str], vectors: Any, model: str) -> pa.Table:  # noqa: ANN401
    """Lay vectors (n, D) out as the columns number, vector, model."""
    width = vectors.shape[1]
    return pa.table(
        {
            "number": pa.array(numbers, pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), width),
            "model": pa.array([model] * len(numbers), pa.string()),
        }
    )


@functools.lru_cache(maxsize=1)
def loaded(model: str) -> Encoder:
    """Load a model once per process."""
    return Encoder.from_pretrained(model)


def join_shards(parts: Sequence[Path], manifest: Path, about: dict[str, Any]) -> None:
    """Write the shards beside the manifest, each whole or absent, the manifest last."""
    if not parts:
        raise PhageError("there is nothing to write: no patents came in")
    folder = manifest.parent
    files: list[dict[str, Any]] = []
    for tables in _grouped(parts):
        name = f"vectors-{len(files):05d}.parquet"
        with atomic(folder / name) as partial:
            pq.write_table(pa.concat_tables(tables), partial, compression="zstd")
        files.append({"file": name, "rows": sum(map(len, tables))})
    for stale in set(folder.glob("vectors-*.parquet")) - {folder / row["file"] for row in files}:
        stale.unlink()  # of an earlier, longer run
    write_json(manifest, {**about, "files": files, "rows": sum(row["rows"] for row in files)})


def _grouped(parts: Sequence[Path]) -> Iterator[list[pa.Table]]:
    held: list[pa.Table] = []
    for place, path in enumerate(parts, start=1):
        held.append(from_ipc(path.read_bytes()))
        if sum(map(len, held)) >= SHARD or place == len(parts):
            yield held
            held = []

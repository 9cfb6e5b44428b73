"""Vectors made elsewhere, brought into the order of a data set.

In:   ``.npz`` (views, or ids and vectors), ``.npy`` (rows in order), ``.parquet`` (number, vector)
      or a folder of such shards, as ``phage encode`` writes.
Out:  one array per view, row by row the data set's documents.
Why:  an encoder that runs on another machine, or a closed one, is scored by the same code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.arrays import read_array, read_arrays, write_arrays
from phage.evaluation.tasks import TaskData
from phage.storage import readable
from phage.vector_files import checked_vectors, read_shards, shard_files

SUFFIXES = (".npz", ".npy", ".parquet")
ABOUT = "about"
_ID_COLUMNS = ("number", "id", "ids", "patent")
_VECTOR_COLUMNS = ("vector", "vectors", "embedding")


def is_vectors(name: str) -> bool:
    """Return whether a path is a file or folder of vectors, not a model.

    >>> is_vectors("week.npz"), is_vectors("models/phage")
    (True, False)
    """
    path = Path(name)
    shards = path.is_dir() and not (path / "config.json").exists() and any(path.glob("*.parquet"))
    return name.endswith(SUFFIXES) or shards


def save_vectors(
    path: Path | str,
    vectors: Mapping[str, NDArray[np.float32]],
    data: TaskData,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write vectors with their documents' identifiers and how they were made."""
    arrays: dict[str, NDArray[Any]] = {}
    for view, array in vectors.items():
        arrays[f"vectors/{view}"] = array
        arrays[f"ids/{view}"] = np.asarray(data.ids[view], dtype=np.str_)
    arrays[ABOUT] = np.array(json.dumps(dict(about or {}), ensure_ascii=False))
    write_arrays(path, arrays, compress=False)


def about_vectors(path: Path | str) -> dict[str, Any]:
    """Return how vectors were made, as far as their file records it."""
    about: dict[str, Any] = {}
    if Path(path).suffix == ".npz":
        with readable(path):
            about = dict(json.loads(str(read_arrays(path).get(ABOUT, "{}"))))
    return {**about, "file": Path(path).name, "precomputed": True}


def load_vectors(path: Path | str, data: TaskData) -> dict[str, NDArray[np.float32]]:
    """Read vectors for every view of a data set."""
    path = Path(path)
    if not path.exists():
        raise PhageError("this is not a file of vectors", place=str(path))
    views = list(data.ids)
    if path.suffix == ".npz":
        arrays = read_arrays(path)
        return {view: _view(arrays, view, data, path) for view in views}
    if len(views) > 1:
        raise PhageError(
            f"{data.data_set} needs vectors for {', '.join(views)}",
            place=str(path),
            remedy="give one .npz with 'vectors/<view>' and 'ids/<view>' arrays",
        )
    if path.suffix == ".npy":
        ids, array = None, read_array(path)
    else:
        ids, array = _parquet(path)
    return {views[0]: _ordered(array, ids, data.ids[views[0]], path)}


def _view(
    arrays: Mapping[str, NDArray[Any]], view: str, data: TaskData, path: Path
) -> NDArray[np.float32]:
    single = len(data.ids) == 1
    for vectors, ids in ((f"vectors/{view}", f"ids/{view}"), ("vectors", "ids"), (view, "ids")):
        if vectors in arrays and (single or vectors != "vectors"):
            return _ordered(arrays[vectors], arrays.get(ids), data.ids[view], path)
    raise PhageError(
        f"there are no vectors for '{view}'",
        place=str(path),
        remedy=f"the file holds {', '.join(sorted(arrays))}; wanted 'vectors/{view}'"
        + (", or 'vectors' and 'ids'" if single else ""),
    )


def _ordered(
    vectors: NDArray[Any], ids: NDArray[np.str_] | None, wanted: NDArray[np.str_], path: Path
) -> NDArray[np.float32]:
    """Bring rows into the data set's order; a document without a vector is an error."""
    if vectors.dtype.kind not in "fiu" or vectors.ndim != 2:
        raise PhageError("these are not rows of numbers", place=str(path))
    checked_vectors(vectors, range(1, len(vectors) + 1) if ids is None else ids, str(path))
    if ids is None:
        if len(vectors) != len(wanted):
            raise PhageError(
                f"{len(vectors)} vectors without identifiers for {len(wanted)} documents",
                place=str(path),
                remedy="add an 'ids' array, or one row per document in the data set's order",
            )
        return np.asarray(vectors, dtype=np.float32)
    place = {str(name): row for row, name in enumerate(ids)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise PhageError(
            f"{len(missing)} of {len(wanted)} documents have no vector, the first is {missing[0]}",
            place=str(path),
        )
    return np.asarray(vectors[[place[name] for name in wanted]], dtype=np.float32)


def _parquet(path: Path) -> tuple[NDArray[np.str_], NDArray[Any]]:
    import pyarrow.parquet as pq

    with readable(path, "encode the patents again: phage encode MODEL SOURCES… -o FOLDER"):
        files = shard_files(path) if path.is_dir() else [path]
    with readable(files[0]):
        names = pq.read_schema(files[0]).names
    key = next((name for name in _ID_COLUMNS if name in names), None)
    held = next((name for name in _VECTOR_COLUMNS if name in names), None)
    if key is None or held is None:
        raise PhageError(
            f"no columns of identifiers and vectors among {', '.join(names)}",
            place=str(path),
            remedy="name them 'number' and 'vector'",
        )
    with readable(path):
        ids, vectors = read_shards(files, key, held)
    return np.array([str(value) for value in ids]), vectors

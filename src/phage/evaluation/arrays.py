"""Named arrays in one file.

In:   a path and arrays by name.
Out:  an ``.npz``, whole or absent; nothing in it needs unpickling.
Why:  tasks, vectors and samples travel between machines that share nothing but numpy."""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.storage import atomic

DAMAGE = (
    ValueError, OSError, EOFError, AttributeError, LookupError, NotImplementedError, MemoryError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
"""What numpy raises over a damaged file."""


def write_arrays(
    path: Path | str, arrays: Mapping[str, NDArray[Any]], *, compress: bool = True
) -> None:
    """Write arrays by name; vectors do not compress and are better left as they are."""
    write: Any = np.savez_compressed if compress else np.savez
    with atomic(path) as partial, partial.open("wb") as out:
        write(out, **arrays)


def read_arrays(path: Path | str) -> dict[str, NDArray[Any]]:
    """Read all arrays of an ``.npz``."""
    with _reported(path), np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def read_array(path: Path | str) -> NDArray[Any]:
    """Read the one array of an ``.npy``."""
    with _reported(path):
        found: NDArray[Any] = np.load(path, allow_pickle=False)
        return found


@contextlib.contextmanager
def _reported(path: Path | str) -> Iterator[None]:
    """Report a file that does not hold arrays, whatever error numpy raises."""
    if not Path(path).is_file():
        raise PhageError("this file does not exist", place=str(path))
    try:
        yield
    except DAMAGE as error:
        raise PhageError(
            f"not a file of arrays, or damaged: {error}",
            place=str(path),
            remedy="make the file again with the command that wrote it",
        ) from error

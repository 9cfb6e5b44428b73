"""Vectors that lie in Parquet files.

In:   files with a column of identifiers and one of vectors, lists of numbers of one width.
Out:  the identifiers, and the vectors (n, D), in order.
Why:  what ``phage encode`` writes is read again to teach, to fit axes and to be scored: in one way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def read_shards(
    files: Sequence[Path], key: str = "number", held: str = "vector"
) -> tuple[list[Any], NDArray[np.floating[Any]]]:
    """Read files as one table; what is no table of vectors is a ValueError that says why."""
    import pyarrow.compute as pc  # late: training itself reads no tables
    import pyarrow.parquet as pq

    table = pq.read_table([str(file) for file in files], columns=[key, held])
    column = table[held].combine_chunks()
    if "list" not in str(column.type):
        raise ValueError(f"the vectors are no lists of numbers but {column.type}")
    widths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(table) and (len(widths) != 1 or not widths[0]):
        raise ValueError(f"vectors of several widths: {widths[:5]}")
    flat = column.flatten().to_numpy()  # not where a number is missing
    return table[key].to_pylist(), flat.reshape(len(table), widths[0] if widths else 0)

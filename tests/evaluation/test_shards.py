"""Vectors in Parquet files are read in one way, or refused with a reason."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from phage.vector_files import read_shards


def test_files_are_read_in_order_whatever_kind_of_list_they_hold(tmp_path):
    for name, kind in (("a", pa.list_(pa.float32(), 2)), ("b", pa.list_(pa.float32()))):
        for part in (0, 1):
            rows = pa.array([[part, 1.0], [part, 2.0]], kind)
            table = pa.table({"id": [10 * part, 10 * part + 1], "embedding": rows})
            pq.write_table(table, tmp_path / f"{name}{part}.parquet")
        ids, vectors = read_shards(sorted(tmp_path.glob(f"{name}*")), "id", "embedding")
        assert ids == [0, 1, 10, 11]
        assert np.array_equal(vectors, [[0, 1], [0, 2], [1, 1], [1, 2]])


@pytest.mark.parametrize(
    ("column", "told"),
    [(["x"], "not lists"), ([[1.0], [1.0, 2.0]], "several widths"), ([[1.0], None], "widths")],
)
def test_a_file_without_vectors_is_reported(tmp_path, column, told):
    table = pa.table({"number": [str(n) for n in range(len(column))], "vector": column})
    pq.write_table(table, tmp_path / "v.parquet")
    with pytest.raises(ValueError, match=told):
        read_shards([tmp_path / "v.parquet"])

"""Vectors, graphs, patents and arrays on disk are read as they were written, or refused."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent, ReadReport, read, write
from phage.cli import app
from phage.encoder.corpus import read_vectors
from phage.errors import PhageError
from phage.evaluation.arrays import read_arrays, write_arrays
from phage.graph.files import read_graphs
from phage.training.teacher import teacher_files


def patents(count=300):
    claims = (Claim(1, "A pump with a shaft."), Claim(2, "The pump of claim 1, of steel."))
    return [Patent(f"US{place}A", claims, title=f"pump {place}") for place in range(count)]


def turned(path, share=0.5):
    """Turn one bit."""
    found = bytearray(path.read_bytes())
    found[int(len(found) * share)] ^= 0x10
    path.write_bytes(found)


@pytest.fixture(scope="module")
def vectors(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    write(patents(), folder / "patents.parquet")
    words = ["encode", str(tiny), str(folder / "patents.parquet"), "-o", str(folder / "vectors")]
    assert CliRunner().invoke(app, words).exit_code == 0
    return folder / "vectors"


DAMAGED = {
    "a shard with a turned bit": lambda folder: turned(folder / "vectors-00000.parquet", 0.2),
    "a shard that is cut": lambda folder: os.truncate(folder / "vectors-00000.parquet", 900),
    "a manifest that is not JSON": lambda folder: (folder / "vectors.json").write_text("{"),
    "a manifest of nothing": lambda folder: (folder / "vectors.json").write_text("[]"),
    "a shard that is gone": lambda folder: (folder / "vectors-00000.parquet").rename(
        folder / "vectors-00001.parquet"
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_vectors_are_refused(vectors, tmp_path, name):
    folder = tmp_path / "vectors"
    shutil.copytree(vectors, folder)
    assert len(read_vectors(folder)[0]) == 300
    assert len(teacher_files(folder)) == 1
    DAMAGED[name](folder)
    for use in (read_vectors, teacher_files):
        with pytest.raises(PhageError, match="damaged"):
            use(folder)


def test_vectors_that_are_not_finite_are_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = np.ones((3, 4), dtype=np.float32)
    rows[1, 2] = np.nan
    flat = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 4)
    pq.write_table(pa.table({"number": ["a", "b", "c"], "vector": flat}), tmp_path / "v.parquet")
    from phage.vector_files import read_shards

    with pytest.raises(ValueError, match="not finite"):
        read_shards([tmp_path / "v.parquet"])


def test_damaged_graphs_are_refused_or_unchanged(tmp_path):
    """One turned bit at 40 places of the file; in a page it is always seen."""
    write(patents(60), tmp_path / "patents.jsonl")
    out = tmp_path / "graphs.parquet"
    words = ["graph", str(tmp_path / "patents.jsonl"), "-o", str(out)]
    assert CliRunner().invoke(app, words).exit_code == 0
    whole, graphs = out.read_bytes(), list(read_graphs(out))
    refused = 0
    for place in range(40):
        out.write_bytes(whole)
        turned(out, place / 40)
        try:
            found = list(read_graphs(out))
        except PhageError as error:
            refused += 1
            assert error.remedy, str(error)
        else:
            assert found == graphs
    assert refused >= 10


def test_damaged_patents_are_not_read_as_others(tmp_path):
    path = tmp_path / "patents.parquet"
    write(patents(), path)
    whole = {p.number: p for p in read(path)}
    turned(path, 0.1)
    report = ReadReport()
    found = list(read([path], report=report))
    assert "checksum" in report.problems[0].reason
    assert all(whole[p.number] == p for p in found)


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.95])
def test_damaged_arrays_are_refused(tmp_path, compress, share):
    path = tmp_path / "a.npz"
    write_arrays(path, {"x": np.random.default_rng(0).random((50, 50))}, compress=compress)
    before = read_arrays(path)["x"]
    turned(path, share)
    try:
        after = read_arrays(path)
    except PhageError as error:
        assert error.remedy
    else:  # a byte that nothing depends on, such as a date
        assert np.array_equal(after["x"], before)


def test_a_damaged_result_of_an_ablation_is_made_again(tmp_path):
    from phage.evaluation.ablation_run import RUN_FORMAT, is_finished
    from phage.training.recipe import Recipe
    from phage.training.recipe_file import to_toml

    place = tmp_path / "seed-1.json"
    told = {"format": RUN_FORMAT, "recipe": to_toml(Recipe()), "tasks_digest": "d"}
    whole = json.dumps(told)
    place.write_text(whole)
    write_arrays(place.with_suffix(".npz"), {"task/x": np.arange(3)})
    assert is_finished(place, Recipe(), "d")
    for text in ("", "{", "[]", '"x"'):
        place.write_text(text)
        assert not is_finished(place, Recipe(), "d")
    place.write_text(whole)
    os.truncate(place.with_suffix(".npz"), 40)
    assert not is_finished(place, Recipe(), "d")
    place.with_suffix(".npz").unlink()
    assert not is_finished(place, Recipe(), "d")

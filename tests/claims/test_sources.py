"""What can be given to ``read``, and what it says of anything else."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from phage.claims import ReadReport, read
from phage.cli import app
from phage.errors import PhageError

ROWS = [{"number": f"US{n}A", "claims": ["A pump.", "A cup."]} for n in (1, 2, 3)]


def pandas(rows, **options):
    return pytest.importorskip("pandas").DataFrame(rows, **options)


def arrays(value):
    """Give lists as pandas does after it read a Parquet file."""
    if isinstance(value, dict):
        return {name: arrays(one) for name, one in value.items()}
    return np.array([arrays(one) for one in value], object) if isinstance(value, list) else value


OBJECTS = [{"number": 1, "text": "A pump."}, {"number": 2, "text": "A cup.", "references": [1]}]
GIVEN = {
    "a generator": lambda: (row for row in ROWS),
    "an iterator of frames": lambda: iter([pandas(ROWS[:2]), pandas(ROWS[2:])]),
    "a list of tables": lambda: [pa.Table.from_pylist(ROWS[:1]), pa.Table.from_pylist(ROWS[1:])],
    "arrays": lambda: [arrays(row) for row in ROWS],
    "arrays of objects": lambda: [arrays({**row, "claims": OBJECTS}) for row in ROWS],
    "tuples": lambda: [{**row, "claims": tuple(row["claims"])} for row in ROWS],
    "a frame of arrays": lambda: pandas([{**arrays(row), "x": x} for row, x in zip(ROWS, (1, "", {}), strict=True)]),
}  # fmt: skip


@pytest.mark.parametrize("kind", GIVEN)
def test_rows_in_memory_are_read(kind):
    report = ReadReport()
    patents = list(read(GIVEN[kind](), report=report))
    assert [patent.number for patent in patents] == ["US1A", "US2A", "US3A"]
    assert all([c.text for c in p.claims] == ["A pump.", "A cup."] for p in patents)
    assert not report.problems


ONE = [{"Pub No": "US1A", "Claim Text": "1. A pump."}]
TWICE = ["number", "claims", "claims"]
REFUSED = {
    "a number": (7, "a value of type int cannot be read"),
    "no table": (pa.chunked_array([["US1A"]]), "a ChunkedArray is not a table"),
    "numbers": ([7], "a value of type int is not a path"),
    "several tables": ({"train": pa.table({"id": ["US1A"]})}, "a dict holds several tables"),
    "a path and a row": (["a.jsonl", ROWS[0]], "a value of type (dict is not a path|str)"),
    "an open file": (io.StringIO("number,claims"), "an open file, StringIO, cannot be read"),
    "no path": ("", "the path is empty"),
    "columns twice": (pa.table([["US1A"], ["A."], ["B."]], names=TWICE), "two columns are named 'claims'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_a_source_is_an_error(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_text("{}")
    source, said = REFUSED[case]
    with pytest.raises(PhageError, match=said):
        list(read(source))


def test_frames_that_are_not_computed_or_have_a_column_twice():
    lazy = pytest.importorskip("polars").LazyFrame(ROWS)
    with pytest.raises(PhageError, match=r"a LazyFrame is not computed yet\n.*\.collect\(\)"):
        list(read(lazy))
    with pytest.raises(PhageError, match="two columns are named 'claims'"):
        list(read(pandas([["US1A", "A.", "B."]], columns=TWICE)))
    [patent] = read(pandas([["US1A", "1. A.", 1, 2]], columns=["number", "claims", "x", "x"]))
    assert patent.claims[0].text == "A."


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"claims": "Claims Text"},
            "column 'Claims Text' for claims is not in the table: 'Pub No'",
        ),
        ({"claims": "Claims Text"}, "remedy: name 'Claim Text'"),
        ({"claims": 7}, "column '7' for claims is not in the table.*\n.*\n.*name one of these"),
        ({"colour": "Pub No"}, "columns: 'colour' is not a field"),
        (["Claim Text"], "columns is a list of 1, not a dictionary"),
        ("Claim Text", "columns is 'Claim Text', not a dictionary"),
    ],
)
def test_wrong_columns_are_an_error(columns, said):
    with pytest.raises(PhageError, match=said):
        list(read(ONE, columns=columns))


def test_columns_may_be_numbers():
    frame = pandas([["1. A pump.", "US1A"]])
    [patent] = read(frame, columns={"claims": 0, "number": 1})
    assert (patent.number, patent.claims[0].text) == ("US1A", "A pump.")


def test_an_empty_path_does_not_read_the_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "draft.txt").write_text("1. A pump.")
    done = CliRunner().invoke(app, ["read", "", "-o", "out.jsonl"])
    assert "the path is empty" in str(done.exception)
    assert not (tmp_path / "out.jsonl").exists()

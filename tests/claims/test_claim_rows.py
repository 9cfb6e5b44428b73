"""Tables with one claim in each row: the rows of one patent make one patent, in every kind of table."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from phage.claims import ReadReport, read
from phage.frames import to_arrow, to_pandas

ROWS = [
    {"patent": "US1A", "claim no": 1, "claim text": "A pump."},
    {"patent": "US1A", "claim no": 2, "claim text": "The pump of claim 1."},
    {"patent": "US2A", "claim no": 1, "claim text": "A cup."},
]
APART = [ROWS[0], ROWS[2], ROWS[1]]
FOUND = {"US1A": [(1, "A pump."), (2, "The pump of claim 1.")], "US2A": [(1, "A cup.")]}


def as_csv(path, rows):
    out = io.StringIO(newline="")
    table = csv.DictWriter(out, list(rows[0]))
    table.writeheader()
    table.writerows(rows)
    path.write_text(out.getvalue())
    return path


def as_lines(path, rows):
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def as_parquet(path, rows):
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def as_workbook(path, rows):
    book = pytest.importorskip("openpyxl").Workbook()
    for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(row)
    book.save(path)
    return path


STREAMED = {"csv": as_csv, "jsonl": as_lines, "parquet": as_parquet, "xlsx": as_workbook}
IN_MEMORY = {
    "a list": lambda path, rows: rows,
    "arrow": lambda path, rows: pa.Table.from_pylist(rows),
    "pandas": lambda path, rows: pytest.importorskip("pandas").DataFrame(rows),
    "polars": lambda path, rows: pytest.importorskip("polars").DataFrame(rows),
}


def found(source, report):
    patents = list(read(source, report=report))
    assert len({patent.number for patent in patents}) == len(patents)
    return {p.number: [(claim.number, claim.text) for claim in p.claims] for p in patents}


@pytest.mark.parametrize("kind", [*STREAMED, *IN_MEMORY])
def test_a_row_for_each_claim_makes_one_patent(kind, tmp_path):
    report = ReadReport()
    source = (STREAMED | IN_MEMORY)[kind](tmp_path / f"own.{kind}", ROWS)
    assert found(source, report) == FOUND and not report.problems


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_rows_in_memory_are_joined_wherever_they_stand(kind, tmp_path):
    report = ReadReport()
    assert found(IN_MEMORY[kind](tmp_path, APART), report) == FOUND and not report.problems


@pytest.mark.parametrize("kind", STREAMED)
def test_rows_apart_in_a_file_are_named(kind, tmp_path):
    report = ReadReport()
    patents = found(STREAMED[kind](tmp_path / f"own.{kind}", APART), report)
    assert patents == {**FOUND, "US1A": FOUND["US1A"][:1]}
    [problem] = report.problems
    assert "column 'patent': 'US1A' came before; rows of one patent must" in problem.reason
    assert max(problem.line, problem.row) == {"csv": 4, "xlsx": 4}.get(kind, 3)


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_our_own_frame_of_claims_comes_back(kind, tmp_path):
    pytest.importorskip("pandas")
    frame = to_pandas(list(read(ROWS, report=ReadReport())), "claims")
    frame.to_csv(tmp_path / "own.csv")
    assert "claim" in to_arrow([], "claims").column_names
    report = ReadReport()
    assert found(frame if kind == "frame" else tmp_path / "own.csv", report) == FOUND
    assert not report.problems


@pytest.mark.parametrize("kind", [*STREAMED, *IN_MEMORY])
def test_a_claim_beside_a_text_is_its_number_only_if_it_is_one(kind, tmp_path):
    rows = [{"number": "US1A", "claim": "A pump.", "text": "The invention is a pump."},
            {"number": "US2A", "claim": "1. A cup.", "text": "Cups are known."}]  # fmt: skip
    report = ReadReport()
    source = (STREAMED | IN_MEMORY)[kind](tmp_path / f"own.{kind}", rows)
    assert found(source, report) == {"US1A": [(1, "A pump.")], "US2A": [(1, "A cup.")]}
    assert not report.problems


def test_a_number_that_is_none_and_a_text_that_is_none_are_named(tmp_path):
    rows = [*ROWS, {"patent": "US2A", "claim no": "two", "claim text": "The cup of claim 1."},
            {"patent": "US2A", "claim no": 3, "claim text": "nan"}]  # fmt: skip
    report = ReadReport()
    patents = found(as_csv(tmp_path / "own.csv", rows), report)
    assert patents["US2A"] == [(1, "A cup."), (2, "The cup of claim 1.")]
    [problem] = report.problems
    assert "claim 3: its text is 'nan'" in problem.reason
    assert "number 'two' taken as 2" in problem.reason


def test_a_count_of_claims_is_refused_and_the_other_column_named(tmp_path):
    rows = [{"number": "US1A", "title": "Pump", "claims": "2", "claim_text": "1. A pump."}]
    report = ReadReport()
    assert not found(as_csv(tmp_path / "own.csv", rows), report)
    assert "name their column: --columns claims='claim_text'" in report.problems[0].reason
    [patent] = read(tmp_path / "own.csv", columns={"claims": "claim_text"})
    assert patent.claims[0].text == "A pump."

"""Cells of a table that are not what they seem: lists as texts, counts as claims, numbers as floats."""

from __future__ import annotations

import csv
import json
import pprint

import pytest

from phage.claims import ReadReport, read

TEXTS = ["A pump.", "The pump of claim 1."]
OBJECTS = [{"number": n, "text": text} for n, text in enumerate(TEXTS, start=1)]
BY_NUMBER = {"1": TEXTS[0], "2": TEXTS[1]}


def as_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    return path


def as_lines(path, rows):
    """The same table as JSON lines."""
    head, *rest = rows
    path.write_text("\n".join(json.dumps(dict(zip(head, row, strict=True))) for row in rest))
    return path


TABLES = {"csv": as_csv, "jsonl": as_lines}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    "cell",
    [json.dumps(TEXTS), str(TEXTS), json.dumps(OBJECTS), str(OBJECTS), json.dumps(BY_NUMBER)],
)
def test_a_list_in_a_cell_is_unfolded(cell, kind, tmp_path):
    path = TABLES[kind](tmp_path / f"own.{kind}", [["number", "claims"], ["US1A", cell]])
    [patent] = read(path, report=ReadReport())
    assert [(claim.number, claim.text) for claim in patent.claims] == list(enumerate(TEXTS, 1))


@pytest.mark.parametrize("kind", TABLES)
def test_a_list_that_pprint_wrote_is_unfolded(kind, tmp_path):
    texts = ["A pump that is long. " * 5 + "It ends.", "A cup."]
    cell = pprint.pformat(texts)
    assert "\n" in cell.partition(",")[0]
    path = TABLES[kind](tmp_path / f"own.{kind}", [["number", "claims"], ["US1A", cell]])
    [patent] = read(path, report=ReadReport())
    assert [claim.text for claim in patent.claims] == texts


@pytest.mark.parametrize("kind", TABLES)
def test_words_in_brackets_before_claims_are_no_list(kind, tmp_path):
    cell = f"['a' is a letter] 1. {TEXTS[0]} 2. {TEXTS[1]}"
    path = TABLES[kind](tmp_path / f"own.{kind}", [["number", "claims"], ["US1A", cell]])
    [patent] = read(path, report=ReadReport())
    assert [claim.text for claim in patent.claims] == TEXTS


WRONG = {
    "NumPy's list": ("['A pump.' 'The pump of claim 1.']", "a list without commas, as NumPy"),
    "NumPy's lines": ("['A pump.'\n \"The pump's claim.\"]", "a list without commas, as NumPy"),
    "NumPy's objects": ("[{'number': 1, 'text': 'A pump.', 'references': array([])}]", "not a valid list"),
    "broken JSON": ('[{"number": 1, "text": "A pump"', "not a valid list: write it as JSON"),
    "a broken object": ('{"1": "A pump.", ', "not a valid list: write it as JSON"),
    **{word: (word, f"'{word}' is not the text of claims")
       for word in ("nan", "None", "#N/A", "17", "2.0", "-", "N/A")},
}  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("case", WRONG)
def test_a_cell_that_is_no_claim_is_refused(case, kind, tmp_path):
    cell, said = WRONG[case]
    rows = [["number", "claims"], ["US1A", cell], ["US2A", "1. A cup."]]
    report = ReadReport()
    [patent] = read(TABLES[kind](tmp_path / f"own.{kind}", rows), report=report)
    [problem] = report.problems
    assert patent.number == "US2A" and said in problem.reason and "claims'" in problem.reason
    assert problem.outcome == "skipped" and problem.line == (2 if kind == "csv" else 1)


def test_a_list_that_is_none_is_left_out_of_other_columns(tmp_path):
    rows = [["number", "claims", "inventors"], ["US1A", "1. A pump.", "['Jane Doe' 'John Roe']"]]
    report = ReadReport()
    [patent] = read(as_csv(tmp_path / "own.csv", rows), report=report)
    assert patent.inventors == () and report.partial
    assert "column 'inventors': a list without commas" in report.problems[0].reason


@pytest.mark.parametrize("kind", ["csv", "pandas"])
def test_a_number_that_became_a_decimal_is_taken_as_it_was(kind, tmp_path):
    rows = [["number", "claims"], [8621662.0, "1. A pump."]]
    source = as_csv(tmp_path / "own.csv", rows)
    if kind == "pandas":
        source = pytest.importorskip("pandas").DataFrame(rows[1:], columns=rows[0])
    report = ReadReport()
    [patent] = read(source, report=report)
    assert patent.number == "8621662" and report.repaired == 1


@pytest.mark.parametrize("number", ["8.62E+06", "8,62e+06", "nan", "-", "#N/A"])
def test_a_number_that_is_lost_is_refused(number, tmp_path):
    rows = [["Pub No", "claims"], [number, "1. A pump."], ["US2A", "1. A cup."]]
    report = ReadReport()
    [patent] = read(as_csv(tmp_path / "own.csv", rows), report=report)
    [problem] = report.problems
    assert patent.number == "US2A" and problem.line == 2 and "column 'Pub No'" in problem.reason

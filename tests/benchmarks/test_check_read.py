"""Two readers' verdicts are put together as they wrote them."""

import doctest
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import check_read


def test_the_examples_hold():
    told = doctest.testmod(check_read)
    assert told.attempted >= 1 and not told.failed


def test_verdicts_are_merged_by_number(tmp_path):
    drawn = tmp_path / "findings.jsonl"
    found = {"rule": "introduced-twice", "claim": 2, "start": 7, "words": "a pin"}
    rows = [{"n": n, "patent": f"US{9 - n}", **found} for n in (1, 2)]
    drawn.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second = tmp_path / "a.tsv", tmp_path / "b.tsv"
    first.write_text('n\tverdict\treason\n1\treal\tthe same "pin"\n2\tfalse\tother\n')
    second.write_text("2\tunclear\tperhaps\n1\treal\tsame\n")
    merged = check_read.merge(drawn, (first, second))
    assert [(row["number"], row["first"], row["second"]) for row in merged] == [
        ("US7", "false", "unclear"),
        ("US8", "real", "real"),
    ]
    assert merged[1]["first_reason"] == 'the same "pin"'


def test_an_unknown_verdict_is_told(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tmaybe\twho knows\n")
    with pytest.raises(SystemExit, match="maybe"):
        check_read.verdicts(tmp_path / "a.tsv")

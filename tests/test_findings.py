"""docs/findings.md says what the committed results say, and the README agrees with it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def findings():
    return runpy.run_path(str(ROOT / "experiments" / "controls" / "findings.py"))


def test_the_tables_are_those_of_the_results(findings):
    assert findings["renewed"](PAGE) == PAGE


def test_no_figure_is_typed_in():
    prose = re.sub(r"<!-- [a-z-]+ -->.*?<!-- end -->", "", PAGE, flags=re.DOTALL)
    names = r"A61B 5|NDCG@100|95 % interval|p < \.05|12 layers of 768"
    assert not re.findall(r".{0,30}\d.{0,30}", re.sub(names, "", prose))


def test_the_headlines_follow_from_the_runs(findings):
    """Each sentence of the summary, asked of the samples' differences."""
    table = findings["controls"]()
    bases = [base for base in findings["SIZES"] if f"paper/{base}" in table]
    assert len(bases) == 2
    for base in bases:
        for column, cell in table[f"paper/{base}"].items():
            apart = cell["against"][f"no-graph/{base}"]
            assert apart["p"] >= 0.05 or apart["value"] < 0, (base, column)  # nowhere worse
        for row, true in findings["TRUE"].items():
            for cell in table.get(f"{row}/{base}", {}).values():
                apart = cell["against"][f"{true}/{base}"]
                assert apart["p"] >= 0.05 or apart["value"] > -0.01, (row, base)
        for column in ("week/ndcg@100", "indian/ndcg@100"):
            assert table[f"ours/{base}"][column]["against"][f"no-graph/{base}"]["low"] > 0


def test_rows_that_are_run_later_come_in_by_themselves(findings):
    known = {row: cells for row, cells in findings["controls"]().items() if row[:5] != "ours-"}
    other = {
        column: {
            **cell,
            "against": {**cell["against"], "ours/gte": cell["against"]["no-graph/gte"]},
        }
        for column, cell in known["ours/gte"].items()
    }
    table = {**known, "ours-rewired/gte": other, "ours-no-graph/gte": other}
    others = {**findings["TRUE"], "ours-no-graph": "ours"}
    lines = findings["apart"](table, others, findings["COLUMNS"]).splitlines()
    rows = [line.split(" | ")[0] for line in lines if "our recipe" in line]
    assert rows == ["| our recipe, rewired", "| our recipe, no graph"]
    before, after = findings["tally"](known), findings["tally"](table)
    assert after.startswith(f"{before}\n- Of {len(other)} differences of our recipe")


def test_claim_vectors_come_in_with_their_results(findings, monkeypatch):
    base, rule = ("PARENTS", "PATENTS"), {"mean": 0.25, "sd": 0.0, "seeds": 1, "against": {}}
    columns = {column: rule for name in base for column in findings[name]}
    apart = {"ours/gte": {"value": -0.1, "low": -0.2, "high": -0.05, "p": 0.01}}
    false = {column: {**cell, "seeds": 3, "against": apart} for column, cell in columns.items()}
    known = {"chance": columns, "ours/gte": columns, "ours-rewired/gte": false}
    inside = findings["claims"].__globals__
    assert findings["claims"]() == {} or "## Claims to claims" in PAGE
    monkeypatch.setitem(inside, "CLAIMS", "reading.json")  # any file that is there
    read = inside["read"]
    given = {"reading.json": {"table": known, "ndcg@100": read("reading.json")["ndcg@100"]}}
    monkeypatch.setitem(inside, "read", lambda name: given.get(name) or read(name))
    page = findings["renewed"](PAGE)
    assert page.count("## Claims to claims") == 1 and findings["renewed"](page) == page
    assert "| chance |  | .250 |" in page
    assert "| our recipe, rewired | 12 × 384 | **-.100** [-.200, -.050] |" in page
    assert "differences of our recipe, 8 favour the true edges and 0 a control" in page


def test_every_run_of_the_figure_is_in_the_repository(findings):
    for name, cells in findings["controls"]().items():
        seeds = {cell["seeds"] for cell in cells.values()}
        files = f"controls*/{name}/seed-*"
        found = {len(list((ROOT / "results").glob(f"{files}.{end}"))) for end in ("json", "npz")}
        assert found == seeds


def test_the_figure_is_drawn(findings, tmp_path):
    pytest.importorskip("matplotlib")
    findings["draw"](tmp_path / "findings.svg")
    made = (tmp_path / "findings.svg").read_text(encoding="utf-8")
    assert made.startswith("<?xml") and made.count("<path") > 100


def test_the_readme_points_here():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/findings.md)" in readme
    assert "We did not find that true links matter" in readme

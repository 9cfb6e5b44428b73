"""What the README says works, works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phage.cli import COMMANDS, app

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, flags=re.DOTALL)


def test_the_six_lines_run(tmp_path, monkeypatch):
    pytest.importorskip("lancedb")
    monkeypatch.chdir(tmp_path)
    lines = blocks("bash")[0].strip().splitlines()
    assert len(lines) == 6
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line)[1:], catch_exceptions=False)
        assert done.exit_code == 0, (line, done.output)
    assert (tmp_path / "vectors" / "vectors.json").is_file()
    assert "claim" in done.output


def test_the_python_lines_run(capsys):
    exec(compile(blocks("python")[0], "README.md", "exec"), {})  # noqa: S102  (our own)
    assert "1 → 2 cite" in capsys.readouterr().out


def test_commands_and_links_exist():
    for name in re.findall(r"`phage ([a-z-]+)", TEXT):
        assert name in COMMANDS, name
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", TEXT):
        assert (ROOT / target).exists(), target


def test_the_two_commands_are_make_targets():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert {"demo", "test"} <= set(targets)


def test_the_numbers_come_from_the_results():
    cites = json.loads((ROOT / "results" / "citations.json").read_text())["week"]["full"]
    assert f"{cites['precision']:.4f}".lstrip("0") in TEXT
    gold = json.loads((ROOT / "results" / "gold.json").read_text())["parsers"]["pattern"]
    for signal in ("term", "func"):
        assert f"{gold[signal]['f1']:.3f}".lstrip("0") in TEXT
    step = json.loads((ROOT / "results" / "step-h200.json").read_text())["cases"]["bert-large"]
    assert f"{step['ratios'][0]['guided_over_plain_time']:.2f} ×" in TEXT
    loop = json.loads((ROOT / "results" / "train-h200.json").read_text())["variants"]
    packed = loop["guided, compiled, packed rows"]
    assert f"{packed['tflops_useful']:.0f}; {packed['hours_for_the_papers_run']:.2f} h" in TEXT
    tables = json.loads((ROOT / "results" / "mini" / "table.json").read_text())["tables"]
    (week,) = (
        rows
        for title, rows in tables.items()
        if title.startswith("Week, trained on both, 400 steps; * differs from no-graph,")
    )
    for name in (
        "no-graph",
        "no-graph-mini",
        "phage-mini",
        "phage-mini, the mean of 4 seeds (shipped)",
        "no-graph, the mean of 4 seeds",
    ):
        for task in ("classification macro_f1", "clustering nmi", "retrieval ndcg@100"):
            assert f"{week[name]['measures'][task]['mean']:.3f}".lstrip("0") in TEXT

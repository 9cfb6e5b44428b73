"""The paper's tables of its corpus: counted as it counts, its own figures as printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import layouts
from phage.claims import Claim, Patent
from phage.claims.statistics import PAPER, corpus_statistics
from phage.cli import app

TEX = Path(__file__).parents[3] / "shared/paper/phage.tex"


def test_a_corpus_is_counted_by_hand():
    claims = (Claim(1, "A pump."), Claim(2, "It."))  # "1. A pump. 2. It.": 17 characters
    found = corpus_statistics(
        [
            Patent("US1A", claims, title="Pump", abstract="It pumps.", filing_date="2013-05-01",
                   ipc=("F04B 1/00", "F04B 53/14", "H02K 7/14")),
            Patent("US2A", claims[:1], title="Pumps", ipc=("F04B 1/00",), filing_date="2017-01-01"),
            Patent("US3A"),
        ]
    )  # fmt: skip
    assert (found.patents, found.filed, found.sections) == (3, ("2013", "2017"), {"F": 2})
    assert (found.subclasses, found.codes) == (2, 3)
    assert (found.codes_per_patent.mean, found.codes_per_patent.median) == (4 / 3, 1)
    assert {name: (m.mean, m.median) for name, m in found.lengths.items()} == {
        "title": (4.5, 4.5), "abstract": (9, 9), "claims": (13.5, 13.5),
    }  # fmt: skip


def test_the_command_prints_them_beside_the_paper_s(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    layouts.write_hupd(tmp_path / "hupd")
    run = CliRunner().invoke
    told = run(app, ["stats", "--patents", str(tmp_path / "hupd")]).output
    assert re.search(r"IPC codes per patent, mean / median +│ +2.0 / 2 │ +2.6 / 2", told)
    assert re.search(r"section B +│ +0 │ 18,668", told)
    row = json.loads(run(app, ["stats", "--patents", str(tmp_path / "hupd"), "--json"]).stdout)
    assert row["corpus"]["patents"] == 50 and row["paper_corpus"]["patents"] == 131_653
    assert "no input was given" in str(run(app, ["stats"]).exception)


@pytest.mark.data
@pytest.mark.skipif(not TEX.is_file(), reason="the paper is not beside the checkout")
def test_the_paper_s_figures_are_the_paper_s():
    text = TEX.read_text().replace("{,}", ",").replace("\\ ", " ")
    rows = [
        f"Total patents         & {PAPER.patents:,}", f"subclasses & {PAPER.subclasses}",
        f"codes      & {PAPER.codes:,}", "codes/patent      & 2.6 (med. 2)",
    ]  # fmt: skip
    for part, length in PAPER.lengths.items():
        name = rf"\quad {part.capitalize()}"
        rows.append(f"{name:<21} & {length.mean:,.0f} / {length.median:,.0f}")
    for row in rows:
        assert re.sub(r" +", " ", row) in re.sub(r" +", " ", text), row
    for section, count in PAPER.sections.items():
        assert re.search(rf"{section} -- [^&]+& +{count:,} ", text), section

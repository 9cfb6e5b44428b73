"""Cite edges on real patents, where they lie beside the checkout."""

import itertools
import sys
from pathlib import Path

import pytest

from phage.claims import read

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import citations as benchmark

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not benchmark.WEEK.exists(), reason="no patents in ../shared/data"),
]


def test_some_of_the_week_against_the_office():
    score = benchmark.Score()
    for patent in itertools.islice(read(benchmark.WEEK), 800, 1300):
        score.add(patent, "full")
    found = score.to_json()
    assert found["precision"] >= 0.999
    assert found["recall"] >= 0.999


def test_translations_agree():
    found = benchmark.families()["languages"]
    assert found["ep"]["agreement"] >= 0.97


@pytest.mark.slow
def test_every_disagreement_has_its_verdict():
    told = (ROOT / "docs" / "citations.md").read_text()
    for row in benchmark.week()["full"]["disagreements"]:
        assert f"| {row['patent']} | {row['claim']} |" in told
    for row in benchmark.families()["disagreements"]:
        assert f"| {row['version']} | {row['against']} |" in told

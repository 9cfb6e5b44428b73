"""The committed results: complete, and the README says what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from phage.evaluation.results import find_results

ROOT = Path(__file__).parents[2]
RESULTS = find_results(ROOT / "results")


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: f"{result.data_set}/{result.model}")
def test_a_result_says_where_it_came_from(result):
    assert result.provenance["data"], "no file was hashed"
    assert result.provenance["versions"]["torch"]
    assert result.provenance["commit"]
    assert result.settings
    assert result.notes["split"]
    for task in result.tasks.values():
        assert task["counts"]
        for measure in task["measures"].values():
            assert len(measure["runs"]) in (1, result.provenance["runs"])
            assert measure["mean"] == pytest.approx(sum(measure["runs"]) / len(measure["runs"]))

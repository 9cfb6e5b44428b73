"""The committed results: complete, traceable, and the README says what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phage.evaluation import classification, clustering
from phage.evaluation.report import make_report
from phage.evaluation.results import find_files, load_samples, samples_of
from phage.evaluation.tables import markdown

ROOT = Path(__file__).parents[2]
WEEK = find_files(ROOT / "results/uspto-week")


@pytest.mark.parametrize(("path", "result"), WEEK, ids=[path.stem for path, _ in WEEK])
class TestTheWeek:
    def test_a_result_says_where_it_came_from(self, path, result):
        assert result.provenance["data"], "no file was hashed"
        assert result.provenance["versions"]["torch"]
        assert result.provenance["commit"]
        assert result.settings
        assert result.notes["split"]
        for task in result.tasks.values():
            assert task["counts"]
            for measure in task["measures"].values():
                assert len(measure["runs"]) in (1, result.provenance["runs"])
                assert measure["mean"] == pytest.approx(np.mean(measure["runs"]))

    def test_the_figures_follow_from_the_samples(self, path, result):
        """Predictions, clusters and queries beside the file give its figures once more."""
        for task, held in load_samples(samples_of(path)).items():
            runs = {k: m["runs"] for k, m in result.tasks[task]["measures"].items()}
            if "predicted" in held:
                again = [classification.f1(held["truth"], one) for one in held["predicted"]]
            elif "clusters" in held:
                again = [clustering.agreement(held["truth"], one) for one in held["clusters"]]
            else:
                again = [{k: np.nanmean(v) for k, v in held.items() if k != "query"}]
            for measure, values in runs.items():
                assert values == pytest.approx([one[measure] for one in again]), (task, measure)


def test_all_were_asked_the_same():
    for path, result in WEEK[1:]:
        assert result.provenance["data"] == WEEK[0][1].provenance["data"], path
        assert result.notes == WEEK[0][1].notes, path
        for task in result.tasks.keys() & WEEK[0][1].tasks.keys():
            assert result.tasks[task]["counts"] == WEEK[0][1].tasks[task]["counts"]


def test_the_results_page_prints_the_committed_figures():
    (table,) = [one for one in make_report(ROOT / "results") if one.name == "uspto-week"]
    assert markdown(table.titles, table.rows) in (ROOT / "docs" / "results.md").read_text(
        encoding="utf-8"
    )

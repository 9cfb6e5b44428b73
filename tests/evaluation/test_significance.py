"""Differences between two results: p by hand, pairs kept, the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.cli import app
from phage.errors import PhageError
from phage.evaluation.results import Result
from phage.evaluation.scoring import TaskScore
from phage.evaluation.significance import compare_results
from phage.evaluation.tasks import Kind

MEASURES = ("ndcg@100", "in_ndcg@100")


def retrieved(values, within=None, queries=None):
    """A retrieval score with a value per query, and one per query that has an IN document."""
    values = np.array(values, dtype=float)
    inside = np.array(values if within is None else within, dtype=float)
    runs = {"ndcg@100": (float(values.mean()),), "in_ndcg@100": (float(np.nanmean(inside)),)}
    asked = np.arange(len(values)) if queries is None else np.array(queries)
    samples = {"query": asked, "ndcg@100": values, "in_ndcg@100": inside}
    return TaskScore("retrieval", Kind.RETRIEVAL, "test", runs, samples, {"queries": len(values)})


def saved(folder, model, *scores, data_set="uspto-week"):
    result = Result(model, data_set, {score.task: score.to_json() for score in scores})
    return result.save(folder, scores)


def found(one, other, draws=20_000):
    return {c.measure: c for c in compare_results([one], [other], draws)}


def test_p_is_that_of_all_possible_swaps(tmp_path):
    """Three queries, +3, +3, −1: of eight swaps those reach ±5 that turn none or all."""
    one = saved(tmp_path, "one", retrieved([0.5, 0.6, 0.1]))
    other = saved(tmp_path, "other", retrieved([0.2, 0.3, 0.2]))
    got = found(one, other)["ndcg@100"]
    assert got.difference.value == pytest.approx(0.5 / 3)
    # ±7 reaches it too: +3 +3 +1.
    assert got.difference.p == pytest.approx(4 / 8, abs=0.01)
    assert (got.one, got.other) == pytest.approx((0.4, 0.7 / 3))
    # Seen from the other side: the same p, the interval turned round.
    back = found(other, one)["ndcg@100"].difference
    assert back.p == got.difference.p
    assert (back.low, back.high) == pytest.approx((-got.difference.high, -got.difference.low))


def test_better_everywhere_by_little_is_sure_though_queries_differ_by_much(tmp_path):
    """The comparison is paired: what both models find hard does not blur it."""
    hard = np.linspace(0, 0.9, 40)
    one = saved(tmp_path, "one", retrieved(hard + 0.01))
    other = saved(tmp_path, "other", retrieved(hard))
    got = found(one, other, 2000)["ndcg@100"].difference
    assert got.p == pytest.approx(1 / 2001)  # the least that 2,000 draws can say
    assert got.low == pytest.approx(0.01)
    assert got.high == pytest.approx(0.01)
    same = saved(tmp_path, "same", retrieved(hard))
    assert found(other, same, 2000)["ndcg@100"].difference.p == 1


def test_queries_without_in_documents_do_not_count_for_in(tmp_path):
    """Of four queries two have IN documents; the mean is over those two, in every draw."""
    nothing = np.nan
    one = saved(tmp_path, "one", retrieved([1, 1, 1, 1], [0.5, nothing, 0.7, nothing]))
    other = saved(tmp_path, "other", retrieved([0, 0, 0, 0], [0.4, nothing, 0.6, nothing]))
    got = found(one, other)["in_ndcg@100"].difference
    assert got.value == pytest.approx(0.1)
    assert got.high == pytest.approx(0.1)
    # In two of four swaps both queries stay on one side.
    assert got.p == pytest.approx(2 / 4, abs=0.02)


def test_classes_and_clusters_are_compared(tmp_path):
    """A label oracle against one that errs on half: sure; tasks that one lacks are passed over."""
    truth = np.repeat([0, 1, 2, 3], 20)
    wrong = np.where(np.arange(80) % 2, truth, (truth + 1) % 4)

    def scores(guess):
        ones = {"micro_f1": (float((guess == truth).mean()),)}
        return (
            TaskScore(
                "classification", Kind.CLASSIFICATION, "test", ones,
                {"truth": truth, "predicted": guess[None]}, {"test": 80},
            ),
            TaskScore(
                "clustering", Kind.CLUSTERING, "test", {"nmi": (1.0,)},
                {"truth": truth, "clusters": guess[None]}, {"documents": 80},
            ),
        )  # fmt: skip

    oracle = saved(tmp_path, "oracle", *scores(truth), retrieved([1, 1]))
    half = saved(tmp_path, "half", *scores(wrong))
    got = {(c.task, c.measure): c for c in compare_results([oracle], [half])}
    assert set(got) == {("classification", "micro_f1"), ("clustering", "nmi")}
    apart = got["classification", "micro_f1"].difference
    assert apart.value == pytest.approx(0.5)
    assert apart.low > 0.35
    assert apart.sure


def test_an_interval_of_clusterings_lies_around_the_difference(tmp_path):
    from phage.evaluation.clustering import agreement

    random = np.random.default_rng(0)
    truth = np.repeat(np.arange(60), 4)
    paths = []
    for name, right in (("one", 0.7), ("other", 0.4)):
        guess = np.where(random.random(240) < right, truth, random.integers(0, 60, 240))
        values = {k: (v,) for k, v in agreement(truth, guess).items()}
        samples = {"truth": truth, "clusters": guess[None].astype(np.int32)}
        paths.append(
            saved(tmp_path, name, TaskScore("c", Kind.CLUSTERING, "test", values, samples, {}))
        )
    for measure, got in found(*paths, 2000).items():
        apart = got.difference
        assert (apart.low + apart.high) / 2 == pytest.approx(apart.value, abs=0.01), measure
        assert apart.sure


def test_seeds_count_too(tmp_path):
    """Two seeds that disagree make a difference unsure that either alone would show."""
    base = np.linspace(0, 1, 50)
    better = [
        saved(tmp_path / str(n), "one", retrieved(base + d)) for n, d in ((1, 0.2), (2, -0.1))
    ]
    plain = [saved(tmp_path / str(n), "other", retrieved(base)) for n in (1, 2)]
    (whole, _) = compare_results(better, plain)
    assert whole.difference.value == pytest.approx(0.05)
    assert not whole.difference.sure
    assert compare_results(better[:1], plain[:1])[0].difference.sure


def test_what_cannot_be_compared_is_refused(tmp_path):
    one = saved(tmp_path, "one", retrieved([0.1, 0.2]))
    with pytest.raises(PhageError, match="not scored on the same documents"):
        found(one, saved(tmp_path, "moved", retrieved([0.1, 0.2], queries=[0, 2])))
    with pytest.raises(PhageError, match="different data sets"):
        found(one, saved(tmp_path, "far", retrieved([0.1, 0.2]), data_set="dapfam"))
    bare = Result("bare", "uspto-week", {}).save(tmp_path)
    with pytest.raises(PhageError, match="samples of this result are missing") as caught:
        found(one, bare)
    assert "bare.samples.npz" in str(caught.value)


def test_the_command(tmp_path):
    saved(tmp_path, "BM25", retrieved([0.2, 0.3, 0.2] * 4))
    saved(tmp_path, "Mine (new)", retrieved([0.5, 0.6, 0.4] * 4))
    Result("without samples", "uspto-week", {}).save(tmp_path)
    run = CliRunner().invoke
    done = run(app, ["report", str(tmp_path), "--against", "bm25", "--json"])
    assert done.exit_code == 0, done.output
    (table,) = json.loads(done.stdout)
    assert table["rows"] == [
        ["Mine (new)", "retrieval", "ndcg@100", "0.500", "0.233", "+0.267", "[+0.238, +0.296]",
         "< 0.001"],
    ]  # fmt: skip
    assert "paired randomisation test, 10,000 draws" in table["caption"]
    done = run(app, ["report", str(tmp_path), "--against", "nobody"])
    assert "no result of 'nobody'" in str(done.exception)
    assert "BM25" in done.exception.remedy

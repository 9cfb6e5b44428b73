"""The fast redrawn measures equal the library's, and chance is told from difference."""

from __future__ import annotations

import numpy as np
import pytest

from phage.evaluation import classification, clustering
from phage.evaluation.bootstrap import compare, redraw
from phage.evaluation.tasks import Kind


def drawn_rows(task, count, draws):
    """The documents behind each draw, from the same stream of chance."""
    import zlib

    random = np.random.default_rng(zlib.crc32(task.encode()))
    weights = random.multinomial(count, np.full(count, 1 / count), size=draws)
    return [np.repeat(np.arange(count), row) for row in weights]


def test_f1_of_every_draw_equals_scikit_learn():
    random = np.random.default_rng(0)
    truth = random.integers(0, 7, 80)
    predicted = np.where(random.random((3, 80)) < 0.6, truth, random.integers(0, 9, (3, 80)))
    got = redraw(Kind.CLASSIFICATION, "t", [{"truth": truth, "predicted": predicted}], draws=20)
    for place, rows in enumerate(drawn_rows("t", 80, 20)):
        scores = [classification.f1(truth[rows], one[rows]) for one in predicted]
        for name in ("micro_f1", "macro_f1"):
            assert got[name][0, place] == pytest.approx(np.mean([s[name] for s in scores]))


def test_multi_label_f1_of_every_draw():
    random = np.random.default_rng(1)
    truth = (random.random((60, 5)) < 0.3).astype(int)
    predicted = np.where(random.random((2, 60, 5)) < 0.8, truth, 1 - truth)
    got = redraw(Kind.CLASSIFICATION, "m", [{"truth": truth, "predicted": predicted}], draws=10)
    for place, rows in enumerate(drawn_rows("m", 60, 10)):
        micro = np.mean([classification.f1(truth[rows], p[rows])["micro_f1"] for p in predicted])
        assert got["micro_f1"][0, place] == pytest.approx(micro)


def test_clustering_of_every_draw_equals_scikit_learn():
    random = np.random.default_rng(2)
    truth, clusters = random.integers(0, 6, 70), random.integers(0, 6, (2, 70))
    got = redraw(Kind.CLUSTERING, "c", [{"truth": truth, "clusters": clusters}], draws=15)
    for place, rows in enumerate(drawn_rows("c", 70, 15)):
        values = [clustering.agreement(truth[rows], one[rows]) for one in clusters]
        for name in ("nmi", "homogeneity", "completeness"):
            mean = np.mean([value[name] for value in values])
            assert got[name][0, place] == pytest.approx(mean)


def test_a_real_difference_is_seen_and_chance_is_not():
    random = np.random.default_rng(3)
    base = random.random(200)

    def seeds(shift):
        return [
            {"query": np.arange(200), "ndcg@100": base + shift + random.normal(0, 0.05, 200)}
            for _ in range(5)
        ]

    one, better, alike = (
        redraw(Kind.RETRIEVAL, "r", seeds(shift))["ndcg@100"] for shift in (0, 0.03, 0)
    )
    seen = compare("ndcg@100", better, one, (0.03, 0.0))
    assert seen.sure
    assert seen.low > 0
    assert not compare("ndcg@100", alike, one, (0.0, 0.0)).sure
    same = compare("ndcg@100", one, one, (0.0, 0.0))
    assert (same.p, same.low, same.high) == (1, 0, 0)


def test_false_alarms_are_about_as_rare_as_stated():
    """Two models without a difference: about one in twenty comparisons is called sure."""
    random = np.random.default_rng(4)
    alarms = 0
    for _ in range(200):
        pair = [
            redraw(
                Kind.RETRIEVAL, "r",
                [{"query": np.arange(60), "mrr": random.random(60)} for _ in range(1)],
                draws=300,
            )["mrr"]
            for _ in range(2)
        ]  # fmt: skip
        alarms += compare("mrr", pair[0], pair[1], (0, 0)).sure
    assert alarms <= 24

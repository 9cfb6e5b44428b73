"""Measures against hand-computed values and the reference libraries."""

from __future__ import annotations

import math

import numpy as np
import pytest

from phage.evaluation import classification, clustering, ranking


def test_ndcg_recall_mrr_by_hand():
    # Query 3 has three relevant documents; ranks 2 and 4 hold two of them.
    found = np.array([[9, 1, 8, 2, 7]])
    relevance = np.array([[3, 1], [3, 2], [3, 5], [4, 9]])
    got = ranking.measure(found, np.array([3]), relevance)
    dcg = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert got["ndcg@100"][0] == pytest.approx(dcg / ideal, abs=1e-12)
    assert got["recall@100"][0] == pytest.approx(2 / 3)
    assert got["mrr"][0] == 0.5


def test_more_relevant_than_ranks():
    """150 relevant documents: the ideal ranking fills all 100 ranks, recall cannot reach 1."""
    relevance = np.stack([np.zeros(150, int), np.arange(150)], axis=1)
    got = ranking.measure(np.arange(100)[None], np.array([0]), relevance)
    assert got["ndcg@100"][0] == pytest.approx(1)
    assert got["recall@100"][0] == pytest.approx(100 / 150)


def test_nothing_found_and_repeated_judgements():
    relevance = np.array([[0, 5], [0, 5]])  # judged twice, counted once
    got = ranking.measure(np.array([[1, 2]]), np.array([0]), relevance)
    assert [got[name][0] for name in ranking.MEASURES] == [0, 0, 0, 0, 0]
    got = ranking.measure(np.array([[5, 2]]), np.array([0]), relevance)
    assert got["recall@10"][0] == 1


@pytest.mark.parametrize("seed", range(5))
def test_ranking_equals_pytrec(seed):
    random = np.random.default_rng(seed)
    corpus, queries = 300, 40
    asked = np.sort(random.choice(60, queries, replace=False))
    found = np.stack([random.permutation(corpus)[:100] for _ in asked])
    relevance = np.array(
        [(q, d) for q in asked for d in random.choice(corpus, random.integers(1, 30), False)]
    )
    ours = ranking.measure(found, asked, relevance)
    trec = pytest.importorskip("pytrec_eval")
    qrels: dict[str, dict[str, int]] = {}
    for q, d in relevance:
        qrels.setdefault(str(q), {})[str(d)] = 1
    run = {
        str(q): {str(d): float(-rank) for rank, d in enumerate(rows)}
        for q, rows in zip(asked, found, strict=True)
    }
    third = trec.RelevanceEvaluator(qrels, {"ndcg_cut_100", "recall_100", "recip_rank"})
    values = third.evaluate(run)
    per_query = [values[str(q)] for q in asked]
    np.testing.assert_allclose(ours["ndcg@100"], [v["ndcg_cut_100"] for v in per_query])
    np.testing.assert_allclose(ours["recall@100"], [v["recall_100"] for v in per_query])
    np.testing.assert_allclose(ours["mrr"], [v["recip_rank"] for v in per_query])


def test_search_equals_plain_sorting(monkeypatch):
    random = np.random.default_rng(0)
    queries = random.normal(size=(17, 8)).astype("f4") * 3
    corpus = random.normal(size=(230, 8)).astype("f4")
    plain = (queries / np.linalg.norm(queries, axis=1)[:, None]) @ (
        corpus / np.linalg.norm(corpus, axis=1)[:, None]
    ).T
    rows, cosines = ranking.search(queries, corpus, 100)
    np.testing.assert_array_equal(rows, np.argsort(-plain, axis=1)[:, :100])
    np.testing.assert_allclose(cosines, -np.sort(-plain, axis=1)[:, :100], atol=1e-6)


def test_search_leaves_the_query_out_and_breaks_ties_in_order():
    same = np.ones((6, 3), dtype="f4")
    rows, _ = ranking.search(same[[4, 0]], same, 100, themselves=np.array([4, 0]))
    assert rows.tolist() == [[0, 1, 2, 3, 5], [1, 2, 3, 4, 5]]


def test_ties_at_the_last_rank_are_cut_in_corpus_order():
    """Five hundred equal documents, one better: the hundred are that one and the first 99."""
    corpus = np.tile(np.array([[1.0, 1.0]], dtype="f4"), (500, 1))
    corpus[321] = [1, 0]
    rows, _ = ranking.search(np.array([[1, 0], [1, 1]], dtype="f4"), corpus, 100)
    assert rows[0].tolist() == [321, *range(99)]
    assert rows[1].tolist() == list(range(100))


def test_f1_by_hand():
    # Class 0: tp 1, fp 1, fn 1 → 1/2. Class 1: tp 1, fp 1 → 2/3. Class 2: fn 1 → 0.
    got = classification.f1(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 0]))
    assert got["micro_f1"] == 0.5
    assert got["macro_f1"] == pytest.approx((1 / 2 + 2 / 3 + 0) / 3)


def test_multi_label_f1_by_hand_flat_and_expanded():
    classes = np.array(["A01B", "A01C", "H04L"])
    truth = np.array([[1, 0, 0], [0, 1, 1]])
    predicted = np.array([[0, 1, 0], [0, 1, 0]])
    flat = classification.f1(truth, predicted)
    assert flat["micro_f1"] == pytest.approx(2 * 1 / (3 + 2))  # tp 1 of 3 true, 2 predicted
    wide = [classification.expand(marks, classes)[0] for marks in (truth, predicted)]
    # Expanded: truth 3 + 6 marks; predicted 3 + 3 (A, A01, A01C twice); shared A, A01 | A, A01, A01C.
    assert classification.f1(*wide)["micro_f1"] == pytest.approx(2 * 5 / (9 + 6))


def test_clustering_by_hand():
    # Two classes of two, everything in one cluster: complete, not homogeneous.
    got = clustering.agreement(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]))
    assert (got["completeness"], got["homogeneity"], got["nmi"], got["ari"]) == (1, 0, 0, 0)
    # One point misplaced among four: H(class) = ln 2, MI by hand.
    got = clustering.agreement(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    mutual = (2 / 4) * math.log(4 / 3) + (1 / 4) * math.log(2 / 3) + (1 / 4) * math.log(2)
    cluster_entropy = -(3 / 4 * math.log(3 / 4) + 1 / 4 * math.log(1 / 4))
    assert got["homogeneity"] == pytest.approx(mutual / math.log(2))
    assert got["completeness"] == pytest.approx(mutual / cluster_entropy)
    assert got["nmi"] == pytest.approx(2 * mutual / (math.log(2) + cluster_entropy))


def test_probe_reaches_logistic_regression():
    """The torch probe is as good as scikit-learn's best regularised logistic regression."""
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(0)
    centres = random.normal(size=(12, 20))
    labels = random.integers(0, 12, 1500)
    x = (centres[labels] + 1.6 * random.normal(size=(1500, 20))).astype("f4")
    parts = [
        classification.Labelled(x[rows], labels[rows])
        for rows in (slice(0, 900), slice(900, 1100), slice(1100, 1500))
    ]
    ours = np.mean(
        [(classification.probe(*parts, seed=seed) == parts[2].labels).mean() for seed in range(2)]
    )
    best = max(
        LogisticRegression(C=c, max_iter=500)
        .fit(parts[0].vectors, parts[0].labels)
        .score(parts[2].vectors, parts[2].labels)
        for c in (0.01, 0.1, 1)
    )
    assert ours > best - 0.02


def test_probe_is_repeatable_and_runs_differ():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(300, 6)).astype("f4"), random.integers(0, 5, 300)
    parts = [classification.Labelled(x[a:b], y[a:b]) for a, b in ((0, 200), (200, 240), (240, 300))]
    first, again, other = (classification.probe(*parts, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()

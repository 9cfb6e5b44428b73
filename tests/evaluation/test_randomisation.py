"""The randomisation test: exact where all swaps can be counted, honest where they cannot."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from phage.errors import PhageError
from phage.evaluation import classification, clustering, influence
from phage.evaluation.randomisation import DRAWS, chances, judge
from phage.evaluation.tasks import Kind


def judged(kind, one, other, measure, draws=DRAWS):
    return judge(measure, [chances(kind, one, other, draws)[measure]])


def answered(truth, *runs):
    return {"truth": np.asarray(truth), "predicted": np.stack(runs)}


def queried(values):
    values = np.asarray(values, dtype=float)
    return {"query": np.arange(len(values)), "ndcg@100": values}


def f1_apart(truth, one, other, name):
    return classification.f1(truth, one)[name] - classification.f1(truth, other)[name]


def exact_p(apart, count):
    """The share of all 2^N swaps that reach the difference itself."""
    values = [apart(np.array(swap)) for swap in product((False, True), repeat=count)]
    return np.mean(np.abs(values) >= abs(values[0]) - 1e-12)


def test_one_document_of_56_is_no_difference():
    """The bootstrap used before gave p = .001 here."""
    truth = np.arange(56) % 28
    one = truth.copy()
    other = truth.copy()
    other[0] = 5
    for name in ("micro_f1", "macro_f1"):
        got = judged(Kind.CLASSIFICATION, [answered(truth, one)], [answered(truth, other)], name)
        assert got.value > 0
        assert got.p == 1
        assert got.low < 0 < got.high


@pytest.mark.parametrize("name", ["micro_f1", "macro_f1"])
def test_p_of_f1_is_that_of_all_swaps(name):
    truth = np.array([0, 0, 0, 1, 1, 2, 2, 3, 4, 5])
    one = np.array([0, 0, 0, 1, 1, 2, 2, 3, 0, 5])
    other = np.array([0, 1, 2, 1, 0, 2, 3, 3, 0, 1])

    def apart(swap):
        return f1_apart(truth, np.where(swap, other, one), np.where(swap, one, other), name)

    got = judged(Kind.CLASSIFICATION, [answered(truth, one)], [answered(truth, other)], name)
    assert got.value == pytest.approx(apart(np.zeros(10, bool)))
    assert got.p == pytest.approx(exact_p(apart, 10), abs=0.015)
    assert 0.02 < got.p < 0.5  # the case can tell right from wrong


def test_p_of_several_labels_is_that_of_all_swaps():
    random = np.random.default_rng(1)
    truth = (random.random((9, 4)) < 0.4).astype(int)
    one = np.where(random.random((9, 4)) < 0.9, truth, 1 - truth)
    other = np.where(random.random((9, 4)) < 0.6, truth, 1 - truth)

    def apart(swap):
        swap = swap[:, None]
        return f1_apart(
            truth, np.where(swap, other, one), np.where(swap, one, other), "macro_f1"
        )  # fmt: skip

    sides = [answered(truth, one)], [answered(truth, other)]
    got = judged(Kind.CLASSIFICATION, *sides, "macro_f1")
    assert got.value == pytest.approx(apart(np.zeros(9, bool)))
    assert got.p == pytest.approx(exact_p(apart, 9), abs=0.015)
    assert 0.001 < got.p < 0.5


def test_runs_are_swapped_together():
    """All runs of a document change sides at once; without a difference of runs p is exact."""
    truth = np.arange(12) % 4
    other = np.where(np.arange(12) < 5, (truth + 1) % 4, truth)
    single = judged(Kind.CLASSIFICATION, [answered(truth, truth)], [answered(truth, other)],
                    "macro_f1")  # fmt: skip
    thrice = judged(Kind.CLASSIFICATION, [answered(truth, *[truth] * 3)],
                    [answered(truth, *[other] * 3)], "macro_f1")  # fmt: skip
    assert thrice == single
    unequal = judged(Kind.CLASSIFICATION, [answered(truth, *[truth] * 3)],
                     [answered(truth, *[other] * 2)], "macro_f1")  # fmt: skip
    assert unequal.p == single.p


@pytest.mark.parametrize("kind", list(Kind))
def test_symmetric_and_one_for_the_same_model(kind):
    random = np.random.default_rng(2)
    truth = random.integers(0, 6, 60)

    def seed():
        guess = np.where(random.random((2, 60)) < 0.6, truth, random.integers(0, 6, (2, 60)))
        return {
            Kind.CLASSIFICATION: {"truth": truth, "predicted": guess},
            Kind.CLUSTERING: {"truth": truth, "clusters": guess},
            Kind.RETRIEVAL: queried(random.random(60)),
        }[kind]

    one, other = [seed() for _ in range(3)], [seed() for _ in range(3)]
    there, back = chances(kind, one, other, 2000), chances(kind, other, one, 2000)
    for name in there:
        got, turned = judge(name, [there[name]]), judge(name, [back[name]])
        assert got.p == turned.p
        assert (got.value, got.low, got.high) == pytest.approx(
            (-turned.value, -turned.high, -turned.low)
        )
    for name, same in chances(kind, one, one, 200).items():
        got = judge(name, [same])
        assert (got.p, got.value, got.low, got.high) == (1, 0, 0, 0)


def test_a_clear_difference_is_sure_with_one_seed_and_with_five():
    random = np.random.default_rng(3)
    truth = random.integers(0, 20, 300)

    def seeds(name, right, count):
        shape = (count, 5, 300)
        made = np.where(random.random(shape) < right, truth, random.integers(0, 20, shape))
        return [{"truth": truth, name: runs} for runs in made]

    for kind, name in ((Kind.CLASSIFICATION, "predicted"), (Kind.CLUSTERING, "clusters")):
        for count in (1, 5):
            found = chances(kind, seeds(name, 0.8, count), seeds(name, 0.5, count), 1000)
            for measure, chance in found.items():
                got = judge(measure, [chance])
                assert got.sure
                assert 0 < got.low < got.value < got.high


def test_seeds_that_disagree_make_a_difference_unsure():
    """Every seed alone shows a difference, but not to one side: the recipe is not better."""
    base = np.linspace(0, 1, 50)
    better = [queried(base + shift) for shift in (0.2, -0.1, 0.15, -0.05, 0.1)]
    plain = [queried(base)] * 5
    got = judged(Kind.RETRIEVAL, better, plain, "ndcg@100")
    assert got.value == pytest.approx(0.06)
    assert got.p > 0.2
    assert got.low < 0 < got.high
    # Seeds that agree are as sure as one.
    agreed = judged(Kind.RETRIEVAL, [queried(base + 0.06)] * 5, plain, "ndcg@100")
    assert agreed == judged(Kind.RETRIEVAL, [queried(base + 0.06)], plain[:1], "ndcg@100")
    # A model without seeds of its own is compared as it is.
    assert judged(Kind.RETRIEVAL, better, plain[:1], "ndcg@100").p > 0.2


def test_influences_are_the_values_without_each_document():
    random = np.random.default_rng(4)
    truth = random.integers(0, 9, 30)
    guess = np.where(random.random(30) < 0.5, truth, random.integers(0, 11, 30))
    marks = (random.random((30, 5)) < 0.3).astype(int)
    given = np.where(random.random((30, 5)) < 0.8, marks, 1 - marks)
    cases = [
        (Kind.CLASSIFICATION, answered(truth, guess), classification.f1, (truth, guess)),
        (Kind.CLASSIFICATION, answered(marks, given), classification.f1, (marks, given)),
        (Kind.CLUSTERING, {"truth": truth, "clusters": guess[None]}, clustering.agreement,
         (truth, guess)),
    ]  # fmt: skip
    for kind, samples, score, pair in cases:
        for name, got in influence.measure(kind, [samples]).items():
            assert got.values[0] == pytest.approx(score(*pair)[name])
            left = [score(*(np.delete(x, i, axis=0) for x in pair))[name] for i in range(30)]
            expected = np.sqrt(29 / 30) * (np.mean(left) - np.array(left))
            assert got.leans[0] == pytest.approx(expected, abs=1e-12), name


def test_tasks_that_ask_the_same_questions_are_swapped_alike():
    """Two settings of one task are not a second witness: their mean has the p of each."""
    random = np.random.default_rng(5)
    one, other = queried(random.random(40) + 0.1), queried(random.random(40))
    found = chances(Kind.RETRIEVAL, [one], [other])["ndcg@100"]
    assert judge("ndcg@100", [found, found]) == judge("ndcg@100", [found])
    again = chances(Kind.RETRIEVAL, [one], [other])["ndcg@100"]
    assert np.array_equal(found.swapped, again.swapped)


def test_other_documents_are_refused():
    one, other = queried([0.1, 0.2]), {**queried([0.1, 0.2]), "query": np.array([0, 2])}
    with pytest.raises(PhageError, match="not scored on the same documents"):
        chances(Kind.RETRIEVAL, [one], [other])


@pytest.mark.parametrize("seeds", [1, 5])
def test_false_alarms_are_as_rare_as_stated(seeds):
    """Models that are alike, long-tailed classes: results/significance.json has the large run."""
    random = np.random.default_rng(6)
    shares = np.arange(1, 61) ** -1.1
    alarms = 0
    for _ in range(200):
        truth = random.choice(60, 150, p=shares / shares.sum())
        hard = random.normal(size=150)
        sides = []
        for _ in range(2):
            own = hard + random.normal(0, 0.4, 150)
            luck = [random.normal(0, 0.15) + random.normal(0, 0.3, 150) for _ in range(seeds)]
            wrong = random.integers(0, 60, 150)
            sides.append([
                answered(truth, np.where(own + (seeds > 1) * each > 0, truth, wrong))
                for each in luck
            ])  # fmt: skip
        alarms += judged(Kind.CLASSIFICATION, *sides, "macro_f1", 199).sure
    assert 1 <= alarms <= 20

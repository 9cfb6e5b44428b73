"""Claims to claims: questions without a reference, ranks worked out by hand, a run to the page."""

import json
import lzma
import runpy
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from phage.claims import Claim, Patent, write
from phage.evaluation.results import load_result, load_samples
from phage.invented import invent

FOLDER = Path(__file__).parents[2] / "experiments" / "controls"
PUMP = (
    "A pump with a shaft.", "The pump of claim 1, wherein the shaft is steel.",
    "A pump as claimed in claim 2 wherein the steel is coupled.", "The pump of claim 1 or 2, with a wheel.",
    "A method of making the pump of claim 1.", "The pump of claim 1, and of claim 2.",
)  # fmt: skip


@pytest.fixture(scope="module")
def questions():
    return runpy.run_path(str(FOLDER / "claim_questions.py"))


@pytest.fixture(scope="module")
def claims():
    before = list(sys.path)
    yield runpy.run_path(str(FOLDER / "claims.py"))
    sys.path[:] = before


@pytest.fixture
def data(questions):
    """Three patents: five claims in a chain and a branch, one claim, two claims."""
    return questions["Questions"](
        ["US1", "US2", "US3"],
        [["a pump", "the pump", "a shaft", "the shaft", "steel"], ["a pump"], ["a pump", "steel"]],
        np.array([-1, 0, 1, 2, 0, -1, -1, -1]),
        np.array([1, 0, 0, 0, 0, 1, 1, 0]),
        np.array([[0, 1], [1, 0]]),
        np.array([[0, 2]]),
        {},
    )


def test_no_reference_is_left_and_only_sure_parents_are_asked_for(questions):
    patent = Patent("US1A", tuple(Claim(n, text) for n, text in enumerate(PUMP, 1)))
    texts, parents, independent = questions["spell"](patent)
    assert texts[1:4] == [
        "The pump, wherein the shaft is steel.",
        "A pump wherein the steel is coupled.",
        "The pump, with a wheel.",
    ]
    assert parents == [-1, 0, 1, -1, -1, -1]
    assert independent == [True, False, False, False, True, False]


def test_the_chosen_patents_keep_their_pairs(questions, tmp_path):
    path = tmp_path / "week.jsonl"
    write([invention.patent for invention in invent(300, seed=5)], path)
    made = questions["choose"]("uspto-week", path, 40)
    sizes = [len(texts) for texts in made["claims"]]
    assert len(made["parents"]) == len(made["independent"]) == sum(sizes)
    assert made["relevance"] and np.max(made["relevance"]) < len(sizes)
    starts = np.cumsum([0, *sizes])
    owners = np.repeat(np.arange(len(sizes)), sizes)
    asked = [(row, parent) for row, parent in enumerate(made["parents"]) if parent >= 0]
    assert asked and all(owners[row] == owners[parent] for row, parent in asked)
    assert all(sizes[owners[row]] >= 5 and starts[owners[row]] <= parent for row, parent in asked)


def test_parents_are_ranked_among_the_claims_of_their_patent(claims, data):
    table = np.zeros((8, 8))
    table[1, [0, 2]] = 0.5  # two are equally near: rank one and a half
    table[2, 1], table[3, 1], table[3, 2] = 0.9, 0.8, 0.7
    table[4, 6] = 1.0  # of another patent
    found = claims["find_parents"](data, lambda a, b: table[np.ix_(a, b)])
    assert found["query"].tolist() == [0]
    ranks = [1 / 1.5, 1, 1 / 2, 1 / 2.5]  # the last one knows nothing
    assert found["mrr"][0] == pytest.approx(np.mean(ranks))
    assert found["hit@1"][0] == pytest.approx(1 / 4)
    assert found["mrr_later"][0] == pytest.approx(np.mean(ranks[1:3]))
    assert found["mrr_deep"][0] == pytest.approx(np.mean(ranks[1:3]))


def test_rules_rank_by_place_alone(claims, data):
    rows = np.array([3])
    order = {name: np.argsort(-claims["rule"](name, data)(rows, np.arange(5))[0])
             for name in claims["ORDERS"]}  # fmt: skip
    assert order["claim-1"].tolist() == [0, 1, 2, 3, 4]
    assert order["nearest"].tolist() == [2, 1, 0, 3, 4]
    assert order["independent"].tolist() == [0, 2, 1, 3, 4]


def test_patents_stand_where_their_best_claim_stands(claims, data):
    table = np.zeros((8, 8))
    table[0, 5], table[0, 6] = 0.4, 0.9  # the third patent would come first, but is left out
    table[5, [3, 7]] = 0.2, 0.6
    found = claims["find_patents"](data, lambda a, b: table[np.ix_(a, b)])
    assert found["query"].tolist() == [0, 1]
    assert found["ndcg@100"] == pytest.approx([1, 1 / np.log2(3)])


def test_what_is_measured_reaches_the_table(claims, data, tiny, tmp_path):
    one = {name: getattr(data, name) for name in data.__dataclass_fields__}
    plain = {n: v.tolist() if isinstance(v, np.ndarray) else v for n, v in one.items()}
    with lzma.open(tmp_path / "claims.json.xz", "wt") as out:
        json.dump({"sets": {"week": plain}}, out)
    models = [f"{row}/minilm/{seed}={tiny}" for row in ("ours", "ours-rewired") for seed in (1, 2)]
    options = Namespace(
        inputs=tmp_path / "claims.json.xz", output=tmp_path, models=[*models, "chance", "nearest"],
        pooling="mean", plan=FOLDER / "plan.toml",
    )  # fmt: skip
    claims["measure"](options)
    place = tmp_path / "claim-vectors" / "ours-minilm-1.json"
    result, samples = load_result(place), load_samples(place.with_suffix(".samples.npz"))
    assert set(result.tasks) == {
        f"week/{what}/{how}" for what in ("parents", "patents") for how in ("context", "alone")
    }
    assert result.provenance["weights"]
    assert (
        0
        < result.mean("week/parents/alone", "mrr")
        == pytest.approx(samples["week/parents/alone"]["mrr"].mean())
    )
    claims["table"](options)
    made = json.loads((tmp_path / "claim-vectors" / "table.json").read_text())["table"]
    cell = made["ours-rewired/minilm"]["week/patents/context/ndcg@100"]
    assert cell["seeds"] == 2 and cell["against"]["ours/minilm"]["value"] == 0
    assert set(made["nearest"]) < set(made["ours/minilm"])

"""The three tasks end to end on vectors whose scores are known."""

from __future__ import annotations

import numpy as np
import pytest

from phage.errors import PhageError
from phage.evaluation import (
    Classification,
    Clustering,
    Retrieval,
    TaskData,
    evaluate_vectors,
    score_vectors,
)
from phage.evaluation.tasks import Domain, Part
from phage.evaluation.vectors import is_vectors, load_vectors, save_vectors

DOCUMENTS, CLASSES = 600, 10


@pytest.fixture(scope="module")
def labels():
    return np.random.default_rng(0).integers(0, CLASSES, DOCUMENTS)


@pytest.fixture(scope="module")
def data(labels):
    random = np.random.default_rng(1)
    split = random.choice([0, 1, 2], DOCUMENTS, p=[0.6, 0.1, 0.3]).astype(np.int8)
    # Pairs (2i, 2i + 1) are relevant to each other.
    pairs = np.array([(row, row ^ 1) for row in range(0, DOCUMENTS, 3)])
    domain = np.where(np.arange(len(pairs)) % 3, Domain.IN, Domain.OUT).astype(np.int8)
    marks = np.stack([np.arange(DOCUMENTS), labels], axis=1)
    names = np.array([f"A{n:02}B" for n in range(CLASSES)])
    rows = np.flatnonzero(split == 2)
    return TaskData(
        "made",
        {"patents": np.array([f"US{n}" for n in range(DOCUMENTS)])},
        (
            Classification("classification", "patents", names, marks, split),
            Retrieval("retrieval", "patents", "patents", pairs, domain),
            Clustering("clustering", "patents", rows, labels[rows]),
            Clustering("held", "patents", rows[:50], labels[rows[:50]], Part.VALIDATION),
        ),
        {"split": "made"},
    )


def test_a_random_encoder_scores_at_chance(data):
    vectors = np.random.default_rng(2).normal(size=(DOCUMENTS, 32)).astype("f4")
    got = evaluate_vectors(vectors, data, runs=2)
    mean = lambda task, name: got[task]["measures"][name]["mean"]
    assert mean("classification", "micro_f1") == pytest.approx(1 / CLASSES, abs=0.05)
    assert mean("retrieval", "recall@100") == pytest.approx(100 / (DOCUMENTS - 1), abs=0.08)
    assert mean("retrieval", "mrr") < 0.05
    assert mean("clustering", "ami") == pytest.approx(0, abs=0.03)
    assert mean("clustering", "ari") == pytest.approx(0, abs=0.03)


def test_a_label_oracle_scores_one(data, labels):
    labelled = np.eye(CLASSES, dtype="f4")[labels]
    paired = np.eye(DOCUMENTS // 2, dtype="f4")[np.arange(DOCUMENTS) // 2]
    got = evaluate_vectors(labelled, data, runs=2)
    for task in ("classification", "clustering"):
        for measure in got[task]["measures"].values():
            assert measure["mean"] == pytest.approx(1)
    got = evaluate_vectors(paired, data.choose(names=["retrieval"]))
    for name, measure in got["retrieval"]["measures"].items():
        assert measure["mean"] == pytest.approx(1), name


def test_in_and_out_filter_the_relevance_lists_alone():
    """A query with one IN and one OUT document: for OUT, the IN hit stays in the ranking."""
    pairs = np.array([[0, 1], [0, 2]])
    task = Retrieval("r", "q", "c", pairs, np.array([Domain.IN, Domain.OUT], dtype=np.int8))
    data = TaskData("made", {"q": np.array(["Q"]), "c": np.array(["a", "b", "c"])}, (task,))
    corpus = np.array([[0, 1], [1, 0], [1, 0.5]], dtype="f4")
    got = evaluate_vectors({"q": np.array([[1, 0]], dtype="f4"), "c": corpus}, data)["r"]
    values = {name: measure["mean"] for name, measure in got["measures"].items()}
    assert (values["mrr"], values["in_mrr"], values["out_mrr"]) == (1, 1, 0.5)
    assert got["counts"]["in_queries"] == got["counts"]["out_queries"] == 1


def test_tasks_survive_a_file(data, tmp_path):
    data.save(tmp_path / "tasks.npz")
    again = TaskData.load(tmp_path / "tasks.npz")
    assert again.data_set == data.data_set
    assert again.notes == data.notes
    vectors = np.random.default_rng(3).normal(size=(DOCUMENTS, 16)).astype("f4")
    assert evaluate_vectors(vectors, again, runs=2) == evaluate_vectors(vectors, data, runs=2)


def test_parts_are_kept_apart(data):
    assert [task.name for task in data.choose().tasks] == [
        "classification", "retrieval", "clustering",
    ]  # fmt: skip
    assert [task.name for task in data.choose([Part.VALIDATION]).tasks] == ["held"]
    with pytest.raises(PhageError, match="no task 'nothing'"):
        data.choose(names=["nothing"])


def test_samples_are_enough_to_score_again(data):
    from phage.evaluation import classification, clustering

    vectors = np.random.default_rng(4).normal(size=(DOCUMENTS, 16)).astype("f4")
    scores = {score.task: score for score in score_vectors(vectors, data.choose(), runs=2)}
    probe = scores["classification"]
    again = classification.f1(probe.samples["truth"], probe.samples["predicted"][1])
    assert again["macro_f1"] == probe.runs["macro_f1"][1]
    groups = scores["clustering"]
    again = clustering.agreement(groups.samples["truth"], groups.samples["clusters"][0])
    assert again["nmi"] == groups.runs["nmi"][0]
    ranked = scores["retrieval"]
    assert ranked.samples["ndcg@100"].mean() == pytest.approx(ranked.runs["ndcg@100"][0])


@pytest.mark.parametrize(
    ("vectors", "words"),
    [
        (np.zeros((3, 4), dtype="f4"), "shape"),
        (np.full((DOCUMENTS, 4), np.nan, dtype="f4"), "finite"),
        ({"others": np.zeros((DOCUMENTS, 4), dtype="f4")}, "no vectors for 'patents'"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(data, vectors, words):
    with pytest.raises(PhageError, match=words):
        evaluate_vectors(vectors, data)


def test_vectors_from_files_are_brought_into_order(data, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    vectors = np.random.default_rng(5).normal(size=(DOCUMENTS, 4)).astype("f4")
    ids = data.ids["patents"]
    order = np.random.default_rng(6).permutation(DOCUMENTS)
    save_vectors(tmp_path / "own.npz", {"patents": vectors}, data)
    np.savez(tmp_path / "plain.npz", ids=ids[order], vectors=vectors[order])
    np.save(tmp_path / "rows.npy", vectors)
    table = pa.table({"number": ids[order].tolist(), "vector": vectors[order].tolist()})
    pq.write_table(table, tmp_path / "table.parquet")
    (tmp_path / "shards").mkdir()
    pq.write_table(table.slice(0, 400), tmp_path / "shards/a.parquet")
    pq.write_table(table.slice(400), tmp_path / "shards/b.parquet")
    for name in ("own.npz", "plain.npz", "rows.npy", "table.parquet", "shards"):
        assert is_vectors(str(tmp_path / name))
        got = load_vectors(tmp_path / name, data)["patents"]
        np.testing.assert_allclose(got, vectors, err_msg=name)
    np.savez(tmp_path / "short.npz", ids=ids[:-2], vectors=vectors[:-2])
    with pytest.raises(PhageError, match="2 of 600 documents have no vector"):
        load_vectors(tmp_path / "short.npz", data)
    (tmp_path / "broken.npz").write_bytes(b"PK nothing")
    with pytest.raises(PhageError, match="not a file of arrays"):
        load_vectors(tmp_path / "broken.npz", data)


def test_the_core_needs_neither_readers_nor_libraries_of_the_command_line():
    """The prepared file and scoring run where lxml, pyarrow, rich and ir-measures are absent."""
    import subprocess
    import sys

    code = """
import importlib.abc, sys
ABSENT = {"lxml", "pyarrow", "rich", "typer", "ir_measures", "transformers", "lancedb", "docx"}
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ABSENT:
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Absent())
import numpy as np
from phage.evaluation import Clustering, TaskData, evaluate_vectors
task = Clustering("c", "v", np.arange(4), np.array([0, 0, 1, 1]))
data = TaskData("d", {"v": np.array(list("abcd"))}, (task,))
print(evaluate_vectors(np.eye(2, dtype="f4")[[0, 0, 1, 1]], data)["c"]["measures"]["nmi"]["mean"])
"""
    path = [entry for entry in sys.path if entry]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == ["1.0"], done.stderr

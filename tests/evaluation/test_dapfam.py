"""DAPFAM and mteb's own tasks on small files of the exact layout."""

from __future__ import annotations

import json
import random

import pytest
from typer.testing import CliRunner

from phage.cli import app
from phage.errors import PhageError
from phage.evaluation import evaluate_vectors
from phage.evaluation.datasets import dapfam
from plain import WORDS, Bag, bag, plain_ndcg, words


@pytest.fixture(scope="module")
def dapfam_folder(tmp_path_factory):
    """DAPFAM's three files: its columns, explicit negatives, IN and OUT, empty fields."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder, rng = tmp_path_factory.mktemp("dapfam"), random.Random(1)

    def text_fields():
        return {
            "title_en": words(rng, 4), "abstract_en": rng.choice([words(rng, 25), words(rng, 9)]),
            "claims_text": rng.choice([words(rng, 40), None]), "description_en": words(rng, 80),
        }  # fmt: skip

    corpus = [{"relevant_id": f"{n:03}-{n * 7}", **text_fields()} for n in range(130)]
    queries = [
        {"query_id": f"q{n}", **text_fields(), "abstract_keywords": "a; b"} for n in range(12)
    ]
    relations = [
        {
            "query_id": f"q{n}", "relevant_id": corpus[place]["relevant_id"],
            "relevance_score": float(rng.random() < 0.5),
            "domain_rel": "IN" if rng.random() < 0.7 else "OUT",
        }
        for n in range(12)
        for place in rng.sample(range(130), 14)
    ]  # fmt: skip
    for name, rows in (("corpus", corpus), ("queries", queries), ("qrels_all", relations)):
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return folder, corpus, queries, relations


def test_dapfam_equals_a_plain_implementation(dapfam_folder):
    folder, corpus, _, relations = dapfam_folder
    benchmark = dapfam.read(folder)
    assert [task.name for task in benchmark.tasks.tasks] == [
        "ta-ta", "ta-tac", "ta-full", "tac-ta", "tac-tac", "tac-full", "claims-claims",
    ]  # fmt: skip
    vectors = {view: bag(benchmark.texts(view)) for view in benchmark.tasks.ids}
    got = evaluate_vectors(vectors, benchmark.tasks, runs=1)
    place = {row["relevant_id"]: n for n, row in enumerate(corpus)}
    for domain, prefix in ((None, ""), ("IN", "in_"), ("OUT", "out_")):
        relevant: dict[int, set[int]] = {}
        for row in relations:
            if row["relevance_score"] > 0 and domain in (None, row["domain_rel"]):
                relevant.setdefault(int(row["query_id"][1:]), set()).add(place[row["relevant_id"]])
        for asked, found in dapfam.SETTINGS:
            ndcg, recall = plain_ndcg(
                vectors[f"queries/{asked}"], vectors[f"corpus/{found}"], relevant
            )
            measures = got[f"{asked}-{found}"]["measures"]
            assert measures[f"{prefix}ndcg@100"]["mean"] == pytest.approx(ndcg, abs=1e-6)
            assert measures[f"{prefix}recall@100"]["mean"] == pytest.approx(recall, abs=1e-6)
    assert benchmark.tasks.notes["relevant"] == sum(r["relevance_score"] > 0 for r in relations)


def test_dapfam_texts_are_joined_as_mteb_does(dapfam_folder):
    folder, corpus, queries, _ = dapfam_folder
    benchmark = dapfam.read(folder)
    row = next(n for n, document in enumerate(corpus) if document["claims_text"])
    document = corpus[row]
    assert benchmark.texts("corpus/tac")[row] == (
        f"{document['title_en']} {document['abstract_en']}\n{document['claims_text']}"
    )
    assert benchmark.texts("queries/ta")[3] == (
        f"{queries[3]['title_en']}\n{queries[3]['abstract_en']}"
    )


@pytest.mark.slow
def test_mteb_runs_its_own_dapfam_class_and_agrees(dapfam_folder):
    """A real mteb task class on the local files gives our scores."""
    pytest.importorskip("mteb")
    from phage.evaluation.public import run_mteb

    folder = dapfam_folder[0]
    benchmark = dapfam.read(folder)
    vectors = {view: bag(benchmark.texts(view)) for view in benchmark.tasks.ids}
    ours = evaluate_vectors(vectors, benchmark.tasks, runs=1)
    names = {
        "DAPFAMAllTitlAbsToTitlAbsClmRetrieval": ("ta-tac", "ndcg@100"),
        "DAPFAMInTitlAbsClmToTitlAbsRetrieval": ("tac-ta", "in_ndcg@100"),
        "DAPFAMOutTitlAbsClmToFullTextRetrieval": ("tac-full", "out_ndcg@100"),
    }
    result = run_mteb(Bag(), "bag", list(names), folder)
    for task, (setting, measure) in names.items():
        theirs = result.mean(task, "ndcg_at_100")
        assert theirs == pytest.approx(ours[setting]["measures"][measure]["mean"], abs=1e-3)


@pytest.mark.slow
def test_mteb_runs_its_patent_classification_on_local_files(tmp_path):
    """Another kind of task: nine classes told by a word each, read as the hub would read it."""
    pytest.importorskip("mteb")
    from phage.evaluation.public import run_mteb

    rng = random.Random(6)
    for part, count in (("train", 180), ("test", 90)):
        rows = [
            {"text": f"{WORDS[n % 9]} " * 9 + words(rng, 3), "label": n % 9} for n in range(count)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{part}.jsonl").write_text(text, encoding="utf-8")
    result = run_mteb(Bag(), "bag", ["PatentClassification.v2"], tmp_path)
    assert result.mean("PatentClassification.v2", "accuracy") > 0.9
    assert result.mean("PatentClassification.v2", "main_score") > 0.9
    with pytest.raises(PhageError, match="no copy of the tasks' data set") as caught:
        run_mteb(Bag(), "bag", ["PatentClassification.v2"], tmp_path / "nowhere")
    assert "mteb/patent" in caught.value.remedy


@pytest.mark.slow
def test_one_command_writes_what_the_leaderboard_takes(dapfam_folder, tmp_path):
    """The embedded model on a real mteb task: filed by model and revision, read by mteb again."""
    results = pytest.importorskip("mteb.results")
    task = "DAPFAMAllTitlAbsToTitlAbsRetrieval"
    command = ["evaluate", "phage-mini", task, "--mteb", "--path", str(dapfam_folder[0])]
    done = CliRunner().invoke(app, [*command, "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    (file,) = (tmp_path / "mteb").rglob(f"{task}.json")
    assert file.parts[-3] == "phage__phage-mini" and len(file.parts[-2]) == 16
    assert results.TaskResult.from_disk(file).get_score() > 0
    described = json.loads((file.parent / "model_meta.json").read_text())
    assert described["name"] == "phage/phage-mini"
    assert described["embed_dim"] == 384 and described["n_parameters"] > 1e7


@pytest.mark.slow
def test_all_patent_tasks_have_one_name():
    pytest.importorskip("mteb")
    from phage.evaluation.public import patent_tasks

    names = patent_tasks()
    assert sum(name.startswith("DAPFAM") for name in names) == 18
    assert {"BigPatentClustering.v2", "PatentClassification.v2"} <= set(names)

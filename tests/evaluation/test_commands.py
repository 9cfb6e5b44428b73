"""The commands, end to end, on an invented week."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.claims import write
from phage.cli import app
from phage.evaluation.ablation_table import paper
from phage.evaluation.results import find_results, load_result
from phage.evaluation.tasks import TaskData
from phage.invented import invent

RECIPES = Path(__file__).parents[2] / "recipes"
TEX = Path(__file__).parents[3] / "shared/paper/phage.tex"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("week") / "week.jsonl"
    write((invention.patent for invention in invent(240, seed=2)), path)
    return path


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_a_model_bm25_and_saved_vectors_in_one_folder(run, corpus, tiny, tmp_path):
    done = run("evaluate", tiny, "--path", corpus, "--runs", 2, "--save-vectors", "v.npz")
    assert done.exit_code == 0, done.output
    done = run("evaluate", "bm25", "--path", corpus)
    assert done.exit_code == 0, done.output
    assert "BM25" in done.output
    listed = {
        tuple(line.split()[1:4:2]): line.split()[-2]
        for line in done.output.splitlines()
        if "ndcg@100" in line
    }
    counts = load_result(tmp_path / "results/uspto-week/BM25.json").tasks["retrieval"]["counts"]
    assert listed["retrieval", "ndcg@100"] == str(counts["queries"])
    assert listed["retrieval", "in_ndcg@100"] == str(counts["in_queries"])
    results = find_results(tmp_path / "results")
    assert len(results) == 2
    lexical = next(result for result in results if result.model == "BM25")
    assert set(lexical.tasks) == {"retrieval", "retrieval-all"}
    encoded = next(result for result in results if result.model != "BM25")
    assert set(encoded.tasks) == {"classification", "clustering", "retrieval", "retrieval-all"}
    assert encoded.provenance["data"][corpus.name]
    assert encoded.provenance["versions"]["torch"]
    assert encoded.settings["pooling"] == "cls"
    assert "sha256" in encoded.notes["split"]
    # The same vectors from their file give the same scores.
    done = run("evaluate", "v.npz", "--path", corpus, "--runs", 2, "--name", "again", "--json")
    assert done.exit_code == 0, done.output
    again = json.loads(done.stdout)[0]
    assert again["tasks"] == encoded.tasks
    assert again["settings"]["precomputed"]


def test_what_encode_writes_is_scored(run, corpus, tiny, tmp_path):
    done = run("encode", tiny, corpus, "--section", "claims", "-o", "vectors")
    assert done.exit_code == 0, done.output
    done = run("evaluate", "vectors", "--path", corpus, "--runs", 1, "--task", "retrieval-all")
    assert done.exit_code == 0, done.output
    done = run("evaluate", tiny, "--path", corpus, "--task", "retrieval-all", "--name", "model")
    assert done.exit_code == 0, done.output
    stored, direct = find_results(tmp_path / "results")
    if stored.model == "model":
        stored, direct = direct, stored
    assert stored.settings["precomputed"]
    for name, value in direct.tasks["retrieval-all"]["measures"].items():
        assert stored.mean("retrieval-all", name) == pytest.approx(value["mean"], abs=0.01)


def test_prepared_tasks_need_no_patents(run, corpus, tmp_path):
    done = run("evaluate", "--path", corpus, "--prepare", "made")
    assert done.exit_code == 0, done.output
    data = TaskData.load(tmp_path / "made/tasks.npz")
    vectors = np.random.default_rng(0).normal(size=(240, 8)).astype("f4")
    np.savez(tmp_path / "v.npz", ids=data.ids["patents"], vectors=vectors)
    done = run("evaluate", "v.npz", "--path", "made/tasks.npz", "--runs", 1, "--task", "retrieval")
    assert done.exit_code == 0, done.output
    result = load_result(tmp_path / "results/uspto-week/v.json")
    assert set(result.tasks) == {"retrieval"}
    done = run("leakage", "made/train.parquet", "made/test.parquet")
    assert done.exit_code == 0, done.output
    done = run("evaluate", "minilm", "--path", "made/tasks.npz")
    assert done.exit_code
    assert "no texts" in str(done.exception)


def test_a_leaking_pair_is_refused_and_counted(run, corpus, tmp_path):
    from phage.claims import read
    from phage.evaluation.datasets import week
    from phage.evaluation.tasks import Split

    patents = list(read(corpus))
    benchmark = week.from_patents(patents)
    clean = list(benchmark.patents(Split.TRAIN))
    planted = list(benchmark.patents(Split.TEST))[:3]
    write(clean, tmp_path / "clean.parquet")
    write([*clean, *planted], tmp_path / "leaking.parquet")
    words = ["evaluate", "bm25", "--path", corpus, "--trained-on"]
    done = run(*words, "clean.parquet")
    assert done.exit_code == 0, done.output
    done = run(*words, "leaking.parquet")
    assert "3 of" in str(done.exception)
    assert "were seen in training" in str(done.exception)
    done = run(*words, "leaking.parquet", "--allow-leakage")
    assert done.exit_code == 0, done.output
    result = load_result(tmp_path / "results/uspto-week/BM25.json")
    assert result.leakage["leaked"] >= 3


@pytest.fixture
def few(tmp_path):
    """Two of the real ablation recipes."""
    folder = tmp_path / "few"
    folder.mkdir()
    for name in ("no-graph", "without-mask"):
        (folder / f"{name}.toml").write_text((RECIPES / f"ablations/{name}.toml").read_text())
    return folder


def ablate(run, few, tiny, *more):
    return run(
        "ablate", "--recipes", few, "--base", RECIPES / "debug.toml", "--seeds", 2, "--runs", 1,
        "--set", f"backbone.model={tiny}", "--set", "input.window=48", "--set", "train.max_steps=2",
        "-o", "out", *more,
    )  # fmt: skip


def test_ablation_is_resumed_without_repeating(run, few, tiny, tmp_path, monkeypatch):
    """Killed in the third training: the two finished ones stay, the others follow."""
    from phage.training import loop

    trained = []
    real = loop.train

    def killed(recipe, data, place, options):
        trained.append((recipe.name, recipe.train.seed))
        if len(trained) == 3:
            raise KeyboardInterrupt
        return real(recipe, data, place, options)

    monkeypatch.setattr(loop, "train", killed)
    done = ablate(run, few, tiny)
    assert done.exit_code != 0
    assert trained == [("no-graph", 1), ("without-mask", 1), ("debug", 1)]
    stamps = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").rglob("seed-*.json")}
    assert len(stamps) == 3  # with the backbone
    done = ablate(run, few, tiny)
    assert done.exit_code == 0, done.output
    assert trained[3:] == [
        ("debug", 1), ("no-graph", 2), ("without-mask", 2), ("debug", 2),
    ]  # fmt: skip
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in stamps.items())
    row = json.loads((tmp_path / "out/ablation.json").read_text())
    assert set(row["table"]) == {"backbone", "no-graph", "without-mask", "full"}
    cell = row["table"]["without-mask"]["uspto-week/macro_f1"]
    assert cell["seeds"] == 2
    assert cell["against"]["full"]["low"] <= cell["against"]["full"]["high"]
    assert set(row["table"]["full"]["uspto-week/nmi"]["against"]) == {"no-graph"}
    text = (tmp_path / "out/ablation.md").read_text()
    assert "| No Graph |" in text
    assert "±" in text
    assert r"$\pm$" in (tmp_path / "out/ablation.tex").read_text()
    assert (tmp_path / "out/ablation.png").read_bytes().startswith(b"\x89PNG")
    done = run("report", "out", "--table", "ablation", "--format", "markdown")
    assert "PHAGE (full)" in done.output
    # Other lines in the same folder would mix two experiments.
    done = ablate(run, few, tiny, "--set", "train.learning_rate=1e-3")
    assert "made with another recipe" in str(done.exception)


def test_every_ablation_of_the_paper_has_a_recipe():
    rows = {row["recipe"] for row in paper()["ablation"]["rows"]}
    files = {path.stem for path in (RECIPES / "ablations").glob("*.toml")}
    assert rows - {"backbone", "full"} <= files


def test_the_lambda_sweep_is_the_paper_s():
    from phage.training.recipe_file import load

    weights = {load(path).loss.claim for path in (RECIPES / "lambda").glob("*.toml")}
    full = load(RECIPES / "phage-large.toml").loss.claim
    assert weights | {full} == {0.1, 0.5, 1.0, 2.0, 5.0}


def test_report_leaves_missing_cells_empty_and_shows_ours_beside(run, tmp_path):
    from phage.evaluation.results import Result

    def measured(**values):
        measures = {k: {"mean": v, "sd": 0.0, "runs": [v]} for k, v in values.items()}
        return {"kind": "x", "part": "test", "counts": {}, "measures": measures}

    Result("PaECTER", "clef-ip", {"classification": measured(micro_f1=0.612, macro_f1=0.5)}).save(
        "results"
    )
    tasks = {
        name: measured(**{"ndcg@100": 0.4 + place / 100})
        for place, name in enumerate(
            ["ta-ta", "ta-tac", "ta-full", "tac-ta", "tac-tac", "tac-full"]
        )
    }
    Result("PHAGE", "dapfam", tasks).save("results")
    Result("BERT-base", "dapfam", {"ta-ta": measured(**{"ndcg@100": 0.9})}).save("results")
    (tmp_path / "results/other.json").write_text('{"format": "a benchmark"}')
    done = run("report", "results", "--json")
    tables = {table["name"]: table for table in json.loads(done.stdout)}
    rows = {row[0]: row[1:] for row in tables["classification"]["rows"]}
    missing = "no result on uspto-70k is named PaECTER"
    assert rows["PaECTER"] == [
        "0.629",
        "0.612",
        "0.527",
        "0.500",
        "0.511",
        "",
        "0.333",
        "",
        missing,
    ]
    assert rows["BERT-base"][1:8:2] == ["", "", "", ""]
    rows = {row[0]: row[1:] for row in tables["retrieval"]["rows"]}
    assert rows["PHAGE"] == ["0.498", "0.425", ""]  # the mean of six
    # One of six is not an average.
    assert rows["BERT-base"] == ["0.170", "", "dapfam average needs all six settings"]
    assert rows["QaECTER"][1:] == ["", "its weights are not public"]
    for table in tables.values():  # every row is full, or says why not
        for row in table["rows"]:
            pairs = list(zip(table["titles"], row, strict=True))[:-1]
            empty = [title for title, cell in pairs if not cell and "paper" not in title]
            assert bool(row[-1]) == bool(empty), (table["name"], row)
    assert "uspto-week" not in tables


def test_results_folder_that_is_broken_is_named(run, tmp_path):
    (tmp_path / "results").mkdir()
    (tmp_path / "results/half.json").write_text('{"format": "phage-eval')
    done = run("report", "results")
    assert "half.json" in str(done.exception)


@pytest.mark.data
@pytest.mark.skipif(not TEX.is_file(), reason="the paper is not beside the checkout")
def test_the_paper_s_figures_are_the_paper_s():
    """Every figure stands in the paper's source, in a row, in order."""
    lines = [re.sub(r"\\textbf\{|\}|\$", "", line) for line in TEX.read_text().splitlines()]
    rows = [re.findall(r"(?<![\d.])0?\.\d{3}(?!\d)", line) for line in lines]
    joined, printed = [], paper()
    for at in range(len(rows)):  # the last ablation row is broken over three lines
        joined.append([float(x) for row in rows[at : at + 3] for x in row])
    plain = [[float(x) for x in row] for row in rows]
    wanted = [row for table in printed["tables"].values() for row in table["rows"].values()]
    wanted += [row["values"] for row in printed["ablation"]["rows"]]
    for values in wanted:
        found = any(row == values for row in plain) or any(
            row[: len(values)] == values for row in joined
        )
        assert found, values


def test_patents_without_citations_are_asked_what_they_can_answer(run, tmp_path):
    from dataclasses import replace

    from phage.evaluation.datasets import week

    patents = [replace(i.patent, citations=()) for i in invent(120, seed=3)]
    data = week.from_patents(patents).tasks
    assert {str(task.kind) for task in data.tasks} == {"classification", "clustering"}
    assert "retrieval" in data.notes["left_out"]


@pytest.mark.slow
def test_ablation_survives_a_real_kill(run, few, tiny, tmp_path):
    """SIGKILL after the first finished variant; the second call keeps it as it is."""
    import os
    import signal
    import subprocess
    import sys
    import time

    words = [
        "ablate", "--recipes", few, "--base", RECIPES / "debug.toml", "--seeds", 2, "--runs", 1,
        "--set", f"backbone.model={tiny}", "--set", "input.window=48", "--set", "train.max_steps=2",
        "-o", "out",
    ]  # fmt: skip
    source = str(Path(__file__).parents[2] / "src")
    killed = subprocess.Popen(
        [sys.executable, "-m", "phage", *map(str, words)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    first = tmp_path / "out/no-graph/seed-1.json"
    while not first.is_file() and killed.poll() is None:
        time.sleep(0.1)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    kept = {path: path.read_bytes() for path in (tmp_path / "out").rglob("seed-*.json")}
    assert first in kept
    done = run(*words)
    assert done.exit_code == 0, done.output
    assert all(path.read_bytes() == before for path, before in kept.items())
    row = json.loads((tmp_path / "out/ablation.json").read_text())
    assert row["table"]["full"]["uspto-week/nmi"]["seeds"] == 2


def test_two_data_sets_and_two_windows_in_one_call(run, corpus, tiny, tmp_path):
    """Tasks of one name are both kept, each beside its own column of the paper."""
    import layouts

    layouts.write_clefip(tmp_path / "clef-ip")
    layouts.write_hupd(tmp_path / "hupd")
    folder = tmp_path / "few"
    folder.mkdir()
    for name, line in (
        ("no-graph", "[graph]\nrelations = []\n"),
        ("short", "[input]\nwindow = 32\n"),
    ):
        (folder / f"{name}.toml").write_text(f'name = "{name}"\n{line}')
    base = f'base = "{RECIPES}/debug.toml"\nname = "base"\n[input]\nwindow = 48\n'
    (tmp_path / "base.toml").write_text(base)
    words = [
        "ablate", "--recipes", folder, "--base", "base.toml", "--seeds", 1, "--runs", 1,
        "--train", "hupd", "--data", "clef-ip=clef-ip", "--data", corpus, "--set",
        f"backbone.model={tiny}", "--set", "train.max_steps=1", "--set", "loss.claim=0",
    ]  # fmt: skip
    done = run(*words, "-o", "results/ablation")
    assert done.exit_code == 0, done.exception
    sets = (tmp_path / "results/ablation/inputs").glob("train-*.safetensors")
    assert len(list(sets)) == 2  # two windows
    row = json.loads((tmp_path / "results/ablation/ablation.json").read_text())
    seed = json.loads((tmp_path / "results/ablation/short/seed-1.json").read_text())
    for data_set in ("clef-ip", "uspto-week"):
        kept = seed["tasks"][f"{data_set}/classification"]["measures"]["macro_f1"]["mean"]
        assert row["table"]["short"][f"{data_set}/macro_f1"]["mean"] == kept
    counts = {n: task["counts"] for n, task in seed["tasks"].items() if "classification" in n}
    assert len({json.dumps(count) for count in counts.values()}) == 2
    head, _, first = (tmp_path / "results/ablation/ablation.md").read_text().splitlines()[:3]
    assert head.startswith("| Variant | clef-ip Ma-F1 | clef-ip Ma-F1 (paper) | clef-ip NMI |")
    assert "uspto-week Ma-F1 |" in head and "uspto-week Ma-F1 (paper)" not in head
    assert first.split(" | ")[2] == "0.538"  # the backbone's, on CLEF-IP
    done = run(*words, "--validation", "-o", "results/lambda")
    assert done.exit_code == 0, done.exception
    assert "(paper)" not in (tmp_path / "results/lambda/ablation.md").read_text()
    done = run("report", "results", "--table", "ablation", "--json")
    test, held = json.loads(done.stdout)
    assert "0.653" in test["rows"][-1] or any("0.653" in row for row in test["rows"])
    assert "(validation)" in held["titles"][1] and not any("paper" in t for t in held["titles"])

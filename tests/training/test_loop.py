"""Whole runs of a tiny model: it learns, stops, goes on, shares its work and refuses nonsense."""

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from phage.errors import PhageError
from phage.training import loop as loop_module
from phage.training.checkpoint import checkpoints
from phage.training.data import TrainingSet
from phage.training.loop import Options, train
from phage.training.optimiser import make_optimiser
from phage.training.recipe_file import to_toml
from phage.training.stopping import Stopped


def history(place):
    return [json.loads(line) for line in (place / "history.jsonl").read_text().splitlines()]


def losses(place):
    return [row["loss"] for row in history(place)]


def weights(place):
    return {**load_file(place / "model.safetensors"), **load_file(place / "relations.safetensors")}


def same(left, right):
    assert left.keys() == right.keys()
    return all(torch.equal(left[name], right[name]) for name in left)


def test_overfits_sixteen_patents_and_leaves_a_stock_model(
    recipe_of, data_of, still_backbone, tmp_path, patents
):
    recipe = recipe_of(
        train={
            "epochs": 40,
            "accumulation": 1,
            "batch": 16,
            "save_every": 0,
            "learning_rate": 3e-3,
        },
        backbone={"model": str(still_backbone)},
    )
    place = train(recipe, data_of(recipe, patents[:16]), tmp_path / "run")
    rows = history(place)
    assert len(rows) == 40 and rows[0]["document"] > 0.5
    assert np.mean([row["document"] for row in rows[-5:]]) < 0.1
    # Claim 1 has two dependents, each the other's negative: ln 2 · w is all that can be reached.
    assert rows[-1]["claim"] < rows[0]["claim"]
    assert (place / "loss.png").stat().st_size > 5000

    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel, AutoTokenizer

    texts = ["1. A pump with a piston.", "1. A sensor with an electrode. 2. The sensor of claim 1."]
    model = SentenceTransformer(str(place), device="cpu")
    assert model.max_seq_length == 64
    vectors = model.encode(texts, convert_to_tensor=True)
    assert vectors.norm(dim=1).tolist() == pytest.approx([1.0, 1.0])
    stock, tokenizer = AutoModel.from_pretrained(place), AutoTokenizer.from_pretrained(place)
    with torch.no_grad():
        states = stock(**tokenizer(texts, padding=True, return_tensors="pt")).last_hidden_state
    plain = torch.nn.functional.normalize(states[:, 0], dim=-1)
    assert torch.allclose(vectors, plain, atol=1e-6)
    assert not any("relation" in name for name in load_file(place / "model.safetensors"))


@pytest.fixture
def whole(recipe_of, data_of, tmp_path):
    recipe = recipe_of(train={"max_steps": 7})
    data = data_of(recipe)
    return recipe, data, train(recipe, data, tmp_path / "whole")


def test_killed_and_resumed_is_uninterrupted(whole, tmp_path, monkeypatch):
    recipe, data, uninterrupted = whole
    place = tmp_path / "killed"
    update = loop_module.Loop._update

    def killed(self, step, numbers):
        if step == 5:  # checkpoints are written after steps 2 and 4
            raise KeyboardInterrupt
        update(self, step, numbers)

    monkeypatch.setattr(loop_module.Loop, "_update", killed)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, data, place)
    monkeypatch.undo()
    assert [path.name for path in checkpoints(place)] == ["step-000002", "step-000004"]
    with pytest.raises(PhageError, match="--resume"):
        train(recipe, data, place)
    train(recipe, data, place, Options(resume=True))
    assert losses(place) == losses(uninterrupted)
    assert same(weights(place), weights(uninterrupted))
    left, right = (checkpoints(run)[-1] / "trainer" for run in (place, uninterrupted))
    name = "optimizer.safetensors"
    assert same(load_file(left / name), load_file(right / name))


def test_the_last_checkpoints_are_kept(whole):
    place = whole[2]
    assert [p.name for p in checkpoints(place)] == ["step-000006", "step-000007"]
    assert not list(place.rglob("*.partial"))
    rights = {path.stat().st_mode & 0o777 for path in place.rglob("*") if path.is_file()}
    assert len(rights) == 1  # a server run by another user can read all of it


def test_sigterm_saves_the_last_whole_step(whole, tmp_path, monkeypatch):
    recipe, data, uninterrupted = whole
    recipe = replace(recipe, train=replace(recipe.train, save_every=0))
    place = tmp_path / "stopped"
    encode = loop_module.Phage.forward
    calls = []

    def forward(self, *given):
        calls.append(1)
        if len(calls) == 7:  # the first half of step 4
            os.kill(os.getpid(), signal.SIGTERM)
        return encode(self, *given)

    monkeypatch.setattr(loop_module.Phage, "forward", forward)
    with pytest.raises(Stopped, match=r"step 3 of 7[\s\S]*--resume") as caught:
        train(recipe, data, place)
    assert caught.value.code == 143
    assert [path.name for path in checkpoints(place)] == ["step-000003"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    train(recipe, data, place, Options(resume=True))
    assert losses(place) == losses(uninterrupted)
    assert same(weights(place), weights(uninterrupted))


def test_trains_outside_the_main_thread(whole, tmp_path):
    recipe, data, _ = whole
    short = replace(recipe, train=replace(recipe.train, max_steps=1))
    thread = threading.Thread(target=train, args=(short, data, tmp_path / "thread"))
    thread.start()
    thread.join()
    assert len(losses(tmp_path / "thread")) == 1


def test_resume_refuses_another_recipe_or_other_data(whole, data_of, patents):
    recipe, data, place = whole
    other = replace(recipe, loss=replace(recipe.loss, temperature=0.1))
    with pytest.raises(PhageError, match=r"loss\.temperature is 0\.1[\s\S]*0\.05"):
        train(other, data, place, Options(resume=True))
    with pytest.raises(PhageError, match="not the patents"):
        train(recipe, data_of(recipe, patents[:40]), place, Options(resume=True))
    warm = replace(recipe, train=replace(recipe.train, schedule="linear"))
    with pytest.raises(PhageError, match="schedule"):
        train(warm, data, place, Options(resume=True))
    longer = replace(recipe, train=replace(recipe.train, max_steps=8))
    train(longer, data, place, Options(resume=True))
    assert len(losses(place)) == 8


TWO = """
import sys
from pathlib import Path
from phage.training.data import TrainingSet
from phage.training.loop import train
from phage.training.recipe_file import load
place = Path(sys.argv[1])
train(load(place / "recipe.toml"), TrainingSet.load(place / "set.safetensors"), place / sys.argv[2])
"""


def test_two_processes_learn_what_one_learns(recipe_of, data_of, tmp_path):
    # The first moment after one step is 0.1 × the gradient: compared here, weights after.
    recipe = recipe_of(train={"max_steps": 2, "accumulation": 4, "save_every": 1})
    recipe = replace(recipe, guidance=replace(recipe.guidance, probability=0.5))
    data = data_of(recipe)
    data.save(tmp_path / "set.safetensors")
    (tmp_path / "recipe.toml").write_text(to_toml(recipe))
    (tmp_path / "two.py").write_text(TWO)
    source = str(Path(__file__).parents[2] / "src")
    environment = {
        **os.environ, "PYTHONPATH": source, "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    done = subprocess.run(
        [*command, str(tmp_path / "two.py"), str(tmp_path), "two"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    one, two = train(recipe, data, tmp_path / "one"), tmp_path / "two"
    assert losses(two) == pytest.approx(losses(one), rel=1e-5)
    assert [row["tokens"] for row in history(two)] == [row["tokens"] for row in history(one)]
    name = "checkpoints/step-000001/trainer/optimizer.safetensors"
    left, right = load_file(one / name), load_file(two / name)
    gradients = [key for key in left if key.endswith("exp_avg")]
    assert len(gradients) > 30
    for key in gradients:
        assert torch.allclose(left[key], right[key], rtol=1e-4, atol=1e-7), key
    for key, value in weights(one).items():
        # A key's bias shifts a row of scores: its gradient is rounding, which AdamW blows up.
        if not key.endswith("key.bias"):
            assert torch.allclose(value, weights(two)[key], atol=1e-4), key


def test_a_loss_that_is_not_finite_stops_with_its_batch(whole, tmp_path, monkeypatch):
    recipe, data, _ = whole
    place = tmp_path / "nan"
    steps = loop_module.Steps
    poisoned = steps.of(data.codes, recipe).seed(4, 1)
    encode = loop_module.Phage.forward

    def forward(self, *given):
        found = encode(self, *given)
        return found * float("nan") if torch.initial_seed() == poisoned else found

    monkeypatch.setattr(loop_module.Phage, "forward", forward)
    with pytest.raises(
        PhageError, match=r"step 5, micro-batch 1[\s\S]*step-000004 is still intact"
    ):
        train(recipe, data, place)
    told = json.loads((place / "not-finite-step-5.json").read_text())
    triplets = steps.of(data.codes, recipe).micro_batch(4, 1)
    numbers = [[data.numbers[i] for i in triplet] for triplet in triplets]
    assert told["micro_batches"]["1"]["triplets"] == numbers
    kept = TrainingSet.load(place / "not-finite-step-5.safetensors")
    assert list(kept.numbers) == [number for triplet in numbers for number in triplet]
    assert [path.name for path in checkpoints(place)] == ["step-000002", "step-000004"]
    assert not (place / "modules.json").exists()


def test_out_of_memory_says_what_to_lower(whole, tmp_path, monkeypatch):
    recipe, data, _ = whole

    def forward(self, *given):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(loop_module.Phage, "forward", forward)
    with pytest.raises(PhageError) as caught:
        train(recipe, data, tmp_path / "oom")
    for part in ("train.batch = 2", "train.accumulation", "input.window"):
        assert part in str(caught.value)


def test_other_errors_are_not_dressed_up(whole, tmp_path, monkeypatch):
    recipe, data, _ = whole
    monkeypatch.setattr(loop_module.Phage, "forward", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        train(recipe, data, tmp_path / "bug")


def test_bf16_agrees_with_fp32(whole, recipe_of, tmp_path):
    _, data, place = whole
    changed = recipe_of(train={"max_steps": 7, "precision": "bf16"})
    other = train(changed, data, tmp_path / "other")
    assert losses(other) == pytest.approx(losses(place), rel=0.1)


def test_packed_rows_give_the_same_loss(recipe_of, data_of, still_backbone, tmp_path):
    recipe = recipe_of(
        train={"max_steps": 3},
        loss={"views": 0.5, "negatives": "in-batch"},
        guidance={"probability": 0.5},
        backbone={"model": str(still_backbone)},
    )
    data = data_of(recipe)
    rows, packed = (
        train(recipe, data, tmp_path / str(pack), Options(pack=pack)) for pack in (False, True)
    )
    assert losses(packed) == pytest.approx(losses(rows), rel=1e-4)


def test_a_schedule_is_resumed_at_its_own_length(whole, tmp_path):
    """The rate depends on how many steps there will be."""
    recipe, data, _ = whole
    warm = replace(recipe, train=replace(recipe.train, max_steps=2, schedule="linear"))
    place = train(warm, data, tmp_path / "warm")
    longer = replace(warm, train=replace(warm.train, max_steps=4))
    with pytest.raises(PhageError, match=r"train\.max_steps"):
        train(longer, data, place, Options(resume=True))


def test_trackers(whole, tmp_path):
    recipe, data, _ = whole
    short = replace(recipe, train=replace(recipe.train, max_steps=2))
    place = train(short, data, tmp_path / "tracked", Options(trackers=("tensorboard",)))
    assert list(place.rglob("events.out.tfevents*"))
    with pytest.raises(PhageError, match="tensorboard or wandb"):
        train(short, data, tmp_path / "unknown", Options(trackers=("paper",)))


def test_stopped_before_the_first_step(whole, tmp_path, monkeypatch):
    recipe, data, uninterrupted = whole
    place = tmp_path / "early"

    def forward(self, *given):
        os.kill(os.getpid(), signal.SIGTERM)
        return encode(self, *given)

    encode = loop_module.Phage.forward
    monkeypatch.setattr(loop_module.Phage, "forward", forward)
    for _ in range(2):
        with pytest.raises(Stopped, match="step 0 of 7"):
            train(recipe, data, place, Options(resume=True))
    monkeypatch.undo()
    train(recipe, data, place, Options(resume=True))
    assert losses(place) == losses(uninterrupted)
    assert same(weights(place), weights(uninterrupted))


def test_a_repeatable_run_leaves_torch_as_it_was(recipe_of, data_of, tmp_path, monkeypatch):
    """The settings hold while it trains, and only then; programs of an earlier run are forgotten."""
    from torch._inductor import config

    def settings():
        return torch.are_deterministic_algorithms_enabled(), not config.fx_graph_cache

    seen, forgotten = [settings()], []
    monkeypatch.setattr("torch.compiler.reset", lambda: forgotten.append(True))
    monkeypatch.setattr(
        "phage.training.loop.make_optimiser",
        lambda *given: seen.append(settings()) or make_optimiser(*given),
    )
    for wanted in (True, False):
        recipe = recipe_of(train={"repeatable": wanted, "max_steps": 1})
        train(recipe, data_of(recipe), tmp_path / str(wanted))
    before, while_wanted, otherwise = seen
    assert while_wanted == (True, True) and forgotten == [True]
    assert before == otherwise == settings() == (False, False)

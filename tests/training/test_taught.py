"""A teacher, its neighbours, a classifier and two readings: each alone, and all in one run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

from phage.attention import Layout
from phage.claims.types import Claim, Patent
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.storage import read_json, sha256
from phage.training.batches import CHUNKS, Maker
from phage.training.loop import Options, train
from phage.training.model import build, load_tokenizer
from phage.training.recipe_file import load
from phage.training.report import history
from phage.training.steps import Steps
from phage.training.teacher import teacher_digest, teacher_vectors


@pytest.fixture
def taught(recipe_of, data_of, patents, teacher_file, tmp_path):
    """A recipe of the new kind, its data and its teacher."""

    def make(**sections):
        path = tmp_path / "teacher.parquet"
        told = [replace(p, title="A pump", abstract="A valve with a piston.") for p in patents]
        loss = {"document": 0, "claim": 0, "view": "sections", "distill": 1.0, "classify": 1.0}
        sections["loss"] = {**loss, "teacher": str(path), **sections.get("loss", {})}
        sections["sampling"] = {"nearest": 2, **sections.get("sampling", {})}
        sections["backbone"] = {"pooling": "mean", "hidden_dropout": 0.0, "attention_dropout": 0.0,
                                "model": recipe_of().backbone.model}  # fmt: skip
        sections["input"] = {"section": "varied", "window": 48, **sections.get("input", {})}
        sections["train"] = {"batch": 4, "accumulation": 1, **sections.get("train", {})}
        recipe = recipe_of(**{"graph": {"relations": []}, **sections})
        data = data_of(recipe, told)
        vectors = np.random.default_rng(1).normal(size=(len(data), 5)).astype(np.float32)
        teacher_file(path, data.numbers, vectors)
        return recipe, data

    return make


def step(recipe, data):
    teacher = teacher_vectors(recipe.loss.teacher, data)
    steps = Steps.of(data.codes, recipe, teacher)
    model = build(recipe, classes=4)
    model.teacher, model.known = teacher
    make = Maker(data, steps.labels, recipe, Layout.of(model.backbone, load_tokenizer(recipe)))
    return model, make(steps.micro_batch(0, 0), steps.seed(0, 0)), steps


def test_the_loss_is_that_of_both_readings(taught):
    model, batch, _ = step(*taught())
    assert batch.count == 4 and len(batch.labels) == 12  # anchors, and two neighbours each

    def encoded(part):
        states = model.backbone(**part.inputs(guided=False)).last_hidden_state
        return F.normalize(part.means(states), dim=1)

    one, two = encoded(batch.batch), torch.cat([encoded(part) for part in batch.views])
    assert batch.order is None
    assert len(one) == len(two) == 12
    total, document, claim, views, distill, classify = model(batch, False)
    assert (document, claim, views) == (0, 0, 0)
    teacher = model.teacher[batch.patents]
    same = batch.patents[:, None] == batch.patents[None]
    wanted = (teacher @ teacher.T / 0.05).masked_fill(same, -1e9).softmax(1)
    terms = []
    for a, b in ((one, two), (two, one)):
        found = (a @ b.T / 0.05).masked_fill(same, -1e9).log_softmax(1)
        terms.append((wanted * (wanted.clamp_min(1e-30).log() - found)).sum(1).mean())
    assert distill.item() == pytest.approx(sum(terms).item() / 2, rel=1e-4)
    classes = F.normalize(model.classes, dim=1)
    guesses = [
        F.cross_entropy(v @ classes.T / 0.05, batch.subclasses, label_smoothing=0.05)
        for v in (one, two)
    ]
    assert classify.item() == pytest.approx(sum(guesses).item() / 2, rel=1e-4)
    assert total.item() == pytest.approx(distill.item() + classify.item(), rel=1e-5)


def test_each_key_changes_what_it_names(taught):
    base = taught()
    model, batch, steps = step(*base)
    terms = model(batch, False)

    def changed(**rows):
        recipe = base[0]
        for section, row in rows.items():
            recipe = replace(recipe, **{section: replace(getattr(recipe, section), **row)})
        return step(recipe, base[1])

    softer, other, _ = changed(loss={"teacher_temperature": 0.5})
    assert softer(other, False)[4] != terms[4] and softer(other, False)[5] == terms[5]
    heavy, other, _ = changed(loss={"classify": 3.0})
    assert heavy(other, False)[0].item() == pytest.approx((terms[4] + 3 * terms[5]).item())
    none, other, _ = changed(loss={"classify": 0.0})
    assert none.classes is None and none(other, False)[5] == 0
    assert not [name for name, _ in none.named_parameters() if "classes" in name]
    viewed, other, _ = changed(loss={"views": 0.5})
    assert viewed(other, False)[3] > 0
    _alone, other, more = changed(sampling={"nearest": 1})
    assert len(other.labels) == 8 and more.micro_batch(0, 0).shape == (4, 2)
    near = steps.neighbours.nearest
    assert all(set(row[1:]) <= set(near[row[0]]) for row in steps.triplets(0).tolist())
    _still, other, _ = changed(input={"section": "tac"})
    heads = [int((one.views[0].guidance.nodes == 0).sum()) for one in (batch, other)]
    assert heads[0] != heads[1]  # titles or abstracts are left out


def test_readings_of_like_length_go_together(taught):
    """Many second readings are encoded in parts, by length; the loss is the same."""
    model, batch, _ = step(*taught(train={"batch": 8}))
    assert len(batch.labels) == 24 and len(batch.views) == CHUNKS
    widths = [view.input_ids.shape[1] for view in batch.views]
    assert widths == sorted(widths) and widths[0] < widths[-1]
    found = torch.cat([view.attention_mask.sum(1) for view in batch.views])
    assert (found.diff() >= 0).all() and sorted(batch.order.tolist()) == list(range(24))
    other = model._other(batch, False)
    for patent in range(24):
        place = int(batch.order[patent])
        view, row = batch.views[place // 6], place % 6
        alone = model.backbone(
            input_ids=view.input_ids[row : row + 1],
            attention_mask=view.attention_mask[row : row + 1],
        ).last_hidden_state
        mask = view.attention_mask[row : row + 1, :, None]
        mean = (alone * mask).sum(1) / mask.sum(1)
        assert torch.allclose(other[patent], mean[0], atol=1e-5)
    distill = model(batch, False)[4]
    whole = replace_views(batch)
    assert torch.allclose(model(whole, False)[4], distill, rtol=1e-4)


def replace_views(batch):
    """The same readings in one part, in the order of the batch."""
    width = batch.views[-1].input_ids.shape[1]

    def padded(name):
        parts = [getattr(view, name) for view in batch.views]
        return torch.cat([F.pad(part, (0, width - part.shape[1])) for part in parts])[batch.order]

    same = {n: padded(n) for n in ("input_ids", "attention_mask")}
    one = replace(batch.views[-1], **same, full=False)
    return replace(batch, views=(one,), order=None)


def test_hidden_dropout(taught):
    recipe, data = taught()
    model, batch, _ = step(recipe, data)
    assert torch.equal(model(batch, False), model(batch, False))
    wild = replace(recipe, backbone=replace(recipe.backbone, hidden_dropout=0.3))
    model, batch, _ = step(wild, data)
    assert not torch.equal(model(batch, False), model(batch, False))


@pytest.mark.parametrize("guided", [False, True], ids=["no-graph", "graph"])
def test_a_run_learns_resumes_and_leaves_a_plain_model(taught, tmp_path, guided):
    """With the graph on, one reading is guided, and its claims carry the claim loss."""
    graph = {"relations": ["cite", "term", "func", "both"] if guided else []}
    more = {"claim": 0.1 if guided else 0, "claim_negatives": "others"}
    recipe, data = taught(graph=graph, loss=more, guidance={"probability": 0.5},
                          train={"epochs": 6, "save_every": 3, "schedule": "linear"},
                          sampling={"balance": 0.5})  # fmt: skip
    whole = train(recipe, data, tmp_path / "whole")
    lines = history(whole / "history.jsonl")
    assert lines[-1]["classify"] < lines[0]["classify"]
    assert (lines[-1]["claim"] > 0) == guided
    half = tmp_path / "half"
    train(recipe, data, half)
    steps = sorted(int(path.name[5:]) for path in half.glob("checkpoints/step-*"))
    last = half / "checkpoints" / f"step-{steps[-1]:06d}"
    for path in sorted(last.rglob("*"), reverse=True):  # as if stopped before the last one
        path.unlink() if path.is_file() else path.rmdir()
    last.rmdir()
    train(recipe, data, half, Options(resume=True))
    saved = load_file(whole / "model.safetensors")
    for name, value in load_file(half / "model.safetensors").items():
        assert torch.equal(value, saved[name]), name
    assert not [name for name in saved if "class" in name]
    assert (load_file(whole / "relations.safetensors") != {}) == guided


def test_controls_change_what_both_readings_learn(taught, tmp_path):
    """Other edges in the claim loss, the same texts; the window of a reading cuts them too."""
    graph = {"relations": ["cite", "term", "func", "both"]}
    steps = {"max_steps": 2, "save_every": 0}
    found = {}
    for control in ("none", "random-pairs"):
        recipe, data = taught(
            graph={**graph, "control": control}, loss={"claim": 0.5, "claim_negatives": "others"},
            train=steps,
        )  # fmt: skip
        place = train(recipe, data, tmp_path / control)
        found[control] = history(place / "history.jsonl")[0]
    assert found["none"]["claim"] != found["random-pairs"]["claim"]
    assert found["none"]["distill"] == found["random-pairs"]["distill"]


def test_the_same_seed_gives_the_same_model_and_another_one_does_not(taught, tmp_path):
    recipe, data = taught(train={"max_steps": 3, "save_every": 0})
    runs = [train(recipe, data, tmp_path / name) for name in ("a", "b")]
    other = replace(recipe, train=replace(recipe.train, seed=2))
    runs.append(train(other, data, tmp_path / "c"))
    a, b, c = (load_file(run / "model.safetensors") for run in runs)
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert any(not torch.equal(a[name], c[name]) for name in a)


def test_a_folder_says_what_it_was_made_from(taught, tmp_path):
    recipe, data = taught(train={"max_steps": 1, "save_every": 0, "seed": 7})
    made = tmp_path / "teacher.parquet"
    place = train(recipe, data, tmp_path / "run")
    told = read_json(place / "provenance.json")
    assert told["seed"] == 7 and told["steps"] == 1 and told["patents"] == len(data)
    assert told["versions"]["torch"] and "commit" in told and told["recipe"] == "tiny"
    weights = Path(recipe.backbone.model) / "model.safetensors"
    assert told["inputs"]["backbone"]["sha256"] == sha256(weights)
    assert told["inputs"]["teacher"]["name"] == str(made)
    assert told["inputs"]["teacher"]["sha256"] == teacher_digest(made)
    assert load(place / "recipe.toml") == recipe
    assert read_json(place / "reading.json") == {"section": "whole", "fit": "prefix"}
    patent = Patent("US1A", (Claim(1, "A pump."),), title="A pump", abstract="A valve.")
    assert Encoder.from_pretrained(place).encode([patent]).shape == (1, 32)


def test_a_teacher_that_knows_too_few(taught, teacher_file, tmp_path):
    recipe, data = taught()
    teacher_file(tmp_path / "teacher.parquet", data.numbers[:2], np.eye(2, dtype=np.float32))
    with pytest.raises(PhageError, match="knows 2 training patents"):
        train(recipe, data, tmp_path / "run")

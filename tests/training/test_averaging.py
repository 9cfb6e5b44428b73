"""The mean of several runs is a model like them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from phage.errors import PhageError
from phage.training.averaging import average_runs
from phage.training.inspect import read
from phage.training.loop import train


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    return tmp_path_factory.mktemp("seeds")


@pytest.fixture
def runs(seeds, recipe_of, data_of):
    recipe = recipe_of(train={"max_steps": 2, "save_every": 0})
    for seed in (1, 2):
        if not (seeds / str(seed)).exists():
            one = replace(recipe, train=replace(recipe.train, seed=seed))
            train(one, data_of(one), seeds / str(seed))
    return [seeds / "1", seeds / "2"]


def test_the_mean_of_two_seeds(runs, tmp_path):
    from phage.encoder import Encoder

    place = average_runs(runs, tmp_path / "mean")
    one, two, both = (load_file(run / "model.safetensors") for run in (*runs, place))
    assert one.keys() == both.keys()
    for name, value in both.items():
        assert torch.allclose(value, (one[name] + two[name]) / 2, atol=1e-7), name
    biases = [read(run).bias for run in (*runs, place)]
    assert np.allclose(biases[2], (biases[0] + biases[1]) / 2)
    assert Encoder.from_pretrained(place).encode(["1. A pump."]).shape == (1, 32)
    told = json.loads((place / "provenance.json").read_text())
    assert [row["seed"] for row in told["averaged"]] == [1, 2]
    assert told["inputs"]["backbone"]["sha256"] and told["commit"] and told["versions"]
    assert not (place / "checkpoints").exists() and not (place / "history.jsonl").exists()
    with pytest.raises(PhageError, match="already holds a model"):
        average_runs(runs, place)


def test_a_share_of_the_first_weights(runs, backbone, tmp_path):
    place = average_runs(runs, tmp_path / "mixed", backbone, 0.75, half=True, languages=["en"])
    assert json.loads((place / "reading.json").read_text())["languages"] == ["en"]
    start = load_file(backbone / "model.safetensors")
    one, two, both = (load_file(run / "model.safetensors") for run in (*runs, place))
    for name, value in both.items():
        want = 0.75 * (one[name] + two[name]) / 2 + 0.25 * start[name]
        assert value.dtype == torch.float16 and torch.allclose(value.float(), want, atol=2e-3)


def test_a_pooler_without_first_weights_is_left_out(runs, backbone, tmp_path):
    start = load_file(backbone / "model.safetensors")
    bare = tmp_path / "bare"
    bare.mkdir()
    save_file({n: v for n, v in start.items() if "pooler" not in n}, bare / "model.safetensors")
    mixed = load_file(average_runs(runs, tmp_path / "mixed", bare, 0.75) / "model.safetensors")
    trained = load_file(runs[0] / "model.safetensors")
    assert {n for n in trained if n not in mixed} == {n for n in trained if "pooler" in n} != set()
    save_file({n: v for n, v in start.items() if "embed" not in n}, bare / "model.safetensors")
    with pytest.raises(PhageError, match="did not start from it"):
        average_runs(runs, tmp_path / "other", bare, 0.75)


def test_only_seeds_of_one_recipe_are_averaged(runs, recipe_of, data_of, backbone, tmp_path):
    other = recipe_of(train={"max_steps": 2, "save_every": 0, "learning_rate": 2e-3})
    place = train(other, data_of(other), tmp_path / "other")
    with pytest.raises(PhageError, match=r"train\.learning_rate is 0\.002"):
        average_runs([runs[0], place], tmp_path / "out")
    mixed = recipe_of(train={"max_steps": 2, "save_every": 0, "average": 0.5})
    place = train(mixed, data_of(mixed), tmp_path / "mixed")
    with pytest.raises(PhageError, match="already contain a share of"):
        average_runs([place], tmp_path / "out", backbone, 0.5)
    with pytest.raises(PhageError, match="no recipe"):
        average_runs([tmp_path], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command(phage, runs, tmp_path):
    code, out, err = phage("average", *runs, "-o", tmp_path / "mean", "--json")
    assert code == 0, err
    told = json.loads(out)
    assert told["runs"] == 2 and told["bytes"] > 0

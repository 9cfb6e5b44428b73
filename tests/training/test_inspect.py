"""The paper's two tables of learned parameters."""

import numpy as np
import pytest
from safetensors.numpy import save_file

from phage.errors import PhageError
from phage.training.inspect import BIASES, Learned, heat_map, read, softplus

# Raw values of the paper's table of claim-loss weights, and what it prints beside them.
PAPER = {-0.0415: 0.6726, -0.0413: 0.6727, -0.0411: 0.6728, -0.0409: 0.6729}


def test_softplus_is_the_papers():
    for raw, weight in PAPER.items():
        assert float(softplus(raw)) == pytest.approx(weight, abs=5e-5)


def test_groups_are_the_papers_for_24_layers():
    raw = np.log(np.expm1(0.69 + 0.001 * np.arange(24)))[:, None].repeat(5, 1)
    groups = Learned(raw.astype(np.float32), None).groups()
    assert list(groups) == ["0–9", "18–23"]
    assert groups["0–9"] == pytest.approx(np.full(5, 0.6945), abs=1e-6)
    assert groups["18–23"] == pytest.approx(np.full(5, 0.7105), abs=1e-6)


def test_read_draw_and_json(tmp_path):
    raw = np.random.default_rng(0).normal(0, 0.02, (6, 5)).astype(np.float32)
    stored = {"bias": raw, "weights": np.zeros(4, np.float32)}
    save_file(stored, tmp_path / "relations.safetensors")
    learned = read(tmp_path)
    heat_map(learned, tmp_path / "bias.png")
    heat_map(learned, tmp_path / "bias.svg")
    assert (tmp_path / "bias.png").read_bytes()[:4] == b"\x89PNG"
    told = learned.to_json()
    assert len(told["bias"]) == 6 and list(told["bias"][0]) == list(BIASES)
    assert told["weights"]["cite"]["weight"] == pytest.approx(np.log(2))


def test_a_model_without_relation_parameters(tmp_path):
    with pytest.raises(PhageError, match="phage train"):
        read(tmp_path)
    save_file({}, tmp_path / "relations.safetensors")
    learned = read(tmp_path)
    assert learned.bias is None and learned.to_json()["bias"] == []
    with pytest.raises(PhageError, match="no biases"):
        heat_map(learned, tmp_path / "bias.png")


def test_a_run_that_has_not_ended_shows_its_newest_checkpoint(tmp_path):
    for step in (9, 10):
        folder = tmp_path / f"checkpoints/step-{step:06d}"
        folder.mkdir(parents=True)
        stored = {"bias": np.full((2, 5), step, np.float32), "weights": np.zeros(4, np.float32)}
        save_file(stored, folder / "relations.safetensors")
    assert read(tmp_path).bias[0, 0] == 10


def test_an_ending_that_cannot_be_drawn(tmp_path):
    with pytest.raises(PhageError, match="png, svg, pdf"):
        heat_map(Learned(np.zeros((2, 5), np.float32), None), tmp_path / "bias.xyz")
    assert not list(tmp_path.iterdir())

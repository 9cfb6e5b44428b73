"""A low-rank adapter is trained, resumed, saved alone and read beside its base."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from phage.adapter import ADAPTER, BASES, LowRank, adapt, corrections, merge
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.training.loop import Options, train

TEXTS = ["1. A pump with a piston.", "1. A sensor on the skin of a patient."]


@pytest.fixture
def recipe(recipe_of):
    made = recipe_of(train={"max_steps": 3, "save_every": 1, "learning_rate": 0.01})
    plain = replace(made.graph, relations=())
    return replace(made, graph=plain, backbone=replace(made.backbone, adapter=2))


def small() -> torch.nn.Module:
    from transformers import MPNetConfig, MPNetModel

    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=90, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=66,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return MPNetModel(config, add_pooling_layer=False).eval()


def test_an_mpnet_starts_as_it_is_and_merges_to_what_it_learned():
    ids = torch.arange(5, 25)[None]
    plain, adapted = small(), small()
    adapt(adapted, rank=3)
    learned = [name for name, p in adapted.named_parameters() if p.requires_grad]
    assert len(learned) == 2 * 2 * 6 and all(name.endswith((".up", ".down")) for name in learned)
    before = plain(input_ids=ids).last_hidden_state
    assert torch.equal(adapted(input_ids=ids).last_hidden_state, before)
    for layer in adapted.modules():
        if isinstance(layer, LowRank):
            layer.up.data.normal_(std=0.1)
    after = adapted(input_ids=ids).last_hidden_state
    assert not torch.allclose(after, before, atol=1e-2)
    merge(plain, corrections(adapted))
    assert torch.allclose(plain(input_ids=ids).last_hidden_state, after, atol=1e-5)


def test_only_the_adapter_is_trained_and_saved(recipe, data_of, backbone, tmp_path):
    place = train(recipe, data_of(recipe), tmp_path / "run")
    assert not (place / "model.safetensors").exists()
    assert json.loads((place / "adapter.json").read_text()) == {"base": str(backbone)}
    assert (place / ADAPTER).stat().st_size < (backbone / "model.safetensors").stat().st_size / 3
    mine, first = (Encoder.from_pretrained(folder).encode(TEXTS) for folder in (place, backbone))
    assert mine.shape == first.shape and not np.allclose(mine, first, atol=1e-3)
    Encoder.from_pretrained(place).save_pretrained(tmp_path / "whole")  # merged: stock again
    np.testing.assert_allclose(
        Encoder.from_pretrained(tmp_path / "whole").encode(TEXTS), mine, atol=1e-6
    )


def test_a_share_of_the_first_weights_scales_the_correction(recipe, data_of, tmp_path):
    half = replace(recipe, train=replace(recipe.train, average=0.5))
    whole, mixed = (
        load_file(train(one, data_of(one), tmp_path / name) / ADAPTER)
        for one, name in ((recipe, "whole"), (half, "mixed"))
    )
    for name, value in whole.items():
        factor = 0.5 if name.endswith(".up") else 1.0
        assert torch.allclose(mixed[name].float(), factor * value.float(), atol=1e-4), name


def test_a_stopped_run_goes_on_bit_for_bit(recipe, data_of, tmp_path):
    import shutil

    unbroken = train(recipe, data_of(recipe), tmp_path / "a")
    place = tmp_path / "b"
    shutil.copytree(unbroken, place)
    for name in ("step-000003", "../modules.json", "../adapter.safetensors"):
        found = place / "checkpoints" / name
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    train(recipe, data_of(recipe), place, Options(resume=True))
    a, b = (load_file(run / ADAPTER) for run in (unbroken, place))
    assert a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def test_a_base_that_is_not_here_is_named(recipe, data_of, backbone, tmp_path, monkeypatch):
    import shutil

    place = train(recipe, data_of(recipe), tmp_path / "run")
    wanted = Encoder.from_pretrained(place).encode(TEXTS)
    (place / "adapter.json").write_text('{"base": "someone/tiny-base"}')
    with pytest.raises(PhageError, match="an adapter on someone/tiny-base") as raised:
        Encoder.from_pretrained(place)
    assert BASES in (raised.value.remedy or "")
    shutil.copytree(backbone, tmp_path / "bases" / "tiny-base")
    monkeypatch.setenv(BASES, str(tmp_path / "bases"))
    np.testing.assert_array_equal(Encoder.from_pretrained(place).encode(TEXTS), wanted)


def test_an_adapter_of_another_model_is_refused(recipe, data_of, tmp_path):
    from tests.training.conftest import write_backbone

    place = train(recipe, data_of(recipe), tmp_path / "run")
    write_backbone(tmp_path / "other", layers=1)
    (place / "adapter.json").write_text(json.dumps({"base": str(tmp_path / "other")}))
    with pytest.raises(PhageError):
        Encoder.from_pretrained(place)

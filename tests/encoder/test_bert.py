"""Our BERT and its tokenizer: what transformers gives, without importing it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from phage.encoder import Encoder
from phage.encoder.bert import Bert
from phage.encoder.wordpieces import WordPieces

TEXTS = [
    "a pump with a shaft", "steel", "", "The PUMP of claim 1, wherein [SEP] the [MASK]shaft", "中文 é ﬁ",
    "pump " * 90, "x" * 200,
]  # fmt: skip


@pytest.fixture
def folder(tiny, tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(tiny, tmp_path / "model")


def change(folder, name, **values):
    found = {**json.loads((folder / name).read_text()), **values}
    (folder / name).write_text(json.dumps(found))


def same_as_transformers(folder):
    """Compare vectors, also those of the fast way, with the ones of the stock model."""
    ours = Encoder.from_pretrained(folder, device="cpu")
    stock = ours.stock()
    assert not isinstance(stock.model, Bert)
    assert not isinstance(stock.tokenizer, WordPieces)
    for options in ({}, {"batch_tokens": 64}):
        found, wanted = (each.encode(TEXTS, on_cut=print, **options) for each in (ours, stock))
        np.testing.assert_allclose(found, wanted, atol=1e-6)
        assert (found * wanted).sum(1).min() > 0.99999
    return ours


def test_a_first_vector_imports_no_transformers_and_no_compiler():
    code = (
        "import sys; from phage import Encoder\n"
        "assert Encoder.from_pretrained('phage-mini').encode(['A pump.']).shape == (1, 384)\n"
        "heavy = {'transformers', 'torch._dynamo', 'torch._inductor', 'sympy', 'scipy', 'pandas'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_embedded_model_gives_the_vectors_of_transformers():
    ours = same_as_transformers("phage-mini")
    assert isinstance(ours.model, Bert)
    assert isinstance(ours.tokenizer, WordPieces)


def test_states_are_those_of_transformers_to_the_bit(tiny):
    ours = Encoder.from_pretrained(tiny, device="cpu")
    stock = ours.stock().model
    ids = torch.randint(5, 24, (3, 9), generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(9) < torch.tensor([9, 4, 7])[:, None]).long()
    with torch.inference_mode():
        for seen in (None, mask):
            wanted = stock(input_ids=ids, attention_mask=seen).last_hidden_state
            found = ours.model(ids, seen).last_hidden_state
            assert torch.equal(found, wanted)
            first = ours.model(ids, seen, first_only=True).last_hidden_state
            torch.testing.assert_close(first, wanted[:, :1], atol=1e-6, rtol=0)


def test_other_sizes_and_halved_weights(folder):
    from transformers import BertConfig, BertModel

    torch.manual_seed(1)
    sizes = {"hidden_size": 48, "num_hidden_layers": 5, "num_attention_heads": 3}
    config = BertConfig(
        vocab_size=24, max_position_embeddings=96, intermediate_size=80, type_vocab_size=1, **sizes
    )
    BertModel(config).half().save_pretrained(folder)
    ours = same_as_transformers(folder)
    assert isinstance(ours.model, Bert)
    assert (ours.dimension, ours.model.dtype) == (48, torch.float32)
    assert len(ours.model.encoder.layer) == 5


def test_weights_with_a_head_and_old_names_are_understood(folder):
    wanted = Encoder.from_pretrained(folder, device="cpu").encode(TEXTS[:4])
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    weights = {}
    for name, weight in load_file(folder / "model.safetensors").items():
        for now, then in old.items():
            name = name.replace(now, then)
        weights[f"bert.{name}"] = weight
    weights["cls.predictions.bias"] = torch.zeros(24)
    weights["bert.embeddings.position_ids"] = torch.arange(64)[None]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    ours = same_as_transformers(folder)
    assert isinstance(ours.model, Bert)
    np.testing.assert_array_equal(ours.encode(TEXTS[:4]), wanted)


@pytest.mark.parametrize("said", [{"hidden_act": "relu"}, {"is_decoder": True}])
def test_a_bert_of_another_kind_is_read_by_transformers(folder, said):
    wanted = Encoder.from_pretrained(folder, device="cpu").encode(TEXTS[:2])
    change(folder, "config.json", **said)
    other = Encoder.from_pretrained(folder, device="cpu")
    assert not isinstance(other.model, Bert)
    assert not np.allclose(other.encode(TEXTS[:2]), wanted, atol=1e-3)


def test_tokens_and_their_places_are_those_of_transformers(tiny):
    from phage.backbone import load_tokenizer

    ours, stock = Encoder.from_pretrained(tiny).tokenizer, load_tokenizer(tiny)
    options = {
        "add_special_tokens": False, "truncation": False, "padding": False,
        "return_offsets_mapping": True, "verbose": False,
    }  # fmt: skip
    found, wanted = ours(TEXTS, **options), stock(TEXTS, **options)
    assert found["input_ids"] == wanted["input_ids"]
    assert [list(map(tuple, row)) for row in wanted["offset_mapping"]] == found["offset_mapping"]
    assert ours.get_vocab() == stock.get_vocab()
    for name in ("cls_token_id", "sep_token_id", "pad_token_id", "model_max_length"):
        assert getattr(ours, name) == getattr(stock, name)


@pytest.mark.parametrize(
    "said",
    [
        {"do_lower_case": False},
        {"strip_accents": True},
        {"tokenize_chinese_chars": False},
        {"tokenizer_class": "PreTrainedTokenizerFast"},
        {"cls_token": "[MASK]"},
        {"extra_special_tokens": ["pump"]},
    ],
    ids=str,
)
def test_a_tokenizer_that_transformers_may_read_otherwise_is_left_to_it(folder, said):
    change(folder, "tokenizer_config.json", **said)
    encoder = Encoder.from_pretrained(folder, device="cpu")
    assert isinstance(encoder.model, Bert)
    assert not isinstance(encoder.tokenizer, WordPieces)


def test_an_added_token_is_left_to_transformers(folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(["shaft pump"])
    tokenizer.save_pretrained(folder)
    weights = load_file(folder / "model.safetensors")
    words = weights["embeddings.word_embeddings.weight"]
    weights["embeddings.word_embeddings.weight"] = torch.cat([words, words[-1:]])
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    change(folder, "config.json", vocab_size=25)
    encoder = Encoder.from_pretrained(folder, device="cpu")
    assert not isinstance(encoder.tokenizer, WordPieces)
    assert encoder.tokenizer(["a shaft pump"], add_special_tokens=False)["input_ids"][0][-1] == 24


def test_the_stock_model_takes_the_weights_of_here(tiny, tmp_path):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    with torch.no_grad():
        encoder.model.encoder.layer[1].output.dense.weight.mul_(3)
    wanted = encoder.encode(TEXTS[:3])
    np.testing.assert_array_equal(encoder.stock().encode(TEXTS[:3]), wanted)
    encoder.save_pretrained(tmp_path / "saved")
    again = Encoder.from_pretrained(tmp_path / "saved", device="cpu")
    np.testing.assert_array_equal(again.encode(TEXTS[:3]), wanted)

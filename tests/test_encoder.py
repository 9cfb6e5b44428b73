"""The encoder: pooling, order, padding and what a folder says."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from phage.claims import Claim, Patent
from phage.encoder import Encoder, Pooling
from phage.errors import PhageError

TEXTS = ["a pump", "a pump with a shaft wherein the shaft is steel", "steel", "the pump of claim 1"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A plain transformers folder: a random BERT of two layers and a word tokenizer."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words += sorted(set(" ".join(TEXTS).split()))
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    BertModel(
        BertConfig(vocab_size=len(words), max_position_embeddings=64, **sizes)
    ).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("pooling", list(Pooling))
def test_batches_do_not_change_vectors(tiny, pooling):
    encoder = Encoder.from_pretrained(tiny, pooling=pooling, device="cpu")
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text], batch_tokens=1) for text in TEXTS])
    assert together.shape == (4, 32)
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_a_plain_folder_means_cls_and_the_whole_window(tiny):
    settings = Encoder.from_pretrained(tiny).settings
    assert (settings.pooling, settings.window, settings.normalise) == (Pooling.CLS, 64, True)


@pytest.mark.parametrize("old", [True, False])
def test_a_sentence_transformers_folder_is_obeyed(tiny, tmp_path, old):
    import shutil

    folder = tmp_path / "st"
    shutil.copytree(tiny, folder)
    kinds = ["Transformer", "Pooling"]
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"path": "" if not i else "1_Pooling", "type": f"sentence_transformers.models.{k}"}
                for i, k in enumerate(kinds)
            ]
        )
    )
    (folder / "1_Pooling").mkdir()
    mode = {"pooling_mode_mean_tokens": True} if old else {"pooling_mode": "mean"}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(mode))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 16}))
    encoder = Encoder.from_pretrained(folder)
    assert (encoder.settings.pooling, encoder.settings.window) == (Pooling.MEAN, 16)
    assert not encoder.settings.normalise
    with pytest.raises(PhageError, match="does not fit"):
        Encoder.from_pretrained(folder, window=65)


def test_equal_to_sentence_transformers(tiny, tmp_path):
    st = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    word = modules.Transformer(str(tiny))
    model = st.SentenceTransformer(
        modules=[word, modules.Pooling(32, pooling_mode="mean"), modules.Normalize()], device="cpu"
    )
    model.save(str(tmp_path / "m"))
    ours = Encoder.from_pretrained(tmp_path / "m", device="cpu")
    assert ours.settings.pooling is Pooling.MEAN
    np.testing.assert_allclose(ours.encode(TEXTS), model.encode(TEXTS), atol=1e-5)


def test_patents_are_read_by_their_claims(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    patent = Patent("US1A", (Claim(1, "a pump"), Claim(2, "the pump of claim 1")), title="steel")
    by_title = encoder.encode([patent], text=lambda one: one.title)
    np.testing.assert_allclose(by_title, encoder.encode(["steel"]), atol=1e-6)
    assert not np.allclose(by_title, encoder.encode([patent]))


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(PhageError, match="no model folder"):
        Encoder.from_pretrained(tmp_path / "nowhere")

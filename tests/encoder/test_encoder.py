"""The encoder: pooling, order, padding and what a folder says."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from phage.claims import Claim, Patent
from phage.encoder import Encoder, Pooling, loading, packed
from phage.errors import PhageError
from tiny_model import other

TEXTS = ["a pump", "a pump with a shaft wherein the shaft is steel", "steel", "the pump of claim 1"]


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
    assert np.abs(ours.encode(TEXTS) - model.encode(TEXTS)).max() == 0.0


def test_patents_are_read_by_the_section_asked_for(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    patent = Patent("US1A", (Claim(1, "a pump"), Claim(2, "the pump of claim 1")), title="steel")
    by_title = encoder.encode([patent], section="ta")
    np.testing.assert_allclose(by_title, encoder.encode(["steel"]), atol=1e-6)
    assert not np.allclose(by_title, encoder.encode([patent]))


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(PhageError, match="not a model folder"):
        Encoder.from_pretrained(tmp_path / "nowhere")


def test_a_saved_folder_is_the_same_model_everywhere(tiny, tmp_path):
    from transformers import AutoModel, AutoTokenizer

    st = pytest.importorskip("sentence_transformers")
    encoder = Encoder.from_pretrained(tiny, window=32, device="cpu")
    encoder.save_pretrained(tmp_path / "saved")
    again = Encoder.from_pretrained(tmp_path / "saved", device="cpu")
    assert again.settings == encoder.settings
    vectors = encoder.encode(TEXTS)
    assert np.abs(again.encode(TEXTS) - vectors).max() == 0.0
    theirs = st.SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(TEXTS)
    assert np.abs(theirs - vectors).max() == 0.0
    plain = AutoModel.from_pretrained(tmp_path / "saved")
    tokens = AutoTokenizer.from_pretrained(tmp_path / "saved")(TEXTS[1], return_tensors="pt")
    first = plain(**tokens).last_hidden_state[0, 0].detach().numpy()
    np.testing.assert_allclose(first / np.linalg.norm(first), vectors[1], atol=1e-6)


@pytest.mark.parametrize("pooling", list(Pooling))
def test_the_fast_way_gives_the_same_vectors(tiny, pooling):
    encoder = Encoder.from_pretrained(tiny, pooling=pooling, device="cpu")
    slow = encoder.encode(TEXTS)
    np.testing.assert_allclose(encoder.encode(TEXTS, batch_tokens=40), slow, atol=1e-5)
    assert np.array_equal(encoder.encode(TEXTS), slow)  # nothing of the fast way stays behind


@pytest.mark.parametrize("kind", ["roberta", "mpnet", "modernbert", "electra"])
def test_the_fast_way_of_other_backbones(tiny, kind):
    """Positions that start elsewhere, relative and rotary ones; other names of the same parts."""
    plain = Encoder.from_pretrained(tiny, device="cpu")
    encoder = Encoder(other(kind), plain.tokenizer, plain.settings)
    slow = encoder.encode(TEXTS)
    np.testing.assert_allclose(encoder.encode(TEXTS, batch_tokens=40), slow, atol=1e-5)


def test_weights_that_change_between_two_runs_are_the_new_ones(tiny):

    encoder = Encoder.from_pretrained(tiny, device="cpu")
    before = encoder.encode(TEXTS, batch_tokens=40)
    with torch.no_grad():
        for weight in encoder.model.encoder.parameters():
            weight *= 5
    after = encoder.encode(TEXTS, batch_tokens=40)
    assert np.abs(after - before).max() > 1e-3
    np.testing.assert_allclose(after, encoder.encode(TEXTS), atol=1e-5)


def test_the_embedded_model_is_the_same_everywhere():
    """Its vector is the mean of all tokens, [CLS] and [SEP] too, to every tool that loads it."""
    from transformers import AutoModel, AutoTokenizer

    from phage.encoder.loading import find_model

    st = pytest.importorskip("sentence_transformers")
    encoder = Encoder.from_pretrained("phage-mini", device="cpu")
    assert (encoder.settings.pooling, encoder.settings.window) == (Pooling.MEAN, 512)
    vectors = encoder.encode(TEXTS)
    theirs = st.SentenceTransformer(str(find_model("phage-mini")), device="cpu").encode(TEXTS)
    assert np.abs(theirs - vectors).max() == 0.0
    plain = AutoModel.from_pretrained(find_model("phage-mini"), dtype=torch.float32)
    tokens = AutoTokenizer.from_pretrained(find_model("phage-mini"))(TEXTS[1], return_tensors="pt")
    mean = plain(**tokens).last_hidden_state[0].mean(0).detach().numpy()
    np.testing.assert_allclose(mean / np.linalg.norm(mean), vectors[1], atol=1e-6)


def test_a_cut_is_warned_about_once_with_counts(tiny):
    encoder = Encoder.from_pretrained(tiny, window=8, device="cpu")
    with pytest.warns(UserWarning, match=r"1 of 4 texts are longer than the window of 8") as seen:
        encoder.encode(TEXTS, long="cut")
    assert len(seen) == 1


def test_windows_are_averaged(tiny):
    encoder = Encoder.from_pretrained(tiny, window=6, device="cpu")
    parts = encoder.encode(["a pump with a", "shaft wherein the shaft", "is steel"])
    mean = parts.mean(0) / np.linalg.norm(parts.mean(0))
    np.testing.assert_allclose(encoder.encode(TEXTS[1:2], long="mean")[0], mean, atol=1e-5)
    short = encoder.encode(["a pump"])
    np.testing.assert_allclose(encoder.encode(["a pump"], long="mean"), short, atol=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\U0001f600 pump \U0001f680",
        "a\x00b\x07\x1b[31m pump",
        "\ud83d pump",
        "pump " * 100_000,
    ],
    ids=["empty", "blank", "emoji", "control", "lone surrogate", "100,000 words"],
)
@pytest.mark.filterwarnings("ignore:.*longer than the window")
def test_strange_texts_have_defined_vectors(tiny, text):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    vector = encoder.encode([text])
    assert vector.shape == (1, 32)
    assert np.isfinite(vector).all()


def test_a_patent_without_text_is_named(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    with pytest.raises(PhageError, match="US9A has nothing to encode"):
        encoder.encode([Patent("US9A")])
    assert encoder.encode([]).shape == (0, 32)


def test_compiled_layers_give_the_same_vectors(tiny, monkeypatch):

    encoder = Encoder.from_pretrained(tiny, device="cpu")
    wanted = encoder.encode(TEXTS, batch_tokens=40)
    whole = torch.compile
    # the same graphs, not turned into machine code: that is left to a GPU
    monkeypatch.setattr(
        torch, "compile", lambda *a, **k: whole(*a, **{**k, "backend": "aot_eager"})
    )
    encoder.compile()
    np.testing.assert_allclose(encoder.encode(TEXTS, batch_tokens=40), wanted, atol=1e-5)
    torch._dynamo.reset()


def test_half_products_turn_the_vectors_by_little(tiny):
    whole, half = (Encoder.from_pretrained(tiny, device="cpu", half=h) for h in (False, True))
    exact, fast = (one.encode(TEXTS, batch_tokens=40) for one in (whole, half))
    assert fast.dtype == np.float32
    assert (fast != exact).any() and (fast * exact).sum(1).min() > 0.9999
    assert str(half.model.dtype) == "torch.float32"  # what is saved is not rounded
    np.testing.assert_array_equal(half.encode(TEXTS), whole.encode(TEXTS))  # the exact way is


def test_int8_products_turn_the_vectors_by_little(tiny, monkeypatch):
    monkeypatch.setattr(loading, "fast_int8", lambda: True)
    whole, small = (Encoder.from_pretrained(tiny, device="cpu", int8=i) for i in (False, True))
    exact, fast = (one.encode(TEXTS, batch_tokens=40) for one in (whole, small))
    assert (fast != exact).any() and (fast * exact).sum(1).min() > 0.99
    np.testing.assert_array_equal(small.encode(TEXTS), whole.encode(TEXTS))


def test_int8_is_used_only_where_the_processor_has_it(tiny, monkeypatch):
    monkeypatch.setattr(loading, "fast_int8", lambda: False)
    whole, asked = (Encoder.from_pretrained(tiny, device="cpu", int8=i) for i in (False, True))
    vectors = [one.encode(TEXTS, batch_tokens=40) for one in (whole, asked)]
    np.testing.assert_array_equal(*vectors)


@pytest.mark.parametrize("mask", ["none", "keys", "pairs"])
def test_attention_in_bfloat16_sees_what_the_stock_one_sees(mask):
    q, k, v = torch.randn(3, 2, 4, 37, 8, generator=torch.Generator().manual_seed(0))
    seen = {
        "none": None,
        "keys": (torch.arange(37) < torch.tensor([37, 9])[:, None])[:, None, None],
        "pairs": torch.ones(37, 37).tril().bool().expand(2, 1, 37, 37),
    }[mask]
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
    found = packed.attend(q, k, v, seen)
    torch.testing.assert_close(found.float(), wanted, atol=0.03, rtol=0)

"""What a caller may give the encoder, and which error it gets otherwise."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder import Encoder, model
from phage.errors import PhageError

CLAIMS = (Claim(1, "a pump with a shaft"), Claim(2, "the pump of claim 1"))
PUMP = Patent("US1A", CLAIMS, title="a pump")


@pytest.fixture
def encoder(tiny):
    return Encoder.from_pretrained(tiny, device="cpu")


def test_streams_arrays_and_mixtures_are_taken(encoder):
    wanted = encoder.encode(["a pump", "steel"])
    for items in (iter(["a pump", "steel"]), np.array(["a pump", "steel"]), ("a pump", "steel")):
        assert np.array_equal(encoder.encode(items), wanted)
    both = encoder.encode(["a pump", PUMP])
    np.testing.assert_allclose(both[1], encoder.encode([PUMP])[0], atol=1e-6)
    (claims,) = encoder.read(iter([PUMP]))
    assert claims.numbers == (1, 2)


@pytest.mark.parametrize(
    ("items", "told"),
    [("a pump", "one str"), (PUMP, "one Patent"), ([None], "NoneType is neither"), ([3], "int is")],
)
def test_items_that_are_not_a_list_of_texts_are_reported(encoder, items, told):
    with pytest.raises(PhageError, match=told):
        encoder.encode(items)
    with pytest.raises(PhageError):
        list(encoder.read(items))


def test_words_outside_the_vocabulary_are_said(encoder, tiny):
    assert np.array_equal(encoder.encode([PUMP], section="TA"), encoder.encode(["a pump"]))
    with pytest.raises(PhageError, match="claims, ta, tac, full, whole"):
        encoder.encode([PUMP], section="drawings")
    with pytest.raises(PhageError, match="cut, mean"):
        encoder.encode([PUMP], long="short")
    with pytest.raises(PhageError, match="batch_tokens is -1"):
        encoder.encode([PUMP], batch_tokens=-1)
    with pytest.raises(PhageError, match="cls, mean"):
        Encoder.from_pretrained(tiny, pooling="max")
    with pytest.raises(PhageError, match="device 'gpu' is not available"):
        Encoder.from_pretrained(tiny, device="gpu")


def test_half_a_character_in_a_patent_is_a_question_mark(encoder):
    broken, mended = (Patent("US1A", (Claim(1, f"a {mark} pump"),)) for mark in ("\ud800", "?"))
    assert np.array_equal(encoder.encode([broken]), encoder.encode([mended]))
    found, wanted = encoder.read([broken, mended])
    np.testing.assert_allclose(found.vectors, wanted.vectors, atol=1e-6)


def test_more_texts_than_a_chunk_are_those_of_sentence_transformers(encoder, tmp_path, monkeypatch):
    st = pytest.importorskip("sentence_transformers")
    monkeypatch.setattr(model, "CHUNK", 64)
    lengths = np.random.default_rng(0).integers(0, 60, 300)
    texts = [" ".join(["pump", "shaft", "of"][: 1 + n % 3] * (n // 3)) for n in lengths]
    encoder.save_pretrained(tmp_path / "saved")
    theirs = st.SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(texts)
    assert np.abs(encoder.encode(texts) - theirs).max() == 0.0


def test_progress_is_told_whatever_is_done_with_long_texts(encoder):
    for long in ("cut", "mean"):
        steps: list[int] = []
        encoder.encode(["a pump"] * 5, long=long, advance=steps.append)
        assert sum(steps) == 5


def test_a_prompt_is_saved_and_read_by_all(tiny, tmp_path):
    st = pytest.importorskip("sentence_transformers")
    encoder = Encoder.from_pretrained(tiny, prompt="claim: ", window=12, device="cpu")
    encoder.save_pretrained(tmp_path / "saved")
    again = Encoder.from_pretrained(tmp_path / "saved", device="cpu")
    assert again.settings == encoder.settings
    theirs = st.SentenceTransformer(str(tmp_path / "saved"), device="cpu").encode(["a pump"])
    assert np.array_equal(theirs, encoder.encode(["a pump"]))
    (found,) = encoder.read([PUMP])
    np.testing.assert_allclose(found.patent, encoder.encode([PUMP])[0], atol=1e-6)


def test_a_folder_that_cannot_be_written_is_said(encoder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PhageError, match="cannot write"):
        encoder.save_pretrained(tmp_path / "file")


def test_half_products_still_give_unit_vectors(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu", half=True)
    vectors = encoder.encode(["a pump", "steel"], batch_tokens=40)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_embedded_model_encodes_where_none_is_named(tmp_path):
    (tmp_path / "patents").mkdir()
    file = tmp_path / "patents" / "p.jsonl"
    file.write_text(json.dumps(PUMP.to_json()))
    for place, more in ((file, []), (file.parent, []), (file, [str(tmp_path / "patents")])):
        words = ["encode", str(place), *more, "-o", str(tmp_path / place.stem), "--section", "TA"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, (done.output, done.exception)
        about = json.loads((tmp_path / place.stem / "vectors.json").read_text())
        assert (about["model"], about["rows"]) == ("phage-mini", 1 + len(more))
    for words in (["phage-mini"], [str(tmp_path / "absent.jsonl")]):
        done = CliRunner().invoke(app, ["encode", *words, "-o", str(tmp_path / "v")])
        assert isinstance(done.exception, PhageError) or done.exit_code == 2
        assert not (tmp_path / "v").exists()


def test_who_asks_what_was_cut_is_told_instead_of_warned(tiny):
    short = Encoder.from_pretrained(tiny, device="cpu", window=6)
    long = Patent("US2A", (Claim(1, "a pump " * 20), Claim(2, "a shaft")))
    told: list[int] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        short.encode(["a pump " * 20, "a pump"], long="cut", on_cut=told.append)
        short.encode(["a pump"], on_cut=told.append)
        short.encode([long], section="claims", on_cut=told.append)
        short.encode([long], on_cut=told.append)
    assert told == [1, 0, 1, 0]

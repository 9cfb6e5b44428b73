"""Whole patents in one pass: their windows, their vector and one per claim."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from phage.attention import Layout as BatchLayout
from phage.attention import collate
from phage.claims import Claim, Patent
from phage.claims.text import Section, passage
from phage.claims.window import Fit, cut, spread
from phage.encoder import Encoder
from phage.encoder.settings import Long
from phage.encoder.windows import Layout, Reads
from phage.errors import PhageError
from phage.projection import Projector

CLAIMS = tuple(
    Claim(number, text)
    for number, text in enumerate(
        [
            "a pump with a shaft",
            "the pump of claim 1",
            "the pump of claim 2 wherein the shaft is steel",
        ],
        start=1,
    )
)
PATENT = Patent("US1A", CLAIMS, title="pump", abstract="a pump of steel", description="a " * 9)


def unit(vector):
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("fit", list(Fit))
@pytest.mark.parametrize("section", [one for one in Section if one is not Section.WHOLE])
@pytest.mark.parametrize("window", [8, 16, 24, 64])
def test_training_and_encoding_read_the_same_tokens(tiny, section, fit, window):
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=window)
    projector = Projector(encoder.tokenizer, window, fit, section)
    shorter = Patent("US2A", CLAIMS[:2], title="steel")
    batch = collate(
        [projector(PATENT), projector(shorter)], BatchLayout.of(encoder.model, encoder.tokenizer)
    )
    settings = replace(encoder.settings, fit=fit)
    layout = Layout(encoder.tokenizer, settings, Reads(section, Long.CUT))
    for row, [[tokens]] in enumerate(layout([PATENT, shorter])):
        trained = batch.input_ids[row][batch.attention_mask[row].bool()]
        assert trained.tolist() == tokens.ids.tolist()
        assert len(tokens) <= window


def test_training_reads_one_window(tiny):
    tokenizer = Encoder.from_pretrained(tiny, device="cpu").tokenizer
    with pytest.raises(PhageError, match="one window"):
        Projector(tokenizer, 64, section="whole")


def test_a_saved_model_is_read_as_it_was_trained(tiny, tmp_path):
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=16)
    encoder.settings = replace(encoder.settings, fit=Fit.BALANCED, section=Section.TAC)
    encoder.save_pretrained(tmp_path / "saved")
    again = Encoder.from_pretrained(tmp_path / "saved", device="cpu")
    assert again.settings == encoder.settings
    (tokens,) = cut([passage(PATENT, "tac")], again.tokenizer, 16, "balanced")
    hidden = again.model(torch.from_numpy(tokens.ids)[None].long()).last_hidden_state
    found = again.encode([PATENT], on_cut=lambda _: None)[0]
    np.testing.assert_allclose(found, unit(hidden[0, 0].detach().numpy()), atol=1e-5)
    (tmp_path / "saved" / "reading.json").write_text('{"section": "drawings"}')
    with pytest.raises(PhageError, match=r"reading.json.*drawings"):
        Encoder.from_pretrained(tmp_path / "saved")


@pytest.mark.parametrize("window", [4, 6, 9, 12, 20, 64])
@pytest.mark.parametrize("prompt", ["", "claim "])
def test_windows_hold_every_token_once_and_break_between_claims(tiny, window, prompt):
    tokenizer = Encoder.from_pretrained(tiny, device="cpu").tokenizer
    text = passage(PATENT, "claims", prompt)
    ((whole,),) = spread([text], tokenizer, 512)
    (windows,) = spread([text], tokenizer, window)
    lead = len(prompt.split())
    inner = [one.ids[1 + lead : -1] for one in windows]
    assert np.concatenate(inner).tolist() == whole.ids[1 + lead : -1].tolist()
    assert all(len(one) <= window for one in windows)
    assert all(
        one.ids[1 : 1 + lead].tolist() == whole.ids[1 : 1 + lead].tolist() for one in windows
    )
    sizes = np.bincount(whole.claims[1 + lead : -1])
    for index, size in enumerate(sizes):
        holding = sum(index in one.claims for one in windows)
        room = window - 2 - lead
        assert holding == -(-size // room)  # whole where it can be


def test_windows_are_even(tiny):
    tokenizer = Encoder.from_pretrained(tiny, device="cpu").tokenizer
    even = Patent("US1A", tuple(Claim(n, "a pump of") for n in range(1, 5)))  # 5 tokens each
    (windows,) = spread([passage(even)], tokenizer, 18)
    assert [len(one) for one in windows] == [12, 12]  # not 17 and 7


@pytest.mark.parametrize("window", [10, 24, 64])
def test_a_whole_patent_is_its_front_page_and_the_mean_of_its_claim_windows(tiny, window):
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=window)
    front = encoder.encode([passage(PATENT, "ta").text], long="mean")[0]
    (windows,) = spread([passage(PATENT)], encoder.tokenizer, window)
    each = [
        unit(encoder.model(torch.from_numpy(one.ids)[None].long()).last_hidden_state[0, 0].detach())
        for one in windows
    ]
    wanted = unit(front + unit(np.mean(each, axis=0)))
    found = encoder.encode([PATENT])[0]
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    (read,) = encoder.read([PATENT])
    np.testing.assert_allclose(read.patent, wanted, atol=1e-5)
    bare = Patent("US2A", CLAIMS)
    np.testing.assert_allclose(encoder.encode([bare])[0], unit(np.mean(each, axis=0)), atol=1e-5)


def test_claim_vectors_are_means_over_all_their_tokens(tiny):
    for window in (64, 8):  # in one window; claim 3 in two
        encoder = Encoder.from_pretrained(tiny, device="cpu", window=window)
        (found,) = encoder.read([PATENT])
        assert found.numbers == (1, 2, 3)
        (windows,) = spread([passage(PATENT)], encoder.tokenizer, window)
        hidden, owners = [], []
        for one in windows:
            made = encoder.model(torch.from_numpy(one.ids)[None].long()).last_hidden_state[0]
            hidden.append(made[1:-1].detach().numpy())
            owners.append(one.claims[1:-1])
        hidden, owners = np.concatenate(hidden), np.concatenate(owners)
        for index in range(3):
            mean = unit(hidden[owners == index].mean(0))
            np.testing.assert_allclose(found.vectors[index], mean, atol=1e-5)


def test_what_is_missing_is_not_read(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    titled = Patent("US1A", title="pump")
    (found,) = encoder.read([titled])
    assert (found.numbers, found.vectors.shape) == ((), (0, 32))
    np.testing.assert_allclose(found.patent, encoder.encode(["pump"])[0], atol=1e-5)
    with pytest.raises(PhageError, match="US9A has nothing to encode"):
        list(encoder.read([Patent("US9A")]))
    assert list(encoder.read([])) == []


def test_texts_are_read_in_windows_and_count_as_one_claim(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=6)
    text = "a pump with a shaft wherein the shaft is steel"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vector = encoder.encode([text])[0]
        long, empty = encoder.read([text, ""])
    np.testing.assert_allclose(vector, encoder.encode([text], long="mean")[0], atol=1e-6)
    np.testing.assert_allclose(long.patent, vector, atol=1e-5)
    assert long.numbers == (0,)
    assert np.isfinite(empty.vectors).all()
    with pytest.raises(PhageError, match="one str"):
        encoder.read(text)


def test_rows_of_token_ids_are_encoded_as_they_are(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    rows = [one.ids for one in cut([passage(PATENT), passage(PATENT, "ta")], encoder.tokenizer, 64)]
    wanted = [encoder.encode([PATENT], section=section)[0] for section in ("claims", "ta")]
    np.testing.assert_allclose(encoder.encode_tokens(rows), wanted, atol=1e-5)


def test_a_stream_is_read_chunk_by_chunk_with_progress(tiny, monkeypatch):
    from phage.encoder import windows

    monkeypatch.setattr(windows, "CHUNK", 2)
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=16)
    taken, done = [], []

    def stream():
        for place in range(7):
            taken.append(place)
            yield replace(PATENT, number=f"US{place}A", claims=CLAIMS[: 1 + place % 3])

    read = encoder.read(stream(), advance=done.append)
    first = next(read)
    assert len(taken) <= 4  # this chunk and the next
    rest = list(read)
    assert sum(done) == 7
    for place, found in enumerate([first, *rest]):
        assert found.numbers == tuple(range(1, 2 + place % 3))
        alone = encoder.encode([replace(PATENT, claims=CLAIMS[: 1 + place % 3])])[0]
        np.testing.assert_allclose(found.patent, alone, atol=1e-5)

"""One vector per claim from a single pass."""

from __future__ import annotations

import numpy as np
import pytest

from phage.claims import Claim, Patent
from phage.encoder import Encoder
from phage.encoder.claims import claim_windows

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


def test_a_set_that_fits_is_one_window(tiny):
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    (found,) = encoder.encode_claims([Patent("US1A", CLAIMS)])
    assert found.numbers == (1, 2, 3)
    assert found.vectors.shape == (3, 32)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(found.patent, encoder.encode([Patent("US1A", CLAIMS)])[0], atol=1e-6)


def test_claim_vectors_are_token_means(tiny):
    import torch

    encoder = Encoder.from_pretrained(tiny, device="cpu")
    (found,) = encoder.encode_claims([Patent("US1A", CLAIMS)])
    text = " ".join(f"{c.number}. {c.text}" for c in CLAIMS)
    tokens = encoder.tokenizer(text, return_tensors="pt")
    hidden = encoder.model(**tokens).last_hidden_state[0].detach()
    second = hidden[1 + 7 : 1 + 7 + 7]  # "1 . a pump with a shaft" and "2 . the pump of claim 1"
    mean = torch.nn.functional.normalize(second.mean(0), dim=0).numpy()
    np.testing.assert_allclose(found.vectors[1], mean, atol=1e-5)


@pytest.mark.parametrize("window", [6, 9, 12, 20, 64])
def test_every_claim_is_covered_and_no_window_overflows(tiny, window):
    encoder = Encoder.from_pretrained(tiny, device="cpu", window=window)
    windows = claim_windows(0, CLAIMS, encoder.tokenizer, encoder.settings)
    assert all(len(w.ids) <= window for w in windows)
    assert [claim for w in windows for claim, _, _ in w.claims] == [0, 1, 2]
    assert [w.first for w in windows] == [True] + [False] * (len(windows) - 1)
    for w in windows:
        for _, start, end in w.claims:
            assert 1 <= start < end <= len(w.ids) - 1


@pytest.mark.filterwarnings("ignore:.*longer than the window")
def test_the_first_window_is_what_encode_reads(tiny):
    encoder = Encoder.from_pretrained(tiny, window=12, device="cpu")
    patent = Patent("US1A", CLAIMS)
    (found,) = encoder.encode_claims([patent])
    np.testing.assert_allclose(found.patent, encoder.encode([patent])[0], atol=1e-6)

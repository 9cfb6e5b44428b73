"""The NumPy reader of short texts gives what the encoder gives."""

import numpy as np
import pytest

from phage.encoder import Encoder
from phage.searching.short import ShortReader, short_query
from phage.searching.state import IndexSettings

TEXTS = ["a pump", "a pump whose rotor floats on a magnetic bearing, comprising: a housing (12)"]


@pytest.mark.parametrize("name", ["tiny", "phage-mini"])
def test_it_gives_the_same_vectors(name, tiny):
    source = str(tiny) if name == "tiny" else name
    encoder = Encoder.from_pretrained(source, device="cpu")
    reader = ShortReader.load(source)
    if reader is None:
        pytest.skip("a model of another kind")
    for text, found in zip(TEXTS, encoder.read(TEXTS), strict=True):
        own, tokens = reader.read(text)
        np.testing.assert_allclose(own, found.patent, atol=2e-5)
        np.testing.assert_allclose(tokens, found.vectors[0], atol=2e-5)


def test_what_it_cannot_read_is_left_to_the_encoder(tiny, tmp_path):
    encoder = Encoder.from_pretrained("phage-mini", device="cpu")
    settings = IndexSettings.of(encoder, "whole")
    assert short_query(settings, "a pump") is not None
    assert short_query(settings, "a pump " * 600) is None
    other = tuple(np.roll(settings.probe, 1))
    assert short_query(IndexSettings("phage-mini", 384, probe=other), "a pump") is None
    assert short_query(IndexSettings(str(tmp_path), 384, probe=other), "a pump") is None

"""How alike texts are by their words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from phage.searching.likeness import Wording, packed
from phage.searching.words import count

TEXTS = [
    "A pump comprising a rotor, a housing and a magnetic bearing.",
    "Pumps with rotors in housings, each rotor on a magnetic bearing.",
    "A pump for tea. " + "The kettle boils the water of the tea. " * 30,
    "A plough with a headstock.",
]
WORDING = Wording.of(count(TEXTS))


def alike(text: str, texts: list[str]) -> list[float]:
    return WORDING.alike(text, pa.array(map(packed, texts), pa.list_(pa.uint32()))).tolist()


def test_the_same_words_are_nearest_whatever_their_number_and_order():
    likeness = alike(TEXTS[0], TEXTS)
    assert min(likeness[:2]) > 2 * likeness[2] > 0
    assert likeness[3] == 0


def test_rare_words_weigh_more_than_frequent_ones():
    one, other = alike("a pump with a headstock", [TEXTS[2], TEXTS[3]])
    assert other > one


def test_more_of_a_word_adds_less_and_less():
    few, more, many = (
        WORDING.alike("tea", pa.array([packed("tea " * n + "kettle")], pa.list_(pa.uint32())))[0]
        for n in (1, 2, 200)
    )
    assert few < more < many
    assert many - more < more


def test_a_count_has_a_limit_and_a_text_may_be_empty():
    assert int(packed("pump " * 5_000)[0]) & 4095 == 4095
    assert alike("pump", ["", "of the"]) == [0.0, 0.0]
    assert alike("", TEXTS) == [0.0] * 4
    assert np.isfinite(alike("水 pump", TEXTS)).all()

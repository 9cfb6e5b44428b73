"""The picture of mask and bias."""

from __future__ import annotations

import numpy as np
import pytest

from phage.attention.draw import draw_attention
from phage.errors import PhageError
from phage.projection import Kept, Projection

pytest.importorskip("matplotlib")


def one(claims=5, open_=False):
    owners = np.concatenate(([-1], np.repeat(np.arange(claims), 7), [claims - 1])).astype(np.int32)
    table = np.zeros((claims, claims), dtype=np.int8)
    for number in range(1, claims):
        table[number, number - 1] = 1 + number % 4
    count = 0 if open_ else claims - 1
    return Projection(
        "US1A", owners + 9, owners, tuple(range(1, claims + 1)), table,
        Kept(claims, claims, count, count, int(open_)),
    )  # fmt: skip


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_picture_is_written(tmp_path, ending):
    path = tmp_path / f"mask.{ending}"
    draw_attention(one(), path)
    assert path.stat().st_size > 5000


def test_the_picture_says_what_it_shows(tmp_path):
    import matplotlib as mpl

    path = tmp_path / "mask.svg"
    with mpl.rc_context({"svg.fonttype": "none"}):  # words as words
        draw_attention(one(), path, biases=[0.7, 0.71, 0.72, 0.73, 0.74])
    drawn = path.read_text()
    assert "US1A   5 of 5 claims, 4 of 4 edges in 37 tokens" in drawn
    assert "cite  b = 0.7100   1 edge" in drawn
    assert "both  b = 0.7400   1 edge" in drawn


@pytest.mark.parametrize("patent", [one(116), one(1, open_=True)])
def test_extremes(tmp_path, patent):
    draw_attention(patent, tmp_path / "mask.png", dark=True)


def test_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(PhageError, match="end its name"):
        draw_attention(one(), tmp_path / "mask.doc")

"""What granted claims name without an introduction, and what nobody objects to."""

import pytest

from phage.checking.example import found

FINE = [
    "A protein comprising the amino acid sequence of SEQ ID NO: 2.",
    "A protein comprising the amino acid sequence set forth in SEQ ID NO: 2.",
    "A bicycle of the type having a frame, the frame being red.",
    "A steel comprising 5 % Cr, the balance Fe and impurities.",
    "A steel comprising 5 % Cr, the remainder being Fe.",
    "A lamp having a foot, wherein the underside of the foot is red.",
    "A lens having a front surface, wherein the radius of curvature of the front surface is 5 mm.",
]


@pytest.mark.parametrize("claim", FINE)
def test_names_without_an_introduction(claim):
    assert not found(claim)


def test_the_like_is_no_thing():
    assert [row[0] for row in found("A kit of nails, bolts or the like.")] == ["relative-term"]

"""Claims → elements: nothing lost, nothing twice, whatever the text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phage.claims import Claim
from phage.claims.elements import elements

CASES = {
    "A cup comprising a rim, a base and a handle joined to the rim.": [
        "A cup comprising", "a rim", "a base and a handle joined to the rim."],
    "A method comprising mixing sand, heating the sand, and cooling it.": [
        "A method comprising", "mixing sand", "heating the sand", "cooling it."],
    "The cup of claim 1, wherein the rim comprises: a lip; and a ring.": [
        "The cup of claim 1", "wherein the rim comprises", "a lip", "a ring."],
    "The cup of claim 1 or 2, further comprising a lid (of a metal; or wood).": [
        "The cup of claim 1 or 2, further comprising", "a lid (of a metal; or wood)."],
    "The cup of claim 1, wherein the lid is one of a cap, a plug and a film.": [
        "The cup of claim 1", "wherein the lid is one of a cap, a plug and a film."],
    "A cup having a rim of the lid comprising: a lip; a ring.": [
        "A cup having a rim of the lid comprising", "a lip", "a ring."],
    "Ein Becher, umfassend: einen Rand; und einen Boden, dadurch gekennzeichnet, dass er rund ist.": [
        "Ein Becher, umfassend", "einen Rand", "einen Boden",
        "dadurch gekennzeichnet, dass er rund ist."],
    "A cup.": ["A cup."],
    "": [],
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
def test_a_claim_is_split_where_a_reader_would(text):
    assert [one.text for one in elements(Claim(1, text))] == CASES[text]


WORDS = st.sampled_from(
    ["a", "rim", ";", ",", "and", "wherein", "comprising:", "(", ")", "heating", "claim 1", "；", "[",
     "a lid", "consisting of", "of", ".", "having", "é", "\u202e"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_elements_keep_their_places_and_every_word(text):
    found = elements(Claim(7, text))
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(a.end <= b.start for a, b in pairwise(found))
    left = text
    for one in reversed(found):
        left = left[: one.start] + left[one.end :]
    assert not set(left.split()) - {
        ";",
        ",",
        "and",
        "；",
        ":",
        "(",
        ")",
        "[",
        ".",
        "\u202e",
        "a",
        "é",
    }
    assert len({one.label for one in found}) == len(found)


def test_a_hostile_claim_takes_no_more_than_its_length():
    for text in (
        "(" * 50_000,
        "a;" * 50_000,
        "(a)" * 30_000 + ";",
        "a, a " * 30_000,
        "wherein " * 20_000,
    ):
        elements(Claim(1, text))

"""Suggestions: following one must not make another fault."""

import pytest

from phage.checking import check
from phage.checking.report.terminal import lines
from phage.claims import Claim, Patent
from phage.claims.readers import draft


def found(*texts: str, rule: str = "antecedent-missing") -> list[tuple[int, str, str, int]]:
    """Return claim, words, suggestion and first related claim of the findings of a rule."""
    claims = tuple(Claim(number, text) for number, text in enumerate(texts, start=1))
    return [
        (f.claim, f.place.text, f.suggestion, f.related[0].claim if f.related else 0)
        for f in check(Patent("draft", claims)).findings
        if f.rule == rule
    ]


def test_a_later_claim_is_not_named_as_the_one_to_refer_to() -> None:
    lamp = "A lamp comprising a base."
    dimmed = "The lamp of claim 1, comprising a dimmer."
    rotary = "The lamp of claim 1, wherein the dimmer is rotary."
    assert found(lamp, rotary, dimmed) == [(2, "the dimmer", "introduce it: 'a dimmer'", 3)]
    assert found(lamp, dimmed, rotary) == [
        (3, "the dimmer", "refer to claim 2, which introduces it, or write 'a dimmer'", 2)
    ]


def test_a_claim_of_another_kind_is_not_named_either() -> None:
    assert found(
        "A lamp comprising a base.",
        "A method of lighting a room, comprising turning a dimmer.",
        "The lamp of claim 1, wherein the dimmer is rotary.",
    ) == [(3, "the dimmer", "introduce it: 'a dimmer'", 2)]


def test_a_feature_before_another_is_no_part_of_its_name() -> None:
    mug = "A mug having a wall, wherein the wall is flat and the third rim is round."
    assert [words for _, words, *_ in found(mug)] == ["the third rim"]


def test_such_is_no_introduction() -> None:
    assert found(
        "A lamp comprising a base.",
        "The lamp of claim 1, wherein such dimmer is red.",
        "The lamp of claim 1, wherein the dimmer is rotary.",
    ) == [(3, "the dimmer", "introduce it: 'a dimmer'", 0)]


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        ("the wheels are", "introduce it: 'wheels' or 'a plurality of wheels'"),
        ("said batteries are", "introduce it: 'batteries' or 'a plurality of batteries'"),
        ("the axle is", "introduce it: 'an axle'"),
    ],
)
def test_several_things_are_introduced_as_several(words: str, suggestion: str) -> None:
    cart = "A cart comprising a box."
    (_, _, said, _) = found(cart, f"The cart of claim 1, wherein {words} made of steel.")[0]
    assert said == suggestion


def test_the_plural_is_quoted_as_it_was_introduced() -> None:
    lamp = "A lamp comprising a plurality of batteries."
    one = "The lamp of claim 1, wherein the battery is flat."
    ((_, _, said, _),) = found(lamp, one, rule="antecedent-number")
    assert said == "write 'each of the', 'one of the' or 'the batteries'"


def test_a_number_given_twice_is_named_as_printed() -> None:
    claims = (
        Claim(1, "A pump."),
        Claim(2, "The pump of claim 1, being red."),
        Claim(3, "The pump of claim 9, being new.", printed=2),
    )
    messages = [f.message for f in check(Patent("draft", claims)).findings]
    assert "claim 2 (again) refers to claim 9, which does not exist" in messages


def test_a_number_taken_twice_is_told_as_printed() -> None:
    read = draft.patent(
        "1. A bed having a leg.\n2. The bed of claim 1, having a slat.\n2. The bed of claim 1, having a slat, a net.\n"
        "3. The bed of claim 1, having a slat and the net, the rim."
    )
    report = check(read)
    told = "\n".join(line.plain for line in lines(read, report)) + report._repr_html_()
    assert report.again == {4: 2} and "claim 2 (again)" in told
    assert "claim 4" not in told

"""Noun phrases of English claims: what is a term, and how it is introduced."""

import pytest

from phage.language.en.mentions import mentions


def read(text: str) -> list[str]:
    """Write "+" before what is spoken of as known."""
    return [("+" if m.determiner == "def" else "") + m.term for m in mentions(text)]


@pytest.mark.parametrize(
    ("phrase", "terms"),
    [
        # determiners and numbers
        ("a first drive shaft (12) of the pump", ["first drive shaft", "+pump"]),
        ("at least one of the arms", ["+arm"]),
        ("said at least one rotor blade", ["+rotor blade"]),
        ("one or more rotor blades", ["rotor blade"]),
        ("a plurality of through holes", ["through hole"]),
        ("the plurality of cutting edges", ["+cutting edge"]),
        ("a first pair of rollers", ["first pair", "roller"]),
        ("each of the two ends", ["+end"]),
        ("another end and the other end", ["end", "+end"]),
        ("these levers and such a lever", ["+lever", "+lever"]),
        ("its circumference", ["+circumference"]),
        ("a one piece housing", ["one piece housing"]),
        ("the vehicle's wheel", ["+vehicle", "+wheel"]),
        ("an effective amount of a large number of salts", ["effective amount", "salt"]),
        # reference signs
        ("the arm 12 and the arms 14a, 14b", ["+arm", "+arm"]),
        ("a layer (3a, 3b) on a film (iv)", ["layer", "film"]),
        # heads in the singular
        ("two vertices, axes, lenses and bodies", ["vertex", "axis", "lens", "body"]),
        # coordination
        ("the first, second and third gears", ["+first gear", "+second gear", "+third gear"]),
        ("inner and outer walls", ["inner wall", "outer wall"]),
        ("right- and left-hand arms", ["right-hand arm", "left-hand arm"]),
        ("the top and bottom of the box", ["+top", "+bottom", "+box"]),
        ("the spring and damper", ["+spring", "+damper"]),
        ("an internal, threaded bore", ["internal threaded bore"]),
        # verbs that look like nouns and nouns that look like verbs
        ("the base that supports the supports", ["+base", "+support"]),
        ("a base to support the position sensor", ["base", "+position sensor"]),
        ("the controllers control the control valve", ["+controller", "+control valve"]),
        ("a controller outputs a signal to an output", ["controller", "signal", "output"]),
        ("the nozzles spray water", ["+nozzle", "water"]),
        ("nozzles that spray water", ["nozzle", "water"]),
        ("the receive coil and a transmit antenna", ["+receive coil", "transmit antenna"]),
        # words in -ing
        ("a housing receiving a rotating shaft", ["housing", "rotating shaft"]),
        ("a data processing unit storing data", ["data processing unit", "data"]),
        ("a layer coating the coating", ["layer", "+coating"]),
        ("a supply of cleaning solution", ["supply", "cleaning solution"]),
        ("the laying of the web", ["+web"]),
        ("by heating water with rotating blades", ["water", "rotating blade"]),
        # participles
        ("the received signal received by the receiver", ["+received signal", "+receiver"]),
        ("optionally substituted alkyl", ["optionally substituted alkyl"]),
        # adjectives behind their noun
        ("a lever rotatable about an axis", ["lever", "axis"]),
        ("a wall adjacent the adjacent layer", ["wall", "+adjacent layer"]),
        ("the upper, and the interior of the shoe", ["+upper", "+interior", "+shoe"]),
        # what is not a term
        ("a length of 10 mm and 5 wt % of salt", ["length", "salt"]),
        ("in contact with the plate in order to seal", ["+plate"]),
        ("selected from the group consisting of glass and steel", ["glass", "steel"]),
        ("R1 is a halogen atom of formula (II)", ["halogen atom"]),
    ],
)
def test_phrases(phrase: str, terms: list[str]):
    assert read(f"A widget wherein {phrase}.") == terms


@pytest.mark.parametrize(
    ("claim", "terms"),
    [
        ("A check valve having a seat, the valve closing the seat.", ["seat", "+seat"]),
        ("A check valve and a valve, the valve being open.", ["valve", "+valve"]),
        ("The method of a printer according to claim 7, wherein the ink dries.", ["+ink"]),
        ("A camera comprising the device of claim 1 and a lens.", ["lens"]),
        ("An article of footwear having a sole, the footwear being dry.", ["sole"]),
        ("A user equipment (UE) comprising a memory, the UE being mobile.", ["memory"]),
        ("In a pump having a seal, a bearing comprising a ring.", ["pump", "seal", "ring"]),
        ("The system, wherein said device holds the apparatus.", []),
        ("A net having a plurality of knots, each knot being tied.", ["knot", "+knot"]),
        ("A net having side straps each having an end.", ["side strap", "end"]),
    ],
)
def test_the_claimed_thing_is_no_term(claim: str, terms: list[str]):
    assert read(claim) == terms


def test_spans_point_at_the_phrase_as_printed():
    text = "A pump, wherein the First Drive\nShafts (12) turn."
    (mention,) = mentions(text)
    assert text[mention.start : mention.end] == "First Drive\nShafts"
    assert mention.term == "first drive shaft"


def test_letters_that_grow_in_lower_case_do_not_move_the_spans():
    text = "A widget having an İİİ plate and a rod."
    assert [text[m.start : m.end] for m in mentions(text)] == ["İİİ plate", "rod"]


@pytest.mark.parametrize("text", ["", "   ", ".", "()", "1", "A", "the", "§ 3 — …"])
def test_odd_texts_do_no_harm(text: str):
    assert mentions(text) == ()

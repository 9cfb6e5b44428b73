"""No text takes more than its length: hostile shapes, whole sizes, counted calls; and the bounds."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.shapes import SETS, SHAPES, WORDS

from phage import structure
from phage.claims import Claim, Patent
from phage.claims.marks import STYLES
from phage.claims.normal import publication, whole_number
from phage.claims.readers import draft, greenbook, sgml
from phage.claims.readers.documents import parse
from phage.claims.readers.sources import Entry
from phage.claims.readers.unpack import Peek
from phage.claims.split import split_set
from phage.errors import PhageError
from phage.graph import build_graph
from phage.graph.citations import LONGEST, cite_edges
from phage.graph.types import ancestors, closure
from phage.language import LANGUAGES, passage
from phage.language.en import clauses
from phage.searching.asking import drafted, has_numbered_claims
from phage.structure import Reason, find_mentions

CODES = list(WORDS)
WORST = 400_000
"""Characters that one request may have."""


def graph_of(text: str, code: str = "en"):
    return build_graph(
        Patent("hostile", (Claim(1, WORDS[code].new), Claim(2, text)), language=code)
    )


def read_draft(text: str) -> list[object]:
    return list(draft.read_draft(Entry("a.txt", Peek(io.BytesIO(text.encode()))), True))


def calls(run: Callable[[], object]) -> int:
    """Count the calls that Python makes while something runs."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


# --- Every shape, every stage: it ends ---


@pytest.mark.parametrize("shape", SHAPES)
def test_every_stage_ends_on_every_shape(shape):
    code = CODES[list(SHAPES).index(shape) % len(CODES)]
    text = SHAPES[shape](WORDS[code], 4_000)
    graph_of(text, code)
    split_set(text)
    read_draft(text)
    has_numbered_claims(text)


@pytest.mark.parametrize("numbers", [30, 300, 3_000])
@pytest.mark.parametrize("joint", [" , ", " and ", " . , ", "</b> , <b>"])
def test_a_list_of_numbers_is_read_in_one_way(numbers, joint):
    listed = joint.join(map(str, range(1, numbers + 1)))
    text = f"1. A pump of SEQ ID NO: {listed} .\n2. The pump of claim 1."
    assert split_set(text).claims[0].number == 1
    assert graph_of(f"The pump of claims {listed}, with a shaft.").edges


@pytest.mark.parametrize("run", [" ", "\n"])
def test_white_space_costs_its_length(run):
    blanks, fewer = run * WORST, run * (WORST // 8)
    text = f"Claims{fewer}1. A pump{fewer}x.\n2. The pump of claim{fewer}1, with a shaft."
    for one in (text, blanks, f"Claims{blanks}x", f"1. x\nabstract{blanks}x"):
        read_draft(one)
        has_numbered_claims(one)
    assert drafted(text, "query").claims
    for code, words in WORDS.items():
        graph_of(f"{words.refers}{words.claim}{fewer}{words.couples}{fewer}x", code)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "shape",
    ["couplings", "couplings without a stop", "verbs", "terms, then verbs", "references",
     "exceptions from one", "owners", "an enumeration", "one long word", "headings"],
)  # fmt: skip
def test_four_times_the_text_takes_four_times_the_calls(shape, code, monkeypatch):
    monkeypatch.setattr(passage, "NEAREST", 5)
    monkeypatch.setattr(clauses.Clauses._near, "__defaults__", (20,))
    language = LANGUAGES[code]

    def work(size: int) -> int:
        text = SHAPES[shape](WORDS[code], size)

        def run() -> None:
            language.components(text, find_mentions(text, language))
            cite_edges((Claim(1, WORDS[code].new), Claim(2, text)), language)

        return calls(run)

    work(400)  # what is made on the first call, and remembered
    assert work(6_000) <= 5 * work(1_500) + 500


# --- Loops over claims ---


@pytest.mark.parametrize("name", SETS)
def test_sets_of_claims_end(name):
    assert build_graph(Patent("set", SETS[name](100))).claims


def test_ancestors_are_the_closure():
    pairs = [(1, 2), (2, 4), (1, 3), (4, 5)]
    above = ancestors(pairs)
    assert closure(pairs) == {
        (s, t) for t, bits in above.items() for s in range(9) if bits >> s & 1
    }


def test_claims_that_cite_all_others_have_a_graph():
    graph = build_graph(Patent("many", SETS["any preceding claim"](600)))
    assert len(graph.edges) == 600 * 599 // 2


def test_more_than_a_graph_may_hold_is_refused(monkeypatch):
    monkeypatch.setattr(structure, "MOST", 1_000)
    with pytest.raises(PhageError, match="more than 1,000 references to claims"):
        build_graph(Patent("many", SETS["any preceding claim"](60)))
    with pytest.raises(PhageError, match="references"):  # before it is spelled out
        graph_of("A pump of claims " + "1-2, " * 2_000)


def test_couplings_between_too_many_claims_are_refused(monkeypatch):
    from phage.graph import couplings

    monkeypatch.setattr(couplings, "MOST", 100)
    with pytest.raises(PhageError, match="couplings between claims"):
        build_graph(Patent("many", SETS["shared couplings"](60)))


# --- What a bound leaves out is reported ---


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "a shaft" + " a housing coupled to" * 700),
        ("de", "eine Welle" + " ein Gehäuse verbunden" * 700),
        ("fr", "un arbre" + " un boîtier relié à" * 700),
        ("zh", "所述壳体与转轴连接" * 700),
        ("ja", "前記軸受に" * 300 + "接続される筐体"),
        ("ko", "상기 회전축에 " * 300 + "결합되는 하우징"),
    ],
)
def test_a_clause_with_too_many_things_is_named(code, text):
    words = WORDS[code]
    dense = graph_of(text, code)
    found = [one for one in dense.diagnostics if one.reason is Reason.DENSE]
    assert [one.claim for one in found] == [2]
    plain = graph_of(f"{words.couples}{words.comma} " * 3, code)
    assert not [one for one in plain.diagnostics if one.reason is Reason.DENSE]


def test_evidence_shows_the_begin_of_an_endless_reference():
    text = "A pump of claims " + ", ".join(map(str, range(1, 900))) + ", with a shaft."
    graph = graph_of(text)
    (edge,) = graph.edges
    (proof,) = edge.evidence
    assert proof.phrase == text[proof.start : proof.end] and len(proof.phrase) == LONGEST
    missing = [one for one in graph.diagnostics if one.reason is Reason.MISSING]
    assert len(missing) == 897 and all(len(one.phrase) == LONGEST for one in missing)


@pytest.mark.parametrize("chain", ["rotating ", "able to ", "is to ", "and mounted "])
def test_verbs_that_hand_a_subject_on_end(chain):
    assert graph_of(f"a shaft {chain * 3_000}extending to the housing").claims


# --- Patterns that were written anew read what they read before ---


def test_cancelled_lists_are_read():
    found = split_set("1, 3-5 and 7. (canceled) 8. A pump of claim 9. 10-9. (canceled)")
    assert found.cancelled == (1, 3, 4, 5, 7) and found.claims[0].number == 8
    endless = "1-9999. (canceled) " * 3_000
    assert split_set(endless).cancelled == tuple(range(1, 10_000))
    assert STYLES["point"].match("1 . - 3 . (canceled)")


def test_a_number_before_two_claims_is_named():
    (_, problem) = read_draft("Claims\n1. A pump.\n2. A rod.\n\n claim 2: A shaft.\n3. An arm.")
    assert "two claims have the number 2" in problem.reason
    assert len(read_draft("Claims\n1. A pump.\n2. A rod of 1.\n12 x\n21. y")) == 1


def test_numbered_lines_make_a_query_a_claim_set():
    assert has_numbered_claims("\n\n 1 ) A pump\n\n\n  2. It")
    assert has_numbered_claims("x\n1. A pump\n2.\tIt")
    assert not has_numbered_claims("2. It\n1. A pump")
    assert not has_numbered_claims("1.\n2. It")  # nothing between them


def test_numbers_that_are_not_numbers():
    assert whole_number("US1" + " " * WORST + "x").startswith("US1")
    assert publication("US", "0" * WORST + "X", "A").startswith("US0")
    assert whole_number("US 8,621,662 B2") == "US8621662B2"


def test_empty_elements_are_closed():
    given = b"<EMI ID=1 /><EMI><EMI/><EMI ID=2></EMI><EMI A / ><PARA/>"
    assert sgml.closed(given) == b"<EMI ID=1/><EMI/><EMI/><EMI ID=2/><EMI A //><PARA/>"
    assert len(sgml.closed(b"<EMI" + b" " * WORST)) == WORST + 4


def test_a_document_type_is_read_once():
    assert parse(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>d</a>").text == "d"
    with pytest.raises(Exception, match="well-formed"):
        parse(b"<!DOCTYPE[" * 40_000)


def test_lines_that_go_on_are_joined_once():
    lines = b"\n".join([b"      x"] * 100_000)
    document = b"PATN\n\nWKU  039302717\nTTL  A\n" + lines + b"\nCLMS\n\nNUM  1.\nPAR  1. A pump.\n"
    patent, _ = greenbook.patent(document)
    assert patent.title.count("x") == 100_000 and patent.claims[0].text == "A pump."

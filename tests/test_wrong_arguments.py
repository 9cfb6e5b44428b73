"""What a public function cannot take is refused in plain words, with what it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phage
from phage import frames
from phage.checking import CheckSettings
from phage.graph import Edge, GraphSettings, Relation
from phage.invented import invent
from phage.searching import Search

PATENTS = [invention.patent for invention in invent(3)]
DATED = replace(PATENTS[0], filing_date="2014")


@pytest.fixture(scope="module")
def encoder(tiny):
    return phage.Encoder.from_pretrained(tiny, device="cpu")


@pytest.fixture(scope="module")
def index(encoder, tmp_path_factory):
    pytest.importorskip("lancedb")
    index = phage.Index.create(tmp_path_factory.mktemp("wrong") / "own.index", encoder)
    index.add(PATENTS, encoder)
    index.finish()
    return index


WRONG = {
    "check a text": lambda: phage.check("1. A pump."),
    "check None": lambda: phage.check(None),
    "check an office": lambda: phage.check(PATENTS[0], "EP"),
    "check for an unknown office": lambda: CheckSettings("DE"),
    "graph of a list": lambda: phage.build_graph(PATENTS),
    "graph by a parser": lambda: phage.build_graph(PATENTS[0], "spacy"),
    "relation": lambda: phage.build_graph(PATENTS[0]).adjacency("cites"),
    "arrow of None": lambda: frames.to_arrow(None),
    "pandas of a number": lambda: frames.to_pandas(3),
    "polars of None": lambda: frames.to_polars(None),
    "arrow of a mixture": lambda: frames.to_arrow([PATENTS[0], None]),
    "a year for a day": lambda: frames.to_arrow(DATED),
    "evaluate a section": lambda: phage.evaluate("bm25", PATENTS, section="claim"),
    "evaluate nothing": lambda: phage.evaluate("bm25", []),
    "evaluate None": lambda: phage.evaluate("bm25", None),
    "evaluate names": lambda: phage.evaluate("bm25", ["US1A"]),
    "evaluate no model": lambda: phage.evaluate(None, PATENTS),
    "evaluate too few": lambda: phage.evaluate("bm25", PATENTS),
    "search None": lambda: phage.search(None, "a pump"),
    "open None": lambda: phage.Index.open(None),
    "create without an encoder": lambda: phage.Index.create("nowhere", "phage-mini"),
    "train on nothing": lambda: phage.train("recipes/debug.toml", None, "nowhere"),
    "train nothing": lambda: phage.train(None, PATENTS, "nowhere"),
    "train into nothing": lambda: phage.train("recipes/debug.toml", PATENTS, None),
    "claims that are texts": lambda: phage.Patent("X", ["A pump."]),
    "a text for claims": lambda: phage.Patent("X", "1. A pump."),
    "bytes": lambda: list(phage.read(b"own.csv")),
    "a text for a path": lambda: list(phage.read("1. A pump comprising a shaft. " * 200)),
    "rank": lambda: Search(rank="best"),
    "level": lambda: Search(level="word"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_taken_is_named_with_what_can(case):
    with pytest.raises(phage.PhageError) as refused:
        WRONG[case]()
    assert refused.value.remedy, refused.value


def test_patents_can_be_members_of_a_set():
    twice = replace(PATENTS[0], translations={"de": PATENTS[0].claims})
    assert len({PATENTS[0], replace(PATENTS[0]), twice}) == 2


@pytest.mark.parametrize("items", [None, 3, {"a": 1}, "a pump", PATENTS[0], [None], [3]])
def test_an_encoder_takes_texts_and_patents(encoder, items):
    for way in (encoder.encode, lambda given: list(encoder.read(given))):
        with pytest.raises(phage.PhageError) as refused:
            way(items)
        assert refused.value.remedy


@pytest.mark.parametrize("top", ["3", 2.5, -1, 0, True, None, 10**12])
def test_a_wrong_number_of_hits_is_no_damage(index, encoder, top):
    with pytest.raises(phage.PhageError, match="top is ") as refused:
        phage.search(index, "a pump", top=top, encoder=encoder)
    assert "delete" not in refused.value.remedy


def test_a_number_of_hits_may_be_of_any_library(index, encoder):
    assert len(phage.search(index, "a pump", top=np.int64(2), encoder=encoder)) == 2


@pytest.mark.parametrize(
    "wrong", [{"query": None}, {"query": ["a"]}, {"where": None}, {"encoder": "phage-mini"}]
)
def test_a_wrong_search_is_no_damage(index, encoder, wrong):
    with pytest.raises(phage.PhageError) as refused:
        phage.search(index, **{"query": "a pump", "encoder": encoder, **wrong})
    assert "damaged" not in refused.value.message and refused.value.remedy


def test_an_encoder_of_another_width_is_no_damage(index):
    other = phage.Encoder.from_pretrained("phage-mini", device="cpu")
    with pytest.raises(phage.PhageError, match="encoded by another model"):
        phage.search(index, "a pump with a shaft", encoder=other)


def test_an_index_takes_a_stream(encoder, tmp_path):
    pytest.importorskip("lancedb")
    index = phage.Index.create(tmp_path / "own.index", encoder)
    many = [replace(PATENTS[0], number=f"US{place}A") for place in range(300)]
    assert index.add(iter(many), encoder).added == len(index) == 300
    for wrong in (None, PATENTS[0], ["US1A"]):
        with pytest.raises(phage.PhageError, match="is expected here"):
            index.add(wrong, encoder)
    with pytest.raises(phage.PhageError, match="a loaded encoder"):
        index.add(many, "phage-mini")


def test_words_of_a_vocabulary_are_taken_by_name():
    graph = phage.build_graph(PATENTS[0])
    for relation in Relation:
        count = sum(edge.relation is relation for edge in graph.edges)
        assert graph.adjacency(str(relation)).sum() == count
        assert graph.adjacency(relation.name).sum() == count
    typed = replace(graph, edges=(Edge(1, 2, "cite"),))
    assert typed.adjacency("cite").sum() == 1
    upper, lower = (phage.check(PATENTS[0], CheckSettings(name)) for name in ("EP", "ep"))
    assert upper == lower
    assert CheckSettings(select="omnibus").select == ("omnibus",)
    assert Search(rank="words", level="claim") == Search(rank="WORDS", level="CLAIM")
    assert phage.build_graph(PATENTS[0], GraphSettings()) == graph


def test_one_change_of_a_recipe_may_be_a_single_text(tmp_path):
    with pytest.raises(phage.PhageError, match="the recipe has no key a"):
        phage.train("recipes/debug.toml", PATENTS, tmp_path, changes="a=b")

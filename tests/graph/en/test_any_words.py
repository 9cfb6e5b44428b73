"""What holds for every English graph, also of word salad and of invented patents."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims import Claim, Patent
from phage.graph import Relation, build_graph
from phage.graph.types import closure
from phage.invented import invent

WORDS = [
    "a",
    "an",
    "the",
    "said",
    "at",
    "least",
    "one",
    "of",
    "or",
    "more",
    "plurality",
    "first",
    "second",
    "other",
    "shaft",
    "housing",
    "supports",
    "support",
    "mounting",
    "coupled",
    "to",
    "configured",
    "receive",
    "receiving",
    "and",
    ",",
    ";",
    ":",
    ".",
    "wherein",
    "comprising",
    "which",
    "that",
    "is",
    "are",
    "(12)",
    "14",
    "mm",
    "claim",
    "1",
    "each",
    "such",
    "as",
    "in",
    "contact",
    "with",
    "between",
    "extends",
    "position",
    "through",
    "hole",
    "data",
    "processing",
    "rotating",
]
sentences = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
references = st.sampled_from(["", " of claim 1,", " according to claim 2,", " of claims 1 or 3,"])
claims = st.tuples(references, sentences).map(lambda pair: f"The pump{pair[0]} {pair[1]}")
patents = st.lists(claims, min_size=1, max_size=6).map(
    lambda texts: Patent("XX1A", tuple(Claim(n, text) for n, text in enumerate(texts, 1)))
)


def hold(patent: Patent) -> None:
    """Assert the properties of section 3.1."""
    graph = build_graph(patent)
    texts = {claim.number: claim.text for claim in patent.claims}
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    assert all(source < target for source, target in pairs), "acyclic by construction"
    assert len(set(pairs)) == len(pairs), "exclusive: one type a pair"
    cited = closure((e.source, e.target) for e in graph.edges if e.relation is Relation.CITE)
    for edge in graph.edges:
        if edge.relation is not Relation.CITE:
            assert (edge.source, edge.target) not in cited
            wanted = {Relation.BOTH: {Relation.TERM, Relation.FUNC}}
            signals = {item.signal for item in edge.evidence}
            assert signals == wanted.get(edge.relation, {edge.relation})
        for item in edge.evidence:
            assert texts[item.claim][item.start : item.end] == item.phrase
            assert item.phrase


@settings(max_examples=300)
@given(patents)
def test_word_salad_keeps_the_properties(patent: Patent):
    hold(patent)


def test_invented_patents_keep_the_properties():
    for invention in invent(40, seed=11):
        hold(invention.patent)


@pytest.mark.parametrize("gap", ["\n", "  ", "\n\t ", "\u00a0"])
def test_line_breaks_change_nothing(gap: str):
    for invention in invent(25, seed=12):
        patent = invention.patent
        broken = Patent(
            patent.number,
            tuple(Claim(c.number, re.sub(r" ", gap, c.text)) for c in patent.claims),
        )
        edges = [(e.source, e.target, e.relation, e.kind) for e in build_graph(patent).edges]
        again = [(e.source, e.target, e.relation, e.kind) for e in build_graph(broken).edges]
        assert edges == again


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_is_read(text: str):
    hold(Patent("XX1A", (Claim(1, text), Claim(2, text), Claim(3, text))))

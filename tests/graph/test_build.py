import pytest

from phage.claims import Claim, Patent
from phage.errors import PhageError
from phage.graph import Edge, Relation, build_graph
from phage.graph.build import integrate


def test_citations_become_direct_edges():
    texts = ["A pump.", "The pump of claim 1.", "The pump of claim 2."]
    patent = Patent("XX1A", tuple(Claim(n, t) for n, t in enumerate(texts, 1)))
    assert [(e.source, e.target) for e in build_graph(patent).edges] == [(1, 2), (2, 3)]


def test_unknown_language_lists_the_known_ones():
    with pytest.raises(PhageError, match=r"de \(German\)"):
        build_graph(Patent("XX1A", (Claim(1, "Una bomba."),), language="es"))


def test_implicit_pairs_inside_the_closure_are_left_out():
    cites = (Edge(1, 2, Relation.CITE), Edge(2, 3, Relation.CITE))
    edges = integrate(cites, {(1, 3): (), (1, 4): ()}, {(1, 3): (), (1, 4): (), (2, 4): ()})
    assert [(e.source, e.target, e.relation) for e in edges] == [
        (1, 4, Relation.BOTH),
        (2, 4, Relation.FUNC),
    ]

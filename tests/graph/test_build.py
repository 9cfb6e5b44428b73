import pytest

from phage.claims import Claim, Patent
from phage.errors import PhageError
from phage.graph import CiteKind, Edge, Reason, Relation, build_graph
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


def test_a_cancelled_claim_that_is_still_printed_says_nothing():
    texts = ["A pump with a rod.", "(Canceled) The pump of claim 1.", "(canceled)"]
    texts += ["The pump of claims 1 to 3.", "The pump of any preceding claim."]
    graph = build_graph(Patent("US1A", tuple(Claim(n, t) for n, t in enumerate(texts, 1))))
    assert [(edge.source, edge.target) for edge in graph.edges] == [(1, 4), (1, 5), (4, 5)]
    assert [(note.claim, note.reference, note.reason) for note in graph.diagnostics] == [
        (4, 2, Reason.CANCELLED),
        (4, 3, Reason.CANCELLED),
    ]
    assert graph.claims == (1, 2, 3, 4, 5)


def test_the_status_an_office_prints_is_not_what_a_claim_is_to():
    texts = ["(Original) A pump.", "(Currently amended) The pump of claim 1."]
    texts += ["[New] A boat comprising the pump of claim 1."]
    graph = build_graph(Patent("US1A", tuple(Claim(n, t) for n, t in enumerate(texts, 1))))
    assert [edge.kind for edge in graph.edges] == [CiteKind.DEPENDENT, CiteKind.CROSS_CATEGORY]

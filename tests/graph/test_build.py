import pytest

from phage.claims import Claim, Patent
from phage.errors import PhageError
from phage.graph import CiteKind, Edge, GraphSettings, Reason, Relation, build_graph
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


def graph_of(*texts, **settings):
    claims = tuple(Claim(number, text) for number, text in enumerate(texts, start=1))
    return build_graph(Patent("XX1A", claims), GraphSettings(**settings))


def edges_of(graph):
    return [(edge.source, edge.target, str(edge.relation)) for edge in graph.edges]


def test_said_means_for_cooling_meets_its_introduction():
    graph = graph_of(
        "A car comprising means for cooling the engine; and means for steering.",
        "A car comprising a roof.",
        "A kit wherein said means for quickly cooling is red and the means for braking is blue.",
    )
    assert edges_of(graph) == [(1, 3, "term")]
    (evidence,) = graph.edges[0].evidence
    assert (evidence.term, evidence.phrase) == ("means for cooling", "means for quickly cooling")


def test_means_for_an_act_can_be_coupled():
    graph = graph_of(
        "A car comprising means for cooling the engine.",
        "A kit, wherein the means for cooling is coupled to a door.",
        "A lamp.",
    )
    assert edges_of(graph) == [(1, 2, "both")]


def test_an_abbreviation_meets_the_term_that_it_stands_for():
    graph = graph_of(
        "A network comprising a mobile user equipment (UE) and two base stations (BSs).",
        "A method of paging, wherein the UE sleeps.",
        "A method of paging, wherein the BSs wake the serving UE.",
        "A boat (UE).",
    )
    assert edges_of(graph) == [(1, 3, "term")]
    assert [item.term for item in graph.edges[0].evidence] == ["base station"]
    graph = graph_of("A network having a user equipment (UE).", "A kit, wherein the UEs sleep.")
    assert [item.term for edge in graph.edges for item in edge.evidence] == ["user equipment"]


def test_brackets_that_are_not_initials_explain_nothing():
    graph = graph_of("A net having a rotor (UE) and a mast (M).", "A kit, wherein the UE sleeps.")
    assert edges_of(graph) == []


def test_respective_hubs_meet_hubs():
    graph = graph_of(
        "A bike having two hubs.", "A kit, wherein the respective hubs turn.", "A bell."
    )
    assert edges_of(graph) == [(1, 2, "term")]
    assert graph.edges[0].evidence[0].phrase == "respective hubs"


COUPLED = (
    "A boat having a mast coupled to a keel.",
    "A car having a mast.",
    "The boat of claim 1, wherein a sail is attached to the keel.",
)


def test_couplings_run_forward_or_both_ways():
    assert edges_of(graph_of(*COUPLED)) == [(1, 3, "cite")]
    both = graph_of(*COUPLED, functional="both")
    assert edges_of(both) == [(2, 1, "func"), (1, 3, "cite")]
    assert both.settings.functional == "both"
    assert all(item.claim == edge.target for edge in both.edges for item in edge.evidence)


def test_an_unknown_direction_names_the_known_ones():
    with pytest.raises(PhageError, match="use functional = 'forward' or 'both'"):
        graph_of("A pump.", functional="backward")


PARTS = [
    "rotor",
    "stator",
    "piston",
    "casing",
    "impeller",
    "bearing",
    "gasket",
    "flange",
    "sleeve",
    "nozzle",
]


def test_the_first_k_components_of_a_claim_count():
    introduced = "A pump comprising " + ", ".join(f"a {part}" for part in PARTS) + "."
    coupled = ", ".join(f"the {part} is coupled to a base" for part in PARTS)
    for most in (2, 8):
        edge = graph_of(introduced, f"A boat, wherein {coupled}.", max_components=most).edges[0]
        joined = [item.term for item in edge.evidence if item.signal is Relation.FUNC]
        assert edge.relation is Relation.BOTH
        assert len({*joined, "base"}) <= most and joined[0] == "rotor"


def test_a_term_in_exactly_the_share_rho_is_kept():
    texts = [f"A {name} comprising a shaft." for name in ("pump", "boat", "mill", "car")]
    assert [e.relation for e in graph_of(*texts[:3], "A dock for the shaft.", "A rope.").edges] == [
        Relation.TERM
    ]  # in four of five claims: 0.8 is not more than 0.8
    assert not graph_of(*texts, "A dock for the shaft.").edges


def test_a_term_comes_from_the_claim_that_introduced_it_first():
    edges = graph_of(
        "A pump with a shaft.", "A boat with a shaft.", "A dock.", "A rope for the shaft."
    )
    assert [(edge.source, edge.target) for edge in edges.edges] == [(1, 4)]

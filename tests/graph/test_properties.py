"""What holds for every graph: acyclic, exclusive, outside the closure, proved by its words."""

from hypothesis import given, settings
from hypothesis import strategies as st

from phage.claims import Claim, Patent
from phage.graph import Relation, build_graph
from phage.graph.types import ClaimGraph, closure

NOUNS = ["pump", "rotor blade", "first arm", "housing", "drive shafts", "seal ring"]
PIECES = {
    "en": (
        ["A {0}", "The {0} of claim {2}", "The {0} of claim {2} or {3}", "A {0} with the {1}",
         "The {0} according to any preceding claim", "Method of using the {0} of claims {2}-{3}",
         "The {0} as claimed in any of claims {2} to {3} except claim {4}"],
        [" comprising a {1}", ", wherein the {1} is coupled to the {0}", ", having a {0}",
         ", wherein said {0} supports a {1}", ", the {1} being configured to receive the {0}",
         ", further comprising one or more {1} mounted on the {0} (12)"],
    ),
    "de": (
        ["{0}", "{0} nach Anspruch {2}", "{0} nach einem der Ansprüche {2} bis {3}",
         "{0} nach einem der vorhergehenden Ansprüche", "Verfahren zum Bau der {0}"],
        [" mit einer {1}", ", wobei die {1} mit der {0} verbunden ist", ", wobei diese {0} ruht"],
    ),
    "fr": (
        ["{0}", "{0} selon la revendication {2}", "{0} selon l'une des revendications {2} à {3}",
         "{0} selon l'une quelconque des revendications précédentes"],
        [" comprenant une {1}", ", dans laquelle la {1} est reliée à ladite {0}"],
    ),
    "zh": (["一种{0}", "根据权利要求{2}所述的{0}", "根据权利要求{2}至{3}中任一项所述的{0}"],
           ["，包括{1}", "，其中所述{1}连接到所述{0}"]),
    "ja": (["{0}", "請求項{2}に記載の{0}", "請求項{2}乃至{3}のいずれか一項に記載の{0}"],
           ["であって、{1}を備える{0}", "であって、前記{1}が前記{0}に接続された{0}"]),
    "ko": (["{0}", "제{2}항에 있어서, {0}", "제{2}항 내지 제{3}항 중 어느 한 항에 있어서, {0}"],
           [", {1}를 포함하는 {0}", ", 상기 {1}가 상기 {0}에 연결된 {0}"]),
}  # fmt: skip


@st.composite
def patents(draw):
    language = draw(st.sampled_from(sorted(PIECES)))
    begins, ends = PIECES[language]
    numbers = sorted(draw(st.sets(st.integers(1, 14), min_size=1, max_size=9)))
    noun, number = st.sampled_from(NOUNS), st.integers(1, 16)
    claims = []
    for place in numbers:
        parts = [draw(st.sampled_from(begins))]
        parts += draw(st.lists(st.sampled_from(ends), max_size=2))
        words = (draw(noun), draw(noun), draw(number), draw(number), draw(number))
        claims.append(Claim(place, "".join(parts).format(*words) + "."))
    gone = tuple(n for n in range(1, 15) if n not in numbers)[:2]
    return Patent("ZZ1A", tuple(claims), language=language, cancelled=gone)


@given(patents())
@settings(max_examples=150)
def test_every_graph(patent):
    graph = build_graph(patent)
    texts = {claim.number: claim.text for claim in patent.claims}
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    assert len(set(pairs)) == len(pairs), "one type for each pair"
    assert all(source < target for source, target in pairs), "from earlier to later: acyclic"
    cites = {(e.source, e.target) for e in graph.edges if e.relation is Relation.CITE}
    implicit = set(pairs) - cites
    assert not implicit & closure(cites)
    for edge in graph.edges:
        assert (edge.kind is not None) == (edge.relation is Relation.CITE)
        signals = {item.signal for item in edge.evidence}
        wanted = (
            {Relation.TERM, Relation.FUNC} if edge.relation is Relation.BOTH else {edge.relation}
        )
        assert signals == wanted, "evidence of each signal, and of no other"
        for item in edge.evidence:
            assert item.claim == edge.target
            assert texts[item.claim][item.start : item.end] == item.phrase != ""
    for item in graph.diagnostics:
        assert texts[item.claim][item.start : item.end] == item.phrase
    assert ClaimGraph.from_json(graph.to_json()) == graph


@given(patents(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_line_breaks_change_nothing(patent, random):
    broken = tuple(
        Claim(c.number, "".join(random.choice(" \n") if x == " " else x for x in c.text))
        for c in patent.claims
    )
    plain = build_graph(patent)
    found = build_graph(Patent(patent.number, broken, language=patent.language,
                               cancelled=patent.cancelled))  # fmt: skip
    assert _outline(found) == _outline(plain)


@given(patents(), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_order_of_the_file_changes_nothing(patent, random):
    shuffled = list(patent.claims)
    random.shuffle(shuffled)
    found = build_graph(Patent(patent.number, tuple(shuffled), language=patent.language,
                               cancelled=patent.cancelled))  # fmt: skip
    assert found == build_graph(patent)


def _outline(graph):
    return [
        (e.source, e.target, e.relation, e.kind, [(i.start, i.end, i.term) for i in e.evidence])
        for e in graph.edges
    ]

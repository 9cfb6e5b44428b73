"""What a notebook shows: short lines, drawings that stand alone, nothing that acts."""

from __future__ import annotations

import json
import pickle
from html.parser import HTMLParser

import pytest

from phage.checking import check
from phage.claims import Claim, Patent
from phage.graph import ClaimGraph, build_graph
from phage.searching.types import ClaimMatch, Hit, Hits

EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">\x00"&'
PATENT = Patent(
    f"US1A{EVIL}",
    (Claim(1, f"A pump comprising a {EVIL}."), Claim(2, f"The pump of claim 1 {EVIL}.")),
    title=EVIL,
    assignees=(EVIL,),
)
MATCH = ClaimMatch(1, EVIL, 2, EVIL, 0.5, (EVIL,))
HIT = Hit(EVIL, 1.0, 0.5, EVIL, EVIL, (EVIL,), EVIL, EVIL, "US", "en", (EVIL,), MATCH)


def large(count):
    claims = [Claim(1, "A pump comprising a shaft.")]
    claims += [Claim(n, f"The pump of claim {n - 1}.") for n in range(2, count + 1)]
    return Patent("US9A", tuple(claims))


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs


VIEWS = {
    "edges": build_graph(PATENT).edges,
    "report": check(PATENT),
    "patent": PATENT,
    "graph": build_graph(PATENT),
    "edge": build_graph(PATENT).edges[0],
    "hit": HIT,
    "hits": Hits([HIT, HIT]),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_self_contained_and_escaped(name):
    page = VIEWS[name]._repr_html_()
    seen = Seen()
    seen.feed(page)
    assert not {"script", "img", "iframe", "link", "object"} & set(seen.tags)
    assert not [key for key, _ in seen.attributes if key.startswith("on") or key in ("src", "href")]
    assert "url(http" not in page and "\x00" not in page
    assert "prefers-color-scheme:dark" in page and 'data-jp-theme-light="false"' in page


def test_two_drawings_on_one_page_do_not_share_names():
    first, second = (build_graph(large(n))._repr_html_() for n in (2, 3))
    assert first.count("head-cite") and "g" in first
    other = build_graph(Patent("US8A", (Claim(1, "A cup."),)))._repr_html_()
    ids = {value for page in (first, other) for value in _ids(page)}
    assert len(ids) == len(_ids(first)) + len(_ids(other)) and second


def _ids(page):
    seen = Seen()
    seen.feed(page)
    return {value for key, value in seen.attributes if key == "id"}


def test_large_claim_sets_are_folded_and_huge_ones_not_drawn():
    assert "<details><summary>claim graph of 60 claims" in large(60)._repr_html_()
    assert "57 more claims" in large(60)._repr_html_()
    assert "<svg" not in large(400)._repr_html_()
    assert "<svg" in large(5)._repr_html_()
    assert "<svg" not in Patent("US1A", (Claim(1, "x"),), language="xq")._repr_html_()


def test_lines_are_short():
    whole = large(60)
    graph = build_graph(whole)
    for one in (whole, graph, graph.edges[0], whole.claims[0], Patent("US1A", title="x " * 900)):
        assert len(repr(one)) < 160 and "\n" not in repr(one)
    assert repr(graph) == "ClaimGraph('US9A', 60 claims, 59 edges: 59 cite)"
    assert repr(HIT).startswith("Hit(")


def test_a_patent_of_many_claims_is_a_small_view():
    page = large(300)._repr_html_()
    assert len(page) < 100_000 and "297 more claims" in page and "and 200 more" in page


def test_edges_of_a_graph_are_a_tuple_that_shows_itself():
    graph = build_graph(large(60))
    assert repr(graph.edges).endswith(", … 56 more)") and len(repr(graph.edges)) < 400
    assert graph.edges == tuple(graph.edges) and hash(graph.edges) == hash(tuple(graph.edges))
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph and repr(again.edges) == repr(graph.edges)
    assert ClaimGraph.from_json(json.loads(json.dumps(graph.to_json()))) == graph
    assert repr(ClaimGraph("US1A", ()).edges) == "()"

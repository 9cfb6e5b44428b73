"""The extractor against the true graphs of the invented corpus, whose writer knew them."""

from collections import Counter

import pytest

from phage.graph import build_graph
from phage.invented import invent


@pytest.fixture(scope="module")
def compared():
    """Give per patent what was read and what is true: pair → (relation, kind)."""
    found = []
    for invention in invent(150, seed=2026):
        graph = build_graph(invention.patent)
        read = {(e.source, e.target): (str(e.relation), e.kind) for e in graph.edges}
        true = {(e["source"], e["target"]): (e["relation"], e["kind"]) for e in invention.edges()}
        found.append((read, true))
    return found


def test_citations_and_their_kinds_are_exact(compared):
    for read, true in compared:
        assert {k: v for k, v in read.items() if v[0] == "cite"} == {
            k: v for k, v in true.items() if v[0] == "cite"
        }


def test_ninety_nine_of_a_hundred_edges_are_right(compared):
    counts = Counter()
    for read, true in compared:
        counts["right"] += sum(read.get(pair) == value for pair, value in true.items())
        counts["true"] += len(true)
        counts["read"] += len(read)
    assert counts["right"] / counts["true"] >= 0.99
    assert counts["right"] / counts["read"] >= 0.99

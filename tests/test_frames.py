"""Frames out: one row for each thing, days as dates; what goes out comes back in."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from phage.claims import Claim, Patent, ReadReport, read
from phage.errors import PhageError
from phage.frames import to_arrow, to_pandas, to_polars
from phage.graph import ClaimGraph, Edge, Relation, build_graph

PATENT = Patent(
    "US8621662B2",
    (
        Claim(1, "A pump comprising a shaft and a seal."),
        Claim(2, "The pump of claim 1, wherein the shaft is coupled to a rotor.", references=(1,)),
        Claim(3, "A method of driving the shaft and the rotor."),
    ),
    title="Pump",
    publication_date="2014-01-07",
    cpc=("F04B 1/00",),
    assignees=("Acme, Inc.",),
)
OTHER = Patent("EP1A1", (Claim(1, "A cup."),))


def test_patents_have_dates_and_claims_a_row_each():
    table = to_arrow([PATENT, OTHER])
    assert table["publication_date"].to_pylist() == [datetime.date(2014, 1, 7), None]
    claims = to_arrow([PATENT, OTHER], "claims")
    assert claims["patent"].to_pylist() == ["US8621662B2"] * 3 + ["EP1A1"]
    assert claims["references"].to_pylist()[1] == [1]


def test_edges_and_mentions_carry_their_words():
    edges = to_arrow(build_graph(PATENT)).to_pylist()
    assert {(row["source"], row["target"], row["relation"]) for row in edges} >= {(1, 2, "cite")}
    assert edges[0]["kind"] == "dependent" and edges[0]["phrases"] == ["of claim 1"]
    for row in to_arrow(PATENT, "mentions").to_pylist():
        text = next(claim.text for claim in PATENT.claims if claim.number == row["claim"])
        assert text[row["start"] : row["end"]] == row["phrase"]


def test_vectors_stand_beside_their_numbers():
    table = to_arrow(np.eye(2, 3), numbers=["US1A", "US2A"])
    assert table.to_pylist()[1] == {"number": "US2A", "vector": [0.0, 1.0, 0.0]}
    with pytest.raises(PhageError, match="1 numbers for vectors"):
        to_arrow(np.eye(2, 3), numbers=["US1A"])


@pytest.mark.parametrize("make", [to_arrow, to_pandas, to_polars])
def test_every_frame_can_be_read_back(make):
    report = ReadReport()
    assert list(read(make([PATENT, OTHER]), report=report)) == [PATENT, OTHER]
    assert not report.problems


@pytest.mark.parametrize("rows", ["patents", "claims", "mentions", "edges"])
@pytest.mark.parametrize("make", [to_pandas, to_polars])
def test_pandas_and_polars_have_the_same_rows(make, rows):
    items = [build_graph(PATENT)] if rows == "edges" else [PATENT, OTHER]
    assert len(make(items, rows)) == len(to_arrow(items, rows)) > 0
    assert list(make(items, rows).columns) == to_arrow(items, rows).column_names


def test_days_are_days():
    assert str(to_pandas([PATENT, OTHER])["publication_date"].dtype).startswith("datetime64")
    assert str(to_polars([PATENT])["publication_date"].dtype) == "Date"


def test_no_rows_keep_the_columns():
    for rows in ("patents", "claims", "edges", "mentions"):
        assert len(to_arrow([], rows)) == 0 and to_arrow([], rows).column_names


@pytest.mark.parametrize("rows", ["edges", "vectors", "colours"])
def test_the_wrong_rows_are_an_error(rows):
    with pytest.raises(PhageError, match=r"rows of|unknown rows"):
        to_arrow([PATENT], rows)


def test_a_graph_goes_to_networkx():
    pytest.importorskip("networkx")
    graph = build_graph(PATENT)
    found = graph.to_networkx(PATENT)
    assert set(found.edges) == {(edge.source, edge.target) for edge in graph.edges}
    assert found.nodes[2]["text"].startswith("The pump")


def test_a_graph_goes_to_pytorch_geometric():
    pytest.importorskip("torch_geometric")
    graph = ClaimGraph("US1A", (1, 3, 4), (Edge(1, 3, Relation.CITE), Edge(3, 4, Relation.TERM)))
    data = graph.to_pyg(np.ones((3, 8), dtype=np.float32))
    assert data["claim"].number.tolist() == [1, 3, 4] and data["claim"].x.shape == (3, 8)
    assert data["claim", "cite", "claim"].edge_index.tolist() == [[0], [1]]
    assert data["claim", "term", "claim"].edge_index.tolist() == [[1], [2]]
    assert data["claim", "func", "claim"].edge_index.shape == (2, 0)
    assert data.validate()
    with pytest.raises(PhageError, match="2 vectors for 3 claims"):
        graph.to_pyg(np.ones((2, 8)))

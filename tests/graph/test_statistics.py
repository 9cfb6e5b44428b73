"""The paper's tables: definitions checked by hand and against NetworkX."""

import json
import math
import random
from dataclasses import replace

import networkx
import pytest
from typer.testing import CliRunner

from phage.cli import app
from phage.errors import PhageError
from phage.graph.export import to_networkx
from phage.graph.files import read_graphs
from phage.graph.paper import PAPER
from phage.graph.statistics import SAMPLE, Tally, paths, summarize
from phage.graph.types import ClaimGraph, Edge, GraphSettings, Relation
from phage.invented import invent
from phage.storage import write_lines

CITE, TERM, FUNC, BOTH = Relation


def graph(count, *edges):
    return ClaimGraph("ZZ1A", tuple(range(1, count + 1)), tuple(Edge(*edge) for edge in edges))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    write_lines(path, (invention.to_json() for invention in invent(60, seed=5)))
    return path


def test_couplings_in_both_directions_have_twice_the_pairs():
    two_way = replace(
        graph(2, (1, 2, FUNC), (2, 1, FUNC)), settings=GraphSettings(functional="both")
    )
    assert summarize([two_way]).basic["density"].mean == 1.0


def test_a_small_corpus_by_hand():
    found = summarize(
        [
            graph(1),
            graph(3),
            graph(3, (1, 2, CITE), (1, 3, CITE)),
            graph(3, (1, 2, CITE), (1, 3, TERM), (2, 3, BOTH)),
        ]
    )
    assert found.patents == 4
    assert found.basic["claims"].mean == 2.5
    assert found.basic["edges"].high == 3
    assert found.basic["density"].mean == pytest.approx((0 + 0 + 2 / 3 + 1) / 4)
    assert found.basic["path_length"].mean == pytest.approx((4 / 3 + 1) / 2)
    assert found.basic["diameter"].mean == 1.5
    assert found.relations["cite"].count == 3
    assert found.relations["cite"].presence == 0.5
    assert found.relations["both"].share == pytest.approx(1 / 5)
    bounds = found.boundary
    assert (bounds.no_edges, bounds.single_claim, bounds.several_claims_no_edges) == (
        0.5,
        0.25,
        0.25,
    )
    assert (bounds.only_cite, bounds.implicit) == (0.25, 0.25)


def test_paths_agree_with_networkx_on_connected_and_broken_graphs():
    rng = random.Random(3)
    for _ in range(60):
        size = rng.randint(2, 14)
        pairs = [(j, i) for i in range(1, size + 1) for j in range(1, i)]
        chosen = rng.sample(pairs, rng.randint(1, len(pairs)))
        made = graph(size, *((j, i, CITE) for j, i in chosen))
        lengths = [
            length
            for source, found in networkx.all_pairs_shortest_path_length(
                to_networkx(made).to_undirected()
            )
            for target, length in found.items()
            if source != target
        ]
        length, diameter = paths(made)
        assert length == pytest.approx(sum(lengths) / len(lengths))
        assert diameter == max(lengths)


def test_the_sample_is_bounded_and_repeatable(monkeypatch):
    monkeypatch.setattr("phage.graph.statistics.SAMPLE", 20)
    graphs = [graph(n, *((i, i + 1, CITE) for i in range(1, n))) for n in range(2, 80)]
    first, second = summarize(graphs, seed=1), summarize(graphs, seed=1)
    assert first == second
    assert first.sampled == 20
    assert SAMPLE == 10_000


def test_the_papers_own_figures_are_consistent():
    assert sum(row.share for row in PAPER.relations.values()) == pytest.approx(1, abs=0.002)
    assert sum(row.mean for row in PAPER.relations.values()) == pytest.approx(52.63, abs=0.02)
    for row in PAPER.relations.values():
        assert row.count / PAPER.patents == pytest.approx(row.mean, abs=0.01)


def test_stats_prints_both_columns_and_json(corpus, tmp_path):
    shown = CliRunner().invoke(app, ["stats", str(corpus), "--plot", str(tmp_path / "s.png")])
    assert shown.exit_code == 0, shown.output
    assert "16.85" in shown.output
    assert "52.63" in shown.output
    assert (tmp_path / "s.png").read_bytes().startswith(b"\x89PNG")
    as_json = CliRunner().invoke(app, ["stats", str(corpus), "--json"])
    row = json.loads(as_json.stdout)
    assert row["patents"] == 60
    assert row["paper"]["basic"]["diameter"]["high"] is None
    assert row["provenance"]["data"]
    assert row["relations"]["cite"]["count"] == sum(
        edge.relation is CITE for graph in read_graphs(corpus) for edge in graph.edges
    )
    refused = CliRunner().invoke(app, ["stats", str(corpus), "--plot", str(tmp_path / "s.xyz")])
    assert "png, svg, pdf" in str(refused.exception)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{]\n", "not JSON lines"),
        ('{"number": "ZZ1A"}\n', "not a claim graph"),
        ("[1]\n", "not a claim graph"),
    ],
)
def test_files_without_graphs_are_named_with_their_place(tmp_path, text, part):
    path = tmp_path / "graphs.jsonl"
    path.write_text(text)
    with pytest.raises(PhageError) as error:
        list(read_graphs(path))
    assert part in str(error.value)
    assert "1" in error.value.place
    assert error.value.remedy


def test_no_file_and_no_graphs(tmp_path):
    with pytest.raises(PhageError, match="no such file"):
        list(read_graphs(tmp_path / "absent.parquet"))
    (tmp_path / "empty.jsonl").write_text("")
    assert summarize(read_graphs(tmp_path / "empty.jsonl")).patents == 0
    assert not math.isnan(summarize([]).basic["density"].mean)
    assert Tally().matrix().shape == (0, 5)

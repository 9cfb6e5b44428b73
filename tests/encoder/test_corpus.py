"""Vectors of a corpus: shards, resuming, workers, and the graph switched on."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import save_file
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder import Encoder, corpus, loading
from phage.errors import PhageError
from phage.guided import GuidedEncoder
from phage.scale import Job, Part, Where, join_lines, run


def patents(count: int) -> list[Patent]:
    words = ["a pump with a shaft", "the housing of steel", "a shaft coupled to the pump"]
    return [
        Patent(
            f"US{place}A",
            (
                Claim(1, words[place % 3]),
                Claim(2, f"the pump of claim 1 wherein the shaft is {place % 5}"),
                Claim(3, "the pump of claim 2"),
            ),
        )
        for place in range(count)
    ]


def source(path, count):
    lines = [json.dumps(patent.to_json()) for patent in [*patents(count), Patent("US9999A")]]
    path.write_text("\n".join(lines))
    return path


def rows(folder):
    table = pq.read_table(sorted(folder.glob("vectors-*.parquet")))
    return table["number"].to_pylist(), np.stack(table["vector"].to_pylist())


def encode(*words):
    done = CliRunner().invoke(app, ["encode", *map(str, words), "--json"])
    assert done.exit_code == 0, (done.output, done.exception)
    return json.loads(done.stdout)


def test_shards_hold_every_number_once_in_order(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "SHARD", 128)
    told = encode(tiny, source(tmp_path / "p.jsonl", 300), "-o", tmp_path / "v")
    assert (told["vectors"], told["without_text"], told["resumed"]) == (300, 1, 0)
    numbers, vectors = rows(tmp_path / "v")
    assert numbers == [patent.number for patent in patents(300)]
    truth = Encoder.from_pretrained(tiny, device="cpu").encode(patents(300))
    np.testing.assert_allclose(vectors, truth, atol=1e-5)
    manifest = json.loads((tmp_path / "v" / "vectors.json").read_text())
    assert (manifest["rows"], len(manifest["files"])) == (300, 3)


def test_a_stopped_run_goes_on_and_gives_the_same(tiny, tmp_path, monkeypatch):
    path = source(tmp_path / "p.jsonl", 300)
    encode(tiny, path, "-o", tmp_path / "whole")
    real, done = corpus.encode_part, []

    def stops(items, **how):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return real(items, **how)

    monkeypatch.setattr(corpus, "encode_part", stops)
    broken = CliRunner().invoke(app, ["encode", str(tiny), str(path), "-o", str(tmp_path / "v")])
    assert broken.exit_code != 0
    assert not (tmp_path / "v" / "vectors.json").exists()
    monkeypatch.setattr(corpus, "encode_part", real)
    told = encode(tiny, path, "-o", tmp_path / "v")
    assert (told["vectors"], told["resumed"]) == (300, 256)
    numbers, vectors = rows(tmp_path / "v")
    whole = rows(tmp_path / "whole")
    assert numbers == whole[0]
    assert np.array_equal(vectors, whole[1])


def test_a_model_that_is_read_another_way_starts_anew(tiny, tmp_path, monkeypatch):
    """The weights are the same, the pooling is not: half-done vectors of the old one are useless."""
    folder = tmp_path / "model"
    Encoder.from_pretrained(tiny, device="cpu").save_pretrained(folder)
    path = source(tmp_path / "p.jsonl", 200)
    real = corpus.encode_part

    def stops(items, **how):
        if items[0].number != "US0A":
            raise KeyboardInterrupt
        return real(items, **how)

    monkeypatch.setattr(corpus, "encode_part", stops)
    CliRunner().invoke(app, ["encode", str(folder), str(path), "-o", str(tmp_path / "v")])
    monkeypatch.setattr(corpus, "encode_part", real)
    corpus.loaded.cache_clear()
    said = folder / "1_Pooling" / "config.json"
    about = json.loads(said.read_text())
    said.write_text(
        json.dumps({**about, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
    )
    assert encode(folder, path, "-o", tmp_path / "v")["resumed"] == 0
    truth = Encoder.from_pretrained(folder, pooling="mean", device="cpu").encode(patents(200))
    np.testing.assert_allclose(rows(tmp_path / "v")[1], truth, atol=1e-5)


def test_a_folder_of_mixed_sources(tiny, tmp_path):
    """Known formats are read wherever they lie; what cannot be read is named and counted."""
    from phage.claims import write

    folder = tmp_path / "mixed"
    (folder / "deeper").mkdir(parents=True)
    source(folder / "deeper" / "some.jsonl", 3)
    more = [Patent(f"US{n}B2", (Claim(1, "a pump of steel"),)) for n in range(4)]
    write(iter(more), folder / "more.parquet")
    (folder / "broken.jsonl").write_text('{"number": ')
    (folder / "notes.txt").write_text("not a patent")
    words = ["encode", str(tiny), str(folder), "-o", str(tmp_path / "v"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)
    assert (told["vectors"], told["without_text"], told["skipped"]) == (7, 1, 2)
    assert "broken.jsonl" in done.stderr
    assert "notes.txt" in done.stderr
    numbers = rows(tmp_path / "v")[0]
    assert sorted(numbers) == sorted([p.number for p in more] + ["US0A", "US1A", "US2A"])


@pytest.fixture
def own_products(monkeypatch, exact_products):
    """Multiply as this processor does best, which is what workers do."""
    corpus.loaded.cache_clear()
    monkeypatch.setattr(loading, "fast_half", exact_products)
    yield
    corpus.loaded.cache_clear()


@pytest.fixture
def one_thread(own_products, monkeypatch):
    """As many threads here as workers have: how a product is shared among threads decides its last bit."""
    before = torch.get_num_threads()
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_two_workers_and_a_cluster_give_the_same(tiny, tmp_path):
    path = source(tmp_path / "p.jsonl", 600)
    encode(tiny, path, "-o", tmp_path / "one")
    encode(tiny, path, "-o", tmp_path / "two", "--workers", 2)
    assert np.array_equal(rows(tmp_path / "one")[1], rows(tmp_path / "two")[1])
    pytest.importorskip("ray")
    encode(tiny, path, "-o", tmp_path / "ray", "--engine", "ray", "--workers", 2)
    assert np.array_equal(rows(tmp_path / "one")[1], rows(tmp_path / "ray")[1])


@pytest.mark.slow
@pytest.mark.usefixtures("own_products")
def test_workers_with_fewer_threads_give_the_same_but_for_rounding(tiny, tmp_path):
    path = source(tmp_path / "p.jsonl", 600)
    encode(tiny, path, "-o", tmp_path / "one")
    encode(tiny, path, "-o", tmp_path / "two", "--workers", 2)
    assert np.allclose(rows(tmp_path / "one")[1], rows(tmp_path / "two")[1], rtol=0, atol=1e-6)


@pytest.mark.slow
@pytest.mark.usefixtures("one_thread")
def test_a_lost_node_changes_nothing(tiny, tmp_path):
    """Two nodes, one of them removed while the run is under way."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        second = cluster.add_node(num_cpus=1)
        items = patents(2000)
        job = corpus.vectors_job(str(tiny), {"sources": []})
        lost = []

        def advance(_step):
            if not lost:
                lost.append(1)
                cluster.remove_node(second)

        run(
            job,
            items,
            tmp_path / "ray" / corpus.MANIFEST,
            Where("ray", 2, cluster.address),
            advance,
        )
    finally:
        cluster.shutdown()
    run(job, items, tmp_path / "one" / corpus.MANIFEST)
    assert rows(tmp_path / "ray")[0] == [patent.number for patent in items]
    assert np.array_equal(rows(tmp_path / "ray")[1], rows(tmp_path / "one")[1])


def _seen_gpus(_items):
    import ray

    return Part(json.dumps(ray.get_gpu_ids()).encode())


@pytest.mark.slow
@pytest.mark.parametrize("gpu", [True, False])
def test_on_a_cluster_with_gpus_each_part_gets_one(tmp_path, gpu):
    """The GPU is only declared: what is asked for is what counts here."""
    ray = pytest.importorskip("ray")
    job = Job(work=_seen_gpus, join=join_lines, chunk=1)
    ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False)
    try:
        run(job, [1, 2, 3], tmp_path / "ids", Where("ray", gpu=gpu))
    finally:
        ray.shutdown()
    assert (tmp_path / "ids").read_text() == ("[0]" if gpu else "[]") * 3


@pytest.fixture
def trained(tiny, tmp_path):
    """A folder as training leaves it: stock model, relation parameters, recipe."""
    folder = tmp_path / "trained"
    encoder = Encoder.from_pretrained(tiny, device="cpu")
    with torch.no_grad():
        for weight in encoder.model.parameters():
            if weight.dim() == 2:
                weight *= 10  # fresh weights are so small that attention hardly matters
    encoder.save_pretrained(folder)
    raw = torch.tensor([[0.5, -2.0, 1.0, 3.0, 0.0]] * 2)
    save_file({"bias": raw}, folder / "relations.safetensors")
    (folder / "recipe.toml").write_text(
        'name = "t"\n[graph]\nparser = "pattern"\ncitations = "full"\n[input]\nwindow = 64\n'
    )
    return folder


def test_guided_vectors_use_the_graph_and_the_checkpoints_biases(trained):
    both = GuidedEncoder.from_pretrained(trained, device="cpu")
    on = both.encode(patents(6))
    off = Encoder.from_pretrained(trained, device="cpu").encode(patents(6))
    np.testing.assert_allclose(np.linalg.norm(on, axis=1), 1, atol=1e-5)
    assert np.abs(on - off).max() > 1e-3
    save_file({"bias": torch.zeros(2, 5)}, trained / "relations.safetensors")
    level = GuidedEncoder.from_pretrained(trained, device="cpu").encode(patents(6))
    assert np.abs(on - level).max() > 1e-5
    alone = Patent("US1A", (Claim(1, "a pump with a shaft"),))
    plain = Encoder.from_pretrained(trained, device="cpu").encode([alone])
    np.testing.assert_allclose(both.encode([alone]), plain, atol=1e-5)


def test_guided_by_command_and_refused_without_parameters(trained, tiny, tmp_path):
    path = source(tmp_path / "p.jsonl", 5)
    told = encode(trained, path, "-o", tmp_path / "v", "--guided")
    assert (told["vectors"], told["cut"]) == (5, 0)
    on = GuidedEncoder.from_pretrained(trained, device="cpu").encode(patents(5))
    np.testing.assert_allclose(rows(tmp_path / "v")[1], on, atol=1e-5)
    words = ["encode", str(tiny), str(path), "-o", str(tmp_path / "none"), "--guided"]
    refused = CliRunner().invoke(app, words)
    assert "no relation parameters" in str(refused.exception)
    assert not (tmp_path / "none").exists()
    with pytest.raises(PhageError, match="no relation parameters"):
        GuidedEncoder.from_pretrained(shutil.copytree(tiny, tmp_path / "copy"))


def test_the_embedded_model_has_no_graph_to_switch_on():
    with pytest.raises(PhageError, match="trained without a claim graph"):
        GuidedEncoder.from_pretrained("phage-mini", device="cpu")

"""Shorter vectors."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app
from phage.encoder.corpus import read_vectors
from phage.encoder.shorten import Principal, shorten, truncate
from phage.errors import PhageError


def cloud(count=200, width=12, seed=0):
    """Unit vectors that spread along hidden directions, ever less."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(width, width)))[0]
    rows = rng.normal(size=(count, width)) * 0.6 ** np.arange(width) @ turn + 0.3
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_axes_are_those_of_scikit_learn():
    decomposition = pytest.importorskip("sklearn.decomposition")
    ours = Principal.fit(cloud(), 4)
    theirs = decomposition.PCA(4).fit(cloud())
    signs = np.sign((ours.axes * theirs.components_).sum(1))[:, None]
    np.testing.assert_allclose(ours.axes * signs, theirs.components_, atol=1e-4)
    assert ours.kept == pytest.approx(theirs.explained_variance_ratio_.sum(), abs=1e-5)


def test_axes_keep_distances_better_than_cutting():
    rows = cloud()
    axes = Principal.fit(rows, 4)
    centred = rows - axes.mean
    full = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    truth = full @ full.T

    def loss(short):
        return np.abs(short @ short.T - truth).mean()

    assert loss(axes.apply(rows)) < loss(truncate(rows, 4)) / 2
    turned = Principal.fit(rows, 12).apply(rows)  # all axes: only turned, no distance lost
    np.testing.assert_allclose(turned @ turned.T, truth, atol=1e-4)


def test_saved_axes_are_the_same(tmp_path):
    axes = Principal.fit(cloud(), 5, "a model")
    axes.save(tmp_path / "a.safetensors")
    again = Principal.load(tmp_path / "a.safetensors")
    assert np.array_equal(again.apply(cloud()), axes.apply(cloud()))
    assert (again.model, again.kept, again.width) == ("a model", axes.kept, 5)
    # fewer of the same axes: no second file is needed
    np.testing.assert_allclose(
        axes.apply(cloud(), 3), Principal.fit(cloud(), 3).apply(cloud()), atol=1e-5
    )
    assert shorten(cloud(), 3, axes).shape == (200, 3)
    assert shorten(cloud(), None).shape == (200, 12)


def test_what_cannot_be_is_said(tmp_path):
    (tmp_path / "no.safetensors").write_bytes(b"nothing")
    with pytest.raises(PhageError, match="not a file of axes"):
        Principal.load(tmp_path / "no.safetensors")
    with pytest.raises(PhageError, match="not a file of axes"):
        Principal.load(tmp_path / "absent.safetensors")
    with pytest.raises(PhageError, match="cannot become 13"):
        truncate(cloud(), 13)
    with pytest.raises(PhageError, match="too few for 5 axes"):
        Principal.fit(cloud(5), 5)
    with pytest.raises(PhageError, match="not 11"):
        Principal.fit(cloud(), 3).apply(cloud(width=11))
    assert np.isfinite(truncate(np.zeros((1, 4), dtype=np.float32), 2)).all()


def test_by_command(tiny, tmp_path):
    words = [
        "a",
        "pump",
        "with",
        "shaft",
        "wherein",
        "the",
        "is",
        "steel",
        "of",
        "claim",
        "housing",
        "coupled",
        "to",
    ]
    rng = np.random.default_rng(0)
    patents = [Patent(f"US{n}A", (Claim(1, " ".join(rng.choice(words, 9))),)) for n in range(60)]
    source = tmp_path / "p.jsonl"
    source.write_text("\n".join(json.dumps(patent.to_json()) for patent in patents))

    def phage(*line):
        done = CliRunner().invoke(app, [*map(str, line), "--json"])
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads(done.stdout)

    phage("encode", tiny, source, "-o", tmp_path / "whole")
    _, whole = read_vectors(tmp_path / "whole")
    phage("encode", tiny, source, "-o", tmp_path / "cut", "--dimensions", 8)
    _, cut = read_vectors(tmp_path / "cut")
    np.testing.assert_allclose(cut, truncate(whole, 8), atol=1e-6)
    told = phage("export", tiny, "--pca", tmp_path / "whole", "--dimensions", 8, "-o", tmp_path)
    file = told["pca"]["file"]
    phage("encode", tiny, source, "-o", tmp_path / "short", "--pca", file)
    numbers, short = read_vectors(tmp_path / "short")
    np.testing.assert_allclose(short, Principal.load(file).apply(whole), atol=1e-6)
    assert numbers == [patent.number for patent in patents]
    schema = pq.read_schema(tmp_path / "short" / "vectors-00000.parquet")
    assert schema.field("vector").type.list_size == 8
    refused = CliRunner().invoke(
        app,
        [
            "encode",
            str(tiny),
            str(source),
            "-o",
            str(tmp_path / "x"),
            "--pca",
            file,
            "--dimensions",
            "9",
        ],
    )
    assert "cannot become 9" in str(refused.exception)

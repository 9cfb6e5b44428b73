"""The ONNX files give the model's vectors, or are not written."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from phage.cli import app
from phage.encoder import Encoder
from tiny_model import other

pytest.importorskip("onnxruntime")

from phage.encoder import onnx as exporting
from phage.encoder.onnx import export_onnx
from phage.encoder.onnx_session import OnnxEncoder
from phage.errors import PhageError

TEXTS = [
    "a pump",
    "a pump with a shaft wherein the shaft is steel",
    "",
    "the pump of claim 1 " * 40,
]


@pytest.fixture(scope="module")
def exported(tiny, tmp_path_factory):
    """A saved folder with its ONNX files."""
    folder = tmp_path_factory.mktemp("exported") / "model"
    Encoder.from_pretrained(tiny, window=32, device="cpu").save_pretrained(folder)
    return folder, export_onnx(folder)


@pytest.mark.filterwarnings("ignore:.*longer than the window")
def test_fp32_and_int8_are_the_model(exported):
    folder, checked = exported
    truth = Encoder.from_pretrained(folder, device="cpu").encode(TEXTS)
    fp32 = OnnxEncoder.from_pretrained(folder)
    np.testing.assert_allclose(fp32.encode(TEXTS), truth, atol=1e-5)
    np.testing.assert_allclose(fp32.encode(TEXTS, batch_tokens=1), truth, atol=1e-5)
    int8 = OnnxEncoder.from_pretrained(folder, "int8").encode(TEXTS)
    assert (int8 * truth).sum(1).min() > 0.99
    assert checked.difference < 1e-5
    assert 0.99 <= checked.cosine <= checked.mean_cosine <= 1.0001
    assert fp32.encode([]).shape == (0, 32)
    assert np.array_equal(fp32.encode(iter(["a \ud800 pump"])), fp32.encode(["a ? pump"]))


def test_the_folder_holds_what_servers_look_for(exported):
    import onnxruntime

    folder, checked = exported
    assert (folder / "tokenizer.json").is_file()
    assert not list(folder.glob(".onnx*"))
    told = json.loads((folder / "onnx" / "check.json").read_text())
    assert told["difference"] == checked.difference
    session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"))
    assert [value.name for value in session.get_inputs()] == ["input_ids", "attention_mask"]
    assert [value.name for value in session.get_outputs()] == [
        "last_hidden_state",
        "sentence_embedding",
    ]
    assert [value.shape for value in session.get_inputs()] == [["batch", "length"]] * 2


def test_what_strays_too_far_is_not_written(exported, tmp_path, monkeypatch):
    folder, _ = exported
    before = (folder / "onnx" / "check.json").read_bytes()
    monkeypatch.setattr(
        exporting, "write_graph", lambda _, path: shutil.copy(folder / "onnx" / "model.onnx", path)
    )  # the graph is there; only the comparison is tried
    with pytest.raises(PhageError, match="int8 vectors have a cosine of only"):
        export_onnx(folder, cosine=1.0)
    monkeypatch.setattr(exporting, "TOLERANCE", -1.0)
    with pytest.raises(PhageError, match="nothing was written"):
        export_onnx(folder, tmp_path / "new", int8=False)
    assert (folder / "onnx" / "check.json").read_bytes() == before
    assert not (tmp_path / "new").exists()
    assert not list(folder.glob(".onnx*"))


def test_by_command_into_another_folder(exported, tmp_path, monkeypatch):
    folder, _ = exported
    monkeypatch.setattr(
        exporting, "write_graph", lambda _, path: shutil.copy(folder / "onnx" / "model.onnx", path)
    )
    words = ["export", str(folder), "--onnx", "--no-int8", "-o", str(tmp_path / "new"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    assert json.loads(done.stdout)["onnx"]["largest_difference"] < 1e-4
    assert not list((tmp_path / "new").glob("*.safetensors"))
    again = OnnxEncoder.from_pretrained(tmp_path / "new")
    truth = Encoder.from_pretrained(folder, device="cpu").encode(TEXTS[:2])
    np.testing.assert_allclose(again.encode(TEXTS[:2]), truth, atol=1e-5)
    with pytest.raises(PhageError, match="no int8 ONNX file"):
        OnnxEncoder.from_pretrained(tmp_path / "new", "int8")


def test_export_wants_to_know_what():
    done = CliRunner().invoke(app, ["export", "nowhere"])
    assert isinstance(done.exception, PhageError)
    assert "nothing to export was chosen" in str(done.exception)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["roberta", "modernbert", "mpnet"])
def test_other_backbones(tiny, tmp_path, kind):
    """Positions that start elsewhere, rotary positions, relative ones."""
    model = other(kind)
    from phage.backbone import load_tokenizer
    from phage.model_folder import Reading, write

    write(tmp_path / kind, model, load_tokenizer(tiny), Reading(64))
    assert export_onnx(tmp_path / kind, cosine=0.9).difference < 1e-4


@pytest.mark.slow
def test_the_embedded_model_exports_as_documented(tmp_path):
    words = ["export", "phage-mini", "--onnx", "-o", str(tmp_path / "new"), "--json"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    told = json.loads(done.stdout)["onnx"]
    assert told["largest_difference"] < 1e-4
    assert told["int8_least_cosine"] > 0.98

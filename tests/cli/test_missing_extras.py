"""A command whose extra is not installed says what to install."""

import sys

import pytest

LACKING = {
    "spacy": ("graph {patents} --parser spacy -o {out}.parquet", "spacy"),
    "matplotlib": ("show {patents} -o {out}.png", "draw"),
    "matplotlib#attention": ("show {patents} --attention {out}.png --model {tiny}", "draw"),
    "accelerate": ("train {recipe} --data {patents} -o {out}", "train"),
    "sklearn": ("evaluate {tiny} --path {patents} --runs 1 -o {out}", "eval"),
    "bm25s": ("evaluate bm25 --path {patents} --runs 1 -o {out}", "eval"),
    "datasketch": ("leakage {patents} {patents}", "eval"),
    "torch_geometric": ("evaluate {tiny} --gnn gcn --path {patents} --runs 1 -o {out}", "gnn"),
    "mteb": ("evaluate {tiny} NanoArguAnaRetrieval --mteb -o {out}", "mteb"),
    "lancedb": ("index {patents} --model {tiny} -o {out}", "search"),
    "lancedb#search": ("search {ownindex} pump", "search"),
    "uvicorn": ("serve {ownindex}", "serve"),
    "fastapi": ("serve {ownindex}", "serve"),
    "python_multipart": ("serve {ownindex}", "serve"),
    "onnx": ("export {tiny} --onnx -o {out}", "onnx"),
    "onnxruntime": ("export {tiny} --onnx -o {out}", "onnx"),
    "ray": ("encode {tiny} {patents} --engine ray -o {out}", "cluster"),
}
"""Package → a command that needs it, and the extra that brings it."""


@pytest.mark.parametrize("package", LACKING)
def test_a_missing_extra_is_reported_with_its_command(package, own, tmp_path, answer, monkeypatch):
    from phage.extras import install
    from phage.language.en.dependency import load_parser

    load_parser.cache_clear()
    name = package.split("#")[0]
    for module in {name, *(m for m in sys.modules if m.startswith(f"{name}."))}:
        monkeypatch.setitem(sys.modules, module, None)  # importing it fails, as if it were not here
    line, extra = LACKING[package]
    command, *words = line.format_map({**own, "out": tmp_path / "out"}).split()
    monkeypatch.chdir(tmp_path)
    code, said = answer(command, words)
    assert code == 2 and install(extra) in said, (code, said)
    assert "Traceback" not in said and f"'{name}'" in said
    assert not [path for path in tmp_path.rglob("out*") if path.is_file()]

"""No command answers a user's mistake with a traceback: every command, every input, every fault."""

from __future__ import annotations

import os
import pickle
import sys

import pytest

from phage.cli import COMMANDS, main

GOOD = {
    "demo-corpus": "-n 2 -o {out}.jsonl",
    "read": "{patents} -o {out}.parquet",
    "graph": "{patents} -o {out}.parquet",
    "stats": "{graphs}",
    "show": "{patents} -o {out}.svg",
    "check": "{patents} --html {out}.html",
    "check#docx": "{draft} --docx {out}.docx",
    "check#baseline": "{ownpatents} --baseline {baseline} --html {out}.html",
    "train": "{recipe} --data {patents} -o {out}",
    "train#graphs": "{ownrecipe} --data {ownpatents} --graphs {graphs} -o {out}",
    "train#cache": "{ownrecipe} --cache {cache} -o {out}",
    "train#exclude": "{ownrecipe} --data {ownpatents} --exclude {patents} -o {out}",
    "train#base": "{ownrecipe} --base {recipe} --data {ownpatents} -o {out}",
    "inspect": "{run}",
    "teacher": "{patents} --tokenizer {tiny} --width 8 -o {out}",
    "teacher#vectors": "{ownpatents} --tokenizer {tiny} --vectors {vectors} --width 8 -o {out}",
    "average": "{run} -o {out}",
    "encode": "{tiny} {patents} -o {out}",
    "encode#model": "{model} {ownpatents} -o {out}",
    "encode#guided": "{run} {ownpatents} --guided -o {out}",
    "encode#pca": "{tiny} {ownpatents} --pca {axes} -o {out}",
    "export": "{model} --onnx -o {out}",
    "export#texts": "{tiny} --onnx --texts {patents} -o {out}",
    "export#pca": "{tiny} --pca {vectors} -o {out}",
    "export#card": "{run} --card",
    "export#results": "{owntiny} --card --results {result}",
    "evaluate": "{tiny} --path {patents} -o {out}",
    "evaluate#model": "{model} --path {ownpatents} -o {out}",
    "evaluate#vectors": "{vectors} --path {ownpatents} -o {out}",
    "evaluate#tasks": "{ownvectors} --path {tasks} -o {out}",
    "evaluate#trained": "{tiny} --path {ownpatents} --trained-on {patents} -o {out}",
    "evaluate#prepare": "--path {patents} --prepare {out}",
    "evaluate#hupd": "--data-set hupd --path {patents} --prepare {out}",
    "evaluate#dapfam": "bm25 --data-set dapfam --path {patents} -o {out}",
    "evaluate#clef-ip": "bm25 --data-set clef-ip --path {patents} -o {out}",
    "evaluate#uspto-70k": "bm25 --data-set uspto-70k --path {patents} -o {out}",
    "ablate": "--recipes {recipes} --data {ownpatents} -o {out}",
    "ablate#base": "--recipes {ownrecipes} --base {recipe} --data {ownpatents} -o {out}",
    "ablate#data": "--recipes {ownrecipes} --data {patents} -o {out}",
    "leakage": "{patents} {ownpatents}",
    "leakage#eval": "{ownpatents} {patents}",
    "report": "{results}",
    "index": "{patents} --model {tiny} -o {out}",
    "index#model": "{ownpatents} --model {model} -o {out}",
    "index#delete": "ZZ1A --delete -o {index}",
    "search": "{index} pump",
    "search#draft": "{ownindex} @{patents}",
    "chart": "{patents} {ownpatents} --model {tiny} --html {out}.html",
    "chart#from": "ZZ1A ZZ2A --from {index} --model {tiny} --html {out}.html",
    "diff": "{ownpatents} {patents} --docx {out}.docx",
    "map": "{index} -o {out}.html",
    "serve": "{index} --port 0",
    "serve#model": "--model {model} --port 0",
}
"""Command (#case) → its words. An ``own…`` input is good, the other one is spoilt."""
KINDS = {
    "patents": ".jsonl",
    "draft": ".docx",
    "baseline": ".jsonl",
    "graphs": ".parquet",
    "recipe": ".toml",
    "cache": ".safetensors",
    "axes": ".safetensors",
    "result": ".json",
    "tasks": ".npz",
    "vectors": "",
    "model": "",
    "run": "",
    "recipes": "",
    "results": "",
    "index": "",
}
"""Input → the ending of its file; none: a folder."""
INSIDE = (
    "config.json", "modules.json", "index.json", "vectors.json", "recipe.toml", "provenance.json",
    "model.safetensors", "relations.safetensors", "part.parquet", "tokenizer.json", "result.json",
)  # fmt: skip
"""What the folders hold; all of it broken under the fault ``broken``."""
FAULTS = ("missing", "folder", "empty", "garbage", "other", "broken", "unreadable")


def spoil(folder, kind, fault):
    """Make an input that cannot be right."""
    path = folder / f"{kind}{KINDS[kind]}"
    if fault == "missing":
        return folder / "not" / "here" / path.name
    if fault == "folder":
        path.mkdir()
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "garbage":
        path.write_bytes(bytes(range(256)) * 9)
    elif fault == "other":
        path.write_text('{"hello": ["world"]}\n')
    elif fault == "broken":
        path.mkdir()
        for name in INSIDE:
            (path / name).write_bytes(b"\xff broken")
    else:
        path.write_text("secret")
        path.chmod(0)
    return path


def spoilable():
    for case, words in GOOD.items():
        for kind, ending in KINDS.items():
            if "{" + kind + "}" in words:
                for fault in FAULTS:
                    if (kind, fault) == ("recipe", "empty"):
                        continue  # a recipe without a line is the paper's
                    if (kind, fault) == ("results", "folder"):
                        continue  # no results: the paper's own tables
                    if fault == "broken" and ending:
                        continue  # a file has no inside
                    yield pytest.param(case, kind, fault, id=f"{case}-{kind}-{fault}")


@pytest.mark.parametrize(("case", "kind", "fault"), list(spoilable()))
def test_a_bad_input_is_reported(case, kind, fault, own, tmp_path, answer, monkeypatch):
    if fault == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    monkeypatch.chdir(tmp_path)
    places = {**own, kind: spoil(tmp_path, kind, fault), "out": tmp_path / "out"}
    words = GOOD[case].format_map(places).split()
    code, said = answer(case.split("#")[0], words)
    assert code == 2 and "error" in said.lower(), (code, said)
    assert "Traceback" not in said and "unexpected" not in said
    assert len(said) < 3000, said
    left = [path for path in tmp_path.rglob("*") if path.name.startswith("out")]
    assert not [path for path in left if path.is_file()], left


def test_every_command_is_tried():
    assert {case.split("#")[0] for case in GOOD} | {"doctor", "tour"} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("words", [["--no-such-option"], ["a", "b", "--json", "--workers", "many"]])
def test_bad_arguments_are_reported(command, words, tmp_path, answer, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = answer(command, words)
    assert code == 2 and "Traceback" not in said and "phage" in said, said
    assert not list(tmp_path.iterdir())


DEEP = "x = " + "[" * 100_000


@pytest.mark.parametrize("case", ["train", "ablate"])
def test_nested_toml_is_reported(case, own, tmp_path, answer, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text(DEEP)
    places = {**own, "recipe": tmp_path / "recipe.toml", "recipes": tmp_path}
    words = GOOD[case].format_map({**places, "out": tmp_path / "out"})
    code, said = answer(case.split("#")[0], words.split())
    assert code == 2 and "recipe.toml" in said and "unexpected" not in said, (code, said)


def test_a_blocked_pickle_is_reported(answer, monkeypatch):
    def blocked(*_):
        raise pickle.UnpicklingError("Weights only load failed")

    monkeypatch.setattr("phage.cli.doctor.examine", blocked)
    code, said = answer("doctor", [])
    assert code == 2 and "pickled objects" in said and "safetensors" in said


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("Disk quota exceeded (os error 122)")]
)
def test_what_the_system_refuses_is_no_bug_of_ours(error, answer, monkeypatch):
    def refused(*_):
        raise ValueError("while writing") from error

    monkeypatch.setattr("phage.cli.doctor.examine", refused)
    code, said = answer("doctor", [])
    assert code == 2 and "remedy" in said and "unexpected" not in said


def test_an_unforeseen_error_is_two_lines(answer, monkeypatch):
    def broken(*_):
        raise KeyError("what nobody thought of")

    monkeypatch.setattr("phage.cli.doctor.examine", broken)
    code, said = answer("doctor", [])
    assert code == 70 and "unexpected KeyError" in said and "PHAGE_DEBUG=1" in said
    monkeypatch.setenv("PHAGE_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["phage", "doctor"])
    with pytest.raises(KeyError):
        main()

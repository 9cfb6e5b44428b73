"""No command answers a user's mistake with a traceback: every command, every input, every fault."""

from __future__ import annotations

import errno
import os
import pickle
import subprocess
import sys

import pytest

from phage.claims import write
from phage.cli import COMMANDS, main
from phage.invented import invent

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
RECIPE = """
name = "t"
[backbone]
model = "{tiny}"
[input]
window = 32
[graph]
parser = "pattern"
citations = "full"
[train]
batch = 2
accumulation = 1
epochs = 1
max_steps = 1
precision = "fp32"
"""


def some_patents(count=60):
    return (invention.patent for invention in invent(count, seed=7))


@pytest.fixture(scope="module")
def own(tiny, tmp_path_factory):
    """Good inputs of every kind that are cheap to make."""
    folder = tmp_path_factory.mktemp("own")
    write(some_patents(), folder / "patents.jsonl")
    (folder / "recipe.toml").write_text(RECIPE.format(tiny=tiny))
    from phage.encoder import Encoder
    from phage.searching.index import Index

    encoder = Encoder.from_pretrained(tiny)
    Index.create(folder / "own.index", encoder).add(list(some_patents(2)), encoder)
    (folder / "recipes").mkdir()
    (folder / "recipes" / "one.toml").write_text(RECIPE.format(tiny=tiny))
    return {
        "patents": folder / "patents.jsonl",
        "recipe": folder / "recipe.toml",
        "ownpatents": folder / "patents.jsonl",
        "ownrecipe": folder / "recipe.toml",
        "ownrecipes": folder / "recipes",
        "tiny": tiny,
        "owntiny": tiny,
        "ownvectors": folder / "vectors.npz",
        "ownindex": folder / "own.index",
    }


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


def answer(capsys, monkeypatch, command, words):
    """Run a command as the shell would; give its exit code and what it wrote."""
    monkeypatch.setattr(sys, "argv", ["phage", command, *words])
    monkeypatch.delenv("PHAGE_DEBUG", raising=False)
    try:
        main()
    except SystemExit as end:
        code = end.code
    else:
        code = 0
    said = capsys.readouterr()
    return code, said.out + said.err


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
def test_a_bad_input_is_reported(case, kind, fault, own, tmp_path, capsys, monkeypatch):
    if fault == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    monkeypatch.chdir(tmp_path)
    places = {**own, kind: spoil(tmp_path, kind, fault), "out": tmp_path / "out"}
    words = GOOD[case].format_map(places).split()
    code, said = answer(capsys, monkeypatch, case.split("#")[0], words)
    assert code == 2 and "error" in said.lower(), (code, said)
    assert "Traceback" not in said and "unexpected" not in said
    assert len(said) < 3000, said
    left = [path for path in tmp_path.rglob("*") if path.name.startswith("out")]
    assert not [path for path in left if path.is_file()], left


def test_every_command_is_tried():
    assert {case.split("#")[0] for case in GOOD} | {"doctor", "tour"} == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("words", [["--no-such-option"], ["a", "b", "--json", "--workers", "many"]])
def test_bad_arguments_are_reported(command, words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, said = answer(capsys, monkeypatch, command, words)
    assert code == 2 and "Traceback" not in said and "phage" in said, said
    assert not list(tmp_path.iterdir())


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
def test_a_missing_extra_is_told_with_its_command(package, own, tmp_path, capsys, monkeypatch):
    from phage.extras import install
    from phage.graph.language.en.dependency import load_parser

    load_parser.cache_clear()
    name = package.split("#")[0]
    for module in {name, *(m for m in sys.modules if m.startswith(f"{name}."))}:
        monkeypatch.setitem(sys.modules, module, None)  # importing it fails, as if it were not here
    line, extra = LACKING[package]
    command, *words = line.format_map({**own, "out": tmp_path / "out"}).split()
    monkeypatch.chdir(tmp_path)
    code, said = answer(capsys, monkeypatch, command, words)
    assert code == 2 and install(extra) in said, (code, said)
    assert "Traceback" not in said and f"'{name}'" in said
    assert not [path for path in tmp_path.rglob("out*") if path.is_file()]


WRITING = {
    "demo-corpus": "-n 2 -o {out}.jsonl",
    "read": "{patents} -o {out}.parquet",
    "graph": "{patents} -o {out}.parquet",
    "show": "{patents} -o {out}.svg",
    "check": "{patents} --html {out}.html",
    "train": "{recipe} --data {patents} -o {out}",
    "encode": "{tiny} {patents} -o {out}",
    "export": "{tiny} --onnx --no-int8 -o {out}",
    "evaluate": "{tiny} --path {patents} --runs 1 -o {out}",
    "evaluate#prepare": "--path {patents} --prepare {out}",
    "ablate": "--recipes {ownrecipes} --data {patents} --seeds 1 --runs 1 -o {out}",
    "leakage": "{patents} {patents} --split-by-date {out}.parquet",
    "index": "{patents} --model {tiny} -o {out}",
}


SLOW = {"export"}  # torch compiles it first
CASES = [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in WRITING]


@pytest.mark.parametrize("case", CASES)
def test_a_full_disk_is_told_and_leaves_nothing(case, own, tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("phage.storage.settle", full)
    monkeypatch.setattr("phage.training.checkpoint.settle", full)
    monkeypatch.chdir(tmp_path)
    words = WRITING[case].format_map({**own, "out": tmp_path / "out"}).split()
    code, said = answer(capsys, monkeypatch, case.split("#")[0], words)
    assert code == 2 and "No space left on device" in said, (code, said)
    assert "Traceback" not in said
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert not [name for name in left if name.endswith((".partial", ".parquet", ".jsonl"))], left
    assert not left & {"modules.json", "vectors.json", "index.json", "model.onnx"}, left


LIMITED = """
import resource, sys
from phage.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
sys.argv = ["phage", *sys.argv[1:]]
main()
"""


def test_a_library_that_cannot_write_is_no_bug_of_ours(own, tmp_path):
    """LanceDB raises what the system says in types of its own; a limit stands for a full disk."""
    words = ["index", own["patents"], "--model", own["tiny"], "-o", tmp_path / "out"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, words)],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2, done.stderr
    assert "error: File too large" in done.stderr and "remedy: " in done.stderr
    assert "Traceback" not in done.stderr


DEEP = "x = " + "[" * 100_000


@pytest.mark.parametrize("case", ["train", "ablate"])
def test_nested_toml_is_reported(case, own, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text(DEEP)
    places = {**own, "recipe": tmp_path / "recipe.toml", "recipes": tmp_path}
    words = GOOD[case].format_map({**places, "out": tmp_path / "out"})
    code, said = answer(capsys, monkeypatch, case.split("#")[0], words.split())
    assert code == 2 and "recipe.toml" in said and "unexpected" not in said, (code, said)


def test_a_blocked_pickle_is_reported(capsys, monkeypatch):
    def blocked(*_):
        raise pickle.UnpicklingError("Weights only load failed")

    monkeypatch.setattr("phage.cli.doctor.examine", blocked)
    code, said = answer(capsys, monkeypatch, "doctor", [])
    assert code == 2 and "pickled objects" in said and "safetensors" in said


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("Disk quota exceeded (os error 122)")]
)
def test_what_the_system_refuses_is_no_bug_of_ours(error, capsys, monkeypatch):
    def refused(*_):
        raise ValueError("while writing") from error

    monkeypatch.setattr("phage.cli.doctor.examine", refused)
    code, said = answer(capsys, monkeypatch, "doctor", [])
    assert code == 2 and "remedy" in said and "unexpected" not in said


@pytest.mark.parametrize("case", WRITING)
def test_an_output_that_cannot_be_is_reported(case, own, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    words = WRITING[case].format_map({**own, "out": tmp_path / "file" / "out"}).split()
    code, said = answer(capsys, monkeypatch, case.split("#")[0], words)
    assert code == 2 and "error: " in said and "Traceback" not in said, (code, said)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


LOCKS = {
    "demo-corpus": ".out.jsonl.lock",
    "read": ".out.parquet.lock",
    "graph": ".out.parquet.lock",
    "show": ".out.svg.lock",
    "check": ".out.html.lock",
    "train": "out/.lock",
    "encode": "out/.vectors.json.lock",
    "export": "out/.onnx.lock",
    "evaluate": "out/uspto-week/.{slug}.json.lock",
    "evaluate#prepare": "out/.lock",
    "ablate": "out/.lock",
    "leakage": ".out.parquet.lock",
    "index": "out/.lock",
}
"""Command → what it locks while it writes."""


@pytest.mark.parametrize("case", WRITING)
def test_a_second_writer_is_refused(case, own, tmp_path, capsys, monkeypatch):
    """Another process holds the output, from the start of its work to the end."""
    import fcntl

    from phage.evaluation.results import slug

    lock = tmp_path / LOCKS[case].format(slug=slug(str(own["tiny"])))
    lock.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path)
    words = WRITING[case].format_map({**own, "out": tmp_path / "out"}).split()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, said = answer(capsys, monkeypatch, case.split("#")[0], words)
        assert code == 2 and "another run is writing" in said and "remedy: " in said, (code, said)
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {lock.name}


def test_an_unforeseen_error_is_two_lines(capsys, monkeypatch):
    def broken(*_):
        raise KeyError("what nobody thought of")

    monkeypatch.setattr("phage.cli.doctor.examine", broken)
    code, said = answer(capsys, monkeypatch, "doctor", [])
    assert code == 70 and "unexpected KeyError" in said and "PHAGE_DEBUG=1" in said
    monkeypatch.setenv("PHAGE_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["phage", "doctor"])
    with pytest.raises(KeyError):
        main()

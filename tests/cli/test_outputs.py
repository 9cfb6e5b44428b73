"""An output that cannot be written is reported, and nothing half-written is left."""

import errno
import os
import subprocess
import sys

import pytest

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
def test_a_full_disk_is_reported_and_leaves_nothing(case, own, tmp_path, answer, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    # first where it was imported to, which must not be imported while the other is replaced
    monkeypatch.setattr("phage.training.checkpoint.settle", full)
    monkeypatch.setattr("phage.storage.settle", full)
    monkeypatch.chdir(tmp_path)
    words = WRITING[case].format_map({**own, "out": tmp_path / "out"}).split()
    code, said = answer(case.split("#")[0], words)
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


@pytest.mark.parametrize("case", WRITING)
def test_an_output_that_cannot_be_is_reported(case, own, tmp_path, answer, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("in the way")
    words = WRITING[case].format_map({**own, "out": tmp_path / "file" / "out"}).split()
    code, said = answer(case.split("#")[0], words)
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
def test_a_second_writer_is_refused(case, own, tmp_path, answer, monkeypatch):
    """Another process holds the output, from the start of its work to the end."""
    import fcntl

    from phage.evaluation.results import slug

    lock = tmp_path / LOCKS[case].format(slug=slug(str(own["tiny"])))
    lock.parent.mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path)
    words = WRITING[case].format_map({**own, "out": tmp_path / "out"}).split()
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        code, said = answer(case.split("#")[0], words)
        assert code == 2 and "another run is writing" in said and "remedy: " in said, (code, said)
    left = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {lock.name}


ONTO = {
    "graph": "{one} -o {one}",
    "graph#another name": "{one} -o {link}",
    "graph#folder": "{folder} -o {one}",
    "graph#pattern": "{folder}/*.json -o {one}",
    "read": "{one} -o {link}",
    "show": "{one} -o {one}",
    "show#attention": "{one} --attention {one}",
    "search": "{ownindex} --queries {one} -o {one}",
    "search#draft": "{ownindex} @{one} -o {one}",
    "search#index": "{ownindex} pump -o {ownindex}/index.json",
    "encode": "{tiny} {one} -o {one}",
    "check": "{one} --html {one}",
    "check#word": "{one} --docx {one}",
    "check#baseline": "{ownpatents} --baseline {one} --html {one}",
    "index": "{one} -o {one}",
    "teacher": "{ownpatents} --vectors {folder} -o {folder}",
    "chart": "{ownpatents} {one} --html {one}",
    "diff": "{one} {ownpatents} --docx {one}",
    "stats": "{one} --plot {one}",
    "export": "{tiny} --onnx --texts {one} -o {one}",
    "leakage": "{ownpatents} {one} --split-by-date {one}",
    "train": "{recipe} --data {one} --cache {one}",
    "average": "{folder} -o {folder}",
    "evaluate": "bm25 --path {one} --save-vectors {one}",
    "evaluate#prepare": "--path {part} --prepare {folder}",
}
"""Commands that would write over what they read."""


@pytest.mark.parametrize("case", ONTO)
def test_no_command_overwrites_what_it_reads(case, own, tmp_path, answer):
    folder = tmp_path / "given"
    folder.mkdir()
    one, part, link = folder / "one.json", folder / "test.parquet", tmp_path / "link.jsonl"
    for given in (one, part):
        given.write_text('{"number": "US1A", "claims": ["A pump."]}')
    link.symlink_to(one)
    settings = (own["ownindex"] / "index.json").read_bytes()
    before = [given.read_bytes() for given in (one, part)]
    places = {**own, "one": one, "part": part, "link": link, "folder": folder}
    code, said = answer(case.split("#")[0], ONTO[case].format_map(places).split())
    assert code == 2 and "is both source and output" in said, (code, said)
    assert before == [given.read_bytes() for given in (one, part)] and link.is_symlink()
    assert settings == (own["ownindex"] / "index.json").read_bytes()
    assert sorted(folder.iterdir()) == [one, part]


def test_a_drawing_in_a_folder_of_patents_can_be_drawn_again(tmp_path, answer):
    (tmp_path / "one.json").write_text('{"number": "US1A", "claims": ["A pump."]}')
    for _ in range(2):
        assert answer("show", [tmp_path, "-o", tmp_path / "one.svg"])[0] == 0


def test_a_map_is_not_written_under_another_ending(own, tmp_path, answer):
    code, said = answer("map", [own["ownindex"], "-o", tmp_path / "m.txt"])
    assert code == 2 and "name it map.html" in said and not (tmp_path / "m.txt").exists()

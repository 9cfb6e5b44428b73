"""The command ``phage read``, as a user calls it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

GOOD = Path(__file__).parents[1] / "claims" / "written.py"


@pytest.fixture
def phage():
    """Run a command; give its exit code, stdout and stderr."""

    def _phage(*words, stdin=None):
        done = subprocess.run(
            [sys.executable, "-m", "phage", *map(str, words)],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            input=stdin,
        )
        return done.returncode, done.stdout, done.stderr

    return _phage


@pytest.fixture
def week(tmp_path):
    import importlib.util

    spec = importlib.util.spec_from_file_location("written_for_read", GOOD)
    written = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(written)
    path = tmp_path / "week.xml"
    path.write_text(
        written.redbook() + "<?xml version='1.0'?><us-patent-grant>" + written.redbook("08621663")
    )
    return path


def test_read_reports_and_writes(phage, week, tmp_path):
    code, out, err = phage("read", week, "-o", tmp_path / "out.jsonl", "--json")
    assert code == 0, err
    report = json.loads(out)
    assert (report["patents"], report["with_ipc"], report["claims"], report["skipped"]) == (
        2,
        2,
        6,
        1,
    )
    assert report["problems"][0]["offset"] > 100 and "XML" in report["problems"][0]["reason"]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["number"] for line in lines] == ["US8621662B2", "US8621663B2"]


def test_table_for_people(phage, week, tmp_path):
    code, out, err = phage("read", week, "-o", tmp_path / "out.parquet")
    assert code == 0 and "skipped" in out and "byte" in err


def test_strict_stops_and_writes_nothing(phage, week, tmp_path):
    code, _, err = phage("read", week, "-o", tmp_path / "out.parquet", "--strict")
    assert code == 1 and "error:" in err and "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["week.xml"]


def test_nothing_read_is_an_error_with_a_report(phage, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing here")
    code, out, err = phage("read", tmp_path / "notes.txt", "-o", tmp_path / "out.parquet", "--json")
    assert code == 2 and json.loads(out)["skipped"] == 1 and "Traceback" not in err
    assert not (tmp_path / "out.parquet").exists()


def test_output_inside_the_source_folder_is_no_source(phage, week, tmp_path):
    for _ in range(2):
        code, out, err = phage("read", tmp_path, "-o", tmp_path / "out.parquet", "--json")
        assert code == 0 and json.loads(out)["patents"] == 2, err


def test_a_source_is_never_overwritten(phage, tmp_path):
    source = tmp_path / "a.jsonl"
    source.write_text('{"number": "US1A", "claims": ["A pump."]}')
    code, _, err = phage("read", source, "-o", source)
    assert code == 2 and "both source and output" in err and "A pump." in source.read_text()


def test_standard_input(phage, week, tmp_path):
    out = tmp_path / "out.jsonl"
    code, told, err = phage("read", "-", "-o", out, "--json", stdin=week.read_text())
    assert code == 0 and json.loads(told)["patents"] == 2, err


def test_help_has_an_example(phage):
    code, out, _ = phage("read", "--help")
    assert code == 0 and "Example: phage read" in out


def test_stray_things_in_a_folder_are_named_and_skipped(phage, week, tmp_path):
    import os
    import socket

    folder = tmp_path / "in"
    folder.mkdir()
    week.rename(folder / "week.xml")
    (folder / "dangling.xml").symlink_to(tmp_path / "nowhere.xml")
    (folder / "loop-a.xml").symlink_to(folder / "loop-b.xml")
    (folder / "loop-b.xml").symlink_to(folder / "loop-a.xml")
    (folder / "around").symlink_to(folder)
    (folder / "zeros.xml").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe.xml")
    (folder / "shut.xml").write_text("secret")
    (folder / "shut.xml").chmod(0)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
        code, out, err = phage("read", folder, "-o", tmp_path / "out.parquet", "--json")
        globbed = phage("read", folder / "*.xml", "-o", tmp_path / "out.parquet", "--json")
        strict, _, said = phage("read", folder, "-o", tmp_path / "strict.parquet", "--strict")
        graphs = phage("graph", folder, "-o", tmp_path / "graphs.parquet", "--json")
    assert code == 0, err
    told = json.loads(out)
    why = {Path(one["file"]).name: one["reason"] for one in told["problems"]}
    assert told["patents"] == 2
    assert "No such file" in why.pop("dangling.xml")
    assert "symbolic links" in why.pop("loop-a.xml") and "symbolic links" in why.pop("loop-b.xml")
    assert why.pop("pipe.xml") == "not a file: a named pipe"
    assert why.pop("zeros.xml") == "not a file: a device"
    assert why.pop("socket") == "not a file: a socket"
    assert "link to a folder" in why.pop("around")
    assert why.pop("shut.xml")  # no right to it; for root, which may read all: an unknown format
    assert set(why) == {"week.xml"}, "its own broken document"
    assert globbed[0] == 0 and json.loads(globbed[1])["skipped"] == told["skipped"] - 2
    assert strict == 1 and not (tmp_path / "strict.parquet").exists() and "error:" in said
    assert graphs[0] == 0 and json.loads(graphs[1])["graphs"] == 2
    assert json.loads(graphs[1])["skipped"] == told["skipped"]


def test_a_pipe_that_is_named_is_read(phage, week, tmp_path):
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(week.read_bytes()), daemon=True).start()
    code, out, err = phage("read", pipe, "-o", tmp_path / "out.parquet", "--json")
    assert code == 0 and json.loads(out)["patents"] == 2, err

"""One writer per output, nothing left of dead ones, and no device read for a text."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from phage.errors import PhageError
from phage.locks import alone
from phage.storage import atomic, read_json, read_text, write_text
from phage.training.recipe_file import load

SRC = str(Path(__file__).parents[1] / "src")
ENVIRONMENT = {**os.environ, "PYTHONPATH": SRC}

HOLD = """
import sys
from phage.storage import atomic
with atomic(sys.argv[1]) as partial:
    partial.write_text("mine")
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """Start a process that is writing a file, and wait until it is."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_second_writer_is_refused_until_the_first_has_ended(tmp_path):
    path = tmp_path / "out.txt"
    with holder(path) as first:
        with pytest.raises(PhageError, match="another run is writing") as refused:
            write_text(path, "theirs")
        assert refused.value.remedy and refused.value.code == 2
        write_text(tmp_path / "other.txt", "another output")
        first.communicate("")
    assert first.returncode == 0 and path.read_text() == "mine"
    write_text(path, "now")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.txt", "out.txt"]


def test_a_killed_writer_holds_nothing_and_what_it_left_is_removed(tmp_path):
    path = tmp_path / "out.txt"
    with holder(path) as first:
        first.kill()
        first.wait()
    assert any(p.name.endswith(".partial") for p in tmp_path.iterdir())
    with holder(tmp_path / "living.txt") as living:
        write_text(path, "whole")
        left = sorted(p.name for p in tmp_path.iterdir() if p.name.endswith(".partial"))
        assert left == [f".living.txt.{living.pid}.partial"], "a living writer's file stays"
        living.communicate("")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["living.txt", "out.txt"]


def test_what_a_holder_elsewhere_writes_is_not_removed(tmp_path):
    """Its process is not one of this machine, but it holds the lock."""
    import fcntl

    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    theirs = tmp_path / f".theirs.txt.{dead.pid}.partial"
    theirs.write_text("half")
    with (tmp_path / ".theirs.txt.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        write_text(tmp_path / "mine.txt", "whole")
        assert theirs.exists()


def test_names_that_only_look_like_leftovers_stay(tmp_path):
    for name in (".notes.partial", "a.12.partial", ".x.y.partial"):
        (tmp_path / name).write_text("a user's")
    write_text(tmp_path / "out.txt", "whole")
    assert len(list(tmp_path.glob("*partial"))) == 3


def test_one_thread_may_enter_again_another_may_not(tmp_path):
    path = tmp_path / "out.txt"
    seen = []

    def other():
        try:
            write_text(path, "theirs")
        except PhageError as error:
            seen.append(error.message)

    with alone(path), atomic(path) as partial:
        partial.write_text("mine")
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert path.read_text() == "mine"
    assert len(seen) == 1 and "another run" in seen[0]


def test_a_folder_made_for_nothing_goes_again(tmp_path):
    with pytest.raises(RuntimeError), alone(tmp_path / "new", tmp_path / "new" / ".lock"):
        raise RuntimeError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", ["ENOLCK", "EOPNOTSUPP"])
def test_a_disk_without_locks_is_written_all_the_same(tmp_path, monkeypatch, wrong):
    import errno

    def refuse(*_):
        raise OSError(getattr(errno, wrong), "no locks here")

    monkeypatch.setattr("phage.locks._system.flock", refuse)
    write_text(tmp_path / "out.txt", "whole")
    monkeypatch.setattr("phage.locks._system", None)
    write_text(tmp_path / "two.txt", "whole")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.txt", "two.txt"]


@pytest.mark.parametrize("kind", ["device", "pipe", "huge"])
def test_no_more_is_read_than_a_settings_file_has(tmp_path, kind):
    path = tmp_path / "settings.toml"
    if kind == "device":
        path = Path("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)  # nobody writes into it: opening it would wait for ever
    else:
        path.touch()
        os.truncate(path, 1 << 40)  # a terabyte, none of it on the disk
    wanted = "larger than" if kind == "huge" else "not a regular file"
    for read in (read_text, read_json, load):
        with pytest.raises(PhageError, match=wanted):
            read(path)


@pytest.mark.parametrize("base", ["/dev/zero", "/dev/stdin"])
def test_a_recipe_cannot_start_from_a_device(tmp_path, base):
    recipe = tmp_path / "mine.toml"
    recipe.write_text(f'base = "{base}"\n')
    done = subprocess.run(
        [sys.executable, "-m", "phage", "train", str(recipe), "-o", str(tmp_path / "run")],
        stdin=subprocess.PIPE, capture_output=True, text=True, check=False, env=ENVIRONMENT,
    )  # fmt: skip
    assert done.returncode == 2 and "not a regular file" in done.stderr, done.stderr
    assert not (tmp_path / "run").exists()

"""What Linux has and other systems lack: the package works without it, or says what it needs."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest

from phage import extras, locks, storage, worker_signals
from phage.errors import PhageError

SRC = Path(__file__).parents[1] / "src"
POSIX = ("fcntl", "resource", "termios", "pwd", "grp", "posix", "syslog", "pty", "tty")
"""Modules that Windows lacks."""
SIGNS = (
    *(f"import {name}{end}" for name in POSIX for end in "\n "),
    *("/proc/", "/dev/std", "os.fork", "os.kill(", "pthread_", "setitimer", "pass_fds"),
    *("start_new_session", "os.getppid", "os.killpg", "os.sched_", "os.fsync"),
)
"""What only some systems have, or what means something else there."""


class Windows:
    """The module ``os`` under another name of the system."""

    name = "nt"

    def __getattr__(self, name):
        return getattr(os, name)


def test_files_are_whole_without_locks(tmp_path, monkeypatch):
    def kill(process: int, number: int) -> None:
        raise AssertionError("os.kill(…, 0) is Ctrl-C on Windows")

    monkeypatch.setattr(locks, "_system", None)
    monkeypatch.setattr(locks, "_swept", set())
    monkeypatch.setattr(os, "kill", kill)
    left = tmp_path / ".old.json.999999.partial"
    left.write_text("half")
    storage.write_json(tmp_path / "deep" / "new.json", {"a": 1})
    with locks.alone(tmp_path / "out") as locked:
        assert locked is False
    locks.sweep(tmp_path)
    assert (tmp_path / "deep" / "new.json").read_bytes() == b'{\n  "a": 1\n}\n'
    assert left.exists(), "nobody knows whether its writer lives"


def test_the_lock_module_imports_without_fcntl(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    spec = importlib.util.find_spec("phage.locks")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module._system is None


def test_a_file_is_flushed_through_a_handle_that_may_write(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    modes = []
    monkeypatch.setattr(os, "fsync", lambda file: modes.append(fcntl.fcntl(file, fcntl.F_GETFL)))
    monkeypatch.setattr(storage, "os", Windows())
    path = tmp_path / "a"
    path.write_text("a")
    storage.settle(path)
    assert modes[0] & os.O_RDWR


def test_processes_start_where_signals_cannot_be_masked(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(worker_signals, "_mask", None)
    try:
        with pytest.raises(KeyboardInterrupt), worker_signals.starting():
            signal.raise_signal(signal.SIGINT)
        worker_signals.leave_interrupts_to_parent()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_standard_input_that_is_not_a_file_is_reported(tmp_path, monkeypatch):
    from phage.claims.readers.listing import files
    from phage.searching.batch import read_queries

    monkeypatch.setattr(storage, "STDIN", tmp_path / "absent")
    for ask in (files(["-"]), read_queries("-")):
        with pytest.raises(PhageError, match="no file for standard input"):
            list(ask)


def test_the_service_names_the_systems_it_runs_on(monkeypatch):
    pytest.importorskip("fastapi")
    from phage.serve import create_app, workers

    monkeypatch.setattr(workers, "os", Windows())
    with pytest.raises(PhageError, match="Linux and macOS only") as caught:
        create_app("no.index", None)
    assert "WSL" in caught.value.remedy


def test_a_worker_without_limits_for_memory_works_on(monkeypatch):
    pytest.importorskip("fastapi")
    from phage.serve import workers

    monkeypatch.setitem(sys.modules, "resource", None)
    workers._limit_memory(1)  # it raises nothing and limits nothing


def test_modules_that_know_the_system_are_listed():
    """A new use of what only some systems have is guarded, and named in docs/install.md."""
    told = (SRC.parent / "docs" / "install.md").read_text(encoding="utf-8")
    for path in sorted((SRC / "phage").rglob("*.py")):
        if any(sign in path.read_text(encoding="utf-8") for sign in SIGNS):
            name = path.relative_to(SRC).with_suffix("").as_posix().replace("/", ".")
            assert f"`{name}`" in told, name


def test_the_remedy_is_the_command_that_installs(tmp_path, monkeypatch):
    package = tmp_path / "src" / "phage"
    package.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert extras.install("serve", package) == "pip install 'phage[serve]'"
    (tmp_path / "pyproject.toml").touch()
    assert extras.install("serve", package) == "pip install -e '.[serve]'"
    monkeypatch.chdir(package)
    assert extras.install("serve", package) == f"pip install -e '{tmp_path}[serve]'"

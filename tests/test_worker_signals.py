"""Processes that are started while somebody presses Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from phage.worker_signals import starting

SRC = Path(__file__).parents[1] / "src"
ASK = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"


@pytest.fixture(autouse=True)
def heard():
    """As in a terminal: what a script runs in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def blocked() -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_interrupt_waits_for_the_end_and_everything_is_as_before():
    steps, now = [], threading.Event()

    def take() -> None:
        now.wait(60)
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=take)
    other.start()  # before: it blocks nothing, and Python calls the handler in the main thread
    with pytest.raises(KeyboardInterrupt), starting():
        os.kill(os.getpid(), signal.SIGINT)
        now.set()
        other.join()
        steps.append("not disturbed")
    assert steps == ["not disturbed"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not blocked()


def test_without_an_interrupt_nothing_happens():
    with starting():
        assert blocked()
    assert not blocked()


def test_what_is_started_hears_nothing():
    with starting():
        done = subprocess.run(
            [sys.executable, "-c", ASK], check=False, capture_output=True, text=True
        )
    assert done.stdout == "True\n"


def test_a_handler_that_was_there_is_called():
    told = []
    signal.signal(signal.SIGINT, lambda number, _: told.append(number))
    with starting():
        os.kill(os.getpid(), signal.SIGINT)
        assert told == []
    assert told == [signal.SIGINT]


def test_another_thread_may_start_processes_too():
    wrong = []

    def start():
        try:
            with starting():
                pass
        except BaseException as error:  # noqa: BLE001
            wrong.append(error)

    other = threading.Thread(target=start)
    other.start()
    other.join()
    assert wrong == []


WORKER = """
import os, signal
from phage.worker_signals import leave_interrupts_to_parent
os.kill(os.getpid(), signal.SIGINT)  # pending when the process begins
leave_interrupts_to_parent()
os.kill(os.getpid(), signal.SIGINT)
print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_a_process_ignores_it_for_good():
    with starting():
        done = subprocess.run(
            [sys.executable, "-c", WORKER],
            env={**os.environ, "PYTHONPATH": str(SRC)},
            check=False,
            capture_output=True,
            text=True,
        )
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr

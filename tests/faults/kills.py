"""Killed commands: started again, they end where an undisturbed run ends.

In:   how many kills, and a seed.
Out:  counts per command, and every failure.
Why:  machines lose power, schedulers kill jobs, and nobody looks at what was left behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from commands import COMMANDS, ENV, fingerprint, run


def campaign(
    name: str, places: dict[str, Path], folder: Path, seed: int, count: int
) -> dict[str, object]:
    """Kill so many runs of one command; start each again and compare what it wrote."""
    rng = random.Random(f"{name} {seed}")
    whole = folder / name
    whole.mkdir()
    since = time.monotonic()
    undisturbed = run(COMMANDS[name].words(places, whole))
    lasts = time.monotonic() - since
    assert undisturbed.returncode == 0, undisturbed.stderr
    expected = fingerprint(name, whole)
    failures = []
    for turn in range(count):
        out = folder / f"{name}-{turn}"
        out.mkdir()
        kill(name, places, out, rng.uniform(0.3, 1.0) * lasts)
        if wrong := resumed(name, places, out, expected):
            failures.append(f"{name}, kill {turn}: {wrong}")
        shutil.rmtree(out)
    return {"counts": {name: count}, "failures": failures}


def kill(name: str, places: dict[str, Path], out: Path, after: float) -> None:
    """Kill the command after so many seconds, sooner where it had ended by then."""
    while True:
        started = subprocess.Popen(
            COMMANDS[name].words(places, out), env=ENV, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            started.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
            return
        after *= 0.8  # it was done already
        shutil.rmtree(out)
        out.mkdir()


def resumed(name: str, places: dict[str, Path], out: Path, expected: str) -> str:
    """Start a killed command again; say what is wrong with its end, if anything."""
    begun = any(out.glob("*/checkpoints/*")) or name != "train"
    again = run(COMMANDS[name].words(places, out, again=begun))
    if again.returncode:
        return f"exit {again.returncode}: {again.stderr[-500:]}"
    if fingerprint(name, out) != expected:
        return "the output differs from that of an undisturbed run"
    left = [path.name for path in out.rglob("*.partial")]
    return f"left behind: {left}" if left else ""

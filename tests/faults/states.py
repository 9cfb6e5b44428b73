"""Damaged state: what a stopped or finished command left is damaged, then used.

In:   how many damages, and a seed.
Out:  for each: redone (the output is right), refused (an error names the file), or published wrong.
Why:  disks flip bits and people tidy up; a result must be right or absent."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from commands import COMMANDS, ENV, fingerprint, run
from damage import mutated


@dataclass(frozen=True, slots=True)
class State:
    """Files of one kind that a command trusts."""

    name: str
    command: str
    """The command that made them, and that is run again."""
    files: str
    """A pattern below its output folder."""
    under_way: str = ""
    """The state of a run that was killed once this pattern had appeared; else of a finished run."""


STATES = (
    State("checkpoint weights", "train", "r/checkpoints/*/model.safetensors", "r/checkpoints/step-*10"),
    State("checkpoint optimiser", "train", "r/checkpoints/*/trainer/*.safetensors", "r/checkpoints/step-*10"),
    State("checkpoint state", "train", "r/checkpoints/*/trainer/state.json", "r/checkpoints/step-*10"),
    State("checkpoint parameters", "train", "r/checkpoints/*/relations.safetensors", "r/checkpoints/step-*10"),
    State("parts of graphs", "graph", "g.parquet.parts/*.part", "g.parquet.parts/00000005.part"),
    State("notes on parts", "graph", "g.parquet.parts/0*.json", "g.parquet.parts/00000005.part"),
    State("parts of vectors", "encode", "v/*.parts/*.part", "v/*.parts/*1.part"),
    State("index settings", "index", "i/index.json"),
    State("index manifest", "index", "i/*/_versions/*.manifest"),
    State("index data", "index", "i/*/data/*.lance"),
)  # fmt: skip
KINDS = ("flip", "cut", "zero", "gone", "empty")


def campaign(
    state: State, places: dict[str, Path], folder: Path, seed: int, count: int
) -> dict[str, object]:
    """Damage one kind of state so many times."""
    rng = random.Random(f"{state.name} {seed}")
    outcomes: Counter[str] = Counter()
    failures = []
    whole, expected = make(state, places, folder / state.name.replace(" ", "-"))
    for turn in range(count):
        out = folder / f"{whole.name}-{turn}"
        shutil.copytree(whole, out)
        kind = KINDS[turn % len(KINDS)]
        hurt = damage(max(out.glob(state.files)), kind, rng)
        outcome, wrong = use(state, places, out, expected)
        outcomes[f"{state.name}: {outcome}"] += 1
        if wrong:
            failures.append(f"{state.name}, {kind} in {hurt.relative_to(out)}: {wrong}")
        shutil.rmtree(out)
    return {"counts": dict(outcomes), "failures": failures}


def make(state: State, places: dict[str, Path], out: Path) -> tuple[Path, str]:
    """Run the command to its end for the fingerprint, and as far as the state needs."""
    whole = out.with_name(out.name + "-whole")
    whole.mkdir()
    done = run(COMMANDS[state.command].words(places, whole))
    assert done.returncode == 0, done.stderr
    expected = fingerprint(state.command, whole)
    if not state.under_way:
        return whole, expected
    for _ in range(5):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        if _killed_at(state, places, out):
            return out, expected
    raise AssertionError(f"{state.command} could not be stopped half way")


def damage(path: Path, kind: str, rng: random.Random) -> Path:
    """Damage one file."""
    if kind == "gone":
        path.unlink()
    elif kind == "empty":
        path.write_bytes(b"")
    else:
        whole = path.read_bytes()
        while (other := mutated(whole, rng, kind)) == whole:
            pass
        path.write_bytes(other)
    return path


def use(state: State, places: dict[str, Path], out: Path, expected: str) -> tuple[str, str]:
    """Run the command again on the damaged state; judge how it ends."""
    again = run(COMMANDS[state.command].words(places, out, again=bool(state.under_way)))
    if again.returncode == 2:
        named = str(out) in again.stderr and "remedy" in again.stderr
        return "refused", "" if named else f"refused without place and remedy: {again.stderr}"
    if again.returncode:
        return "crashed", f"exit {again.returncode}: {again.stderr[-500:]}"
    try:
        same = fingerprint(state.command, out) == expected
    except Exception as error:  # noqa: BLE001  (whatever a reader of the output meets)
        return "published", f"published what cannot be read: {error}"
    return ("redone", "") if same else ("published", "published another output")


def _killed_at(state: State, places: dict[str, Path], out: Path) -> bool:
    started = subprocess.Popen(
        COMMANDS[state.command].words(places, out), env=ENV, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while started.poll() is None and not any(out.glob(state.under_way)):
        time.sleep(0.01)
    if started.poll() is not None:
        return False
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    return any(out.glob(state.files))

"""Ends of a run before its last step.

In:   signals, and errors of the machine.
Out:  a flag that the loop reads between micro-batches; messages that say what to do.
Why:  clusters stop jobs with SIGTERM and a short grace period; no work may be lost."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

import torch

from phage.errors import PhageError
from phage.training.recipe import Recipe


class Stopped(PhageError):
    """The run was asked to stop; it saved its state and stopped."""

    code = 143  # as a process ended by SIGTERM; not 0: the model must not be taken for finished


@contextlib.contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Record SIGTERM and Ctrl-C instead of dying; a second Ctrl-C ends the run at once."""
    seen: list[int] = []

    def note(number: int, _: object) -> None:
        if seen and number == signal.SIGINT:
            raise KeyboardInterrupt
        seen.append(number)
        sys.stderr.write("stopping: saving a checkpoint first\n")

    try:
        before = {sign: signal.signal(sign, note) for sign in (signal.SIGTERM, signal.SIGINT)}
    except ValueError:  # not the main thread: whoever runs us handles signals
        yield seen
        return
    try:
        yield seen
    except Stopped as stopped:
        if seen:
            stopped.code = 128 + seen[0]  # what a shell says of a process ended by that signal
        raise
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)


@contextlib.contextmanager
def out_of_memory(recipe: Recipe) -> Iterator[None]:
    """Turn an out-of-memory error into one that names the settings to lower."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        known = isinstance(error, torch.OutOfMemoryError | MemoryError)
        if not known and "can't allocate memory" not in str(error):
            raise
        train = recipe.train
        raise PhageError(
            f"out of memory with train.batch = {train.batch} "
            f"(anchors, each with the patents it is compared with, of up to {recipe.input.window} "
            "tokens)",
            remedy="halve train.batch and double train.accumulation (with one negative per anchor "
            "the result is the same), or lower input.window",
        ) from error

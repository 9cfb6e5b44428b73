"""Worker processes that know nothing of Ctrl-C.

In:   a pool about to start its processes, or a task and the items it is for.
Out:  processes to which an interrupt does nothing, and a parent that hears it a moment later.
Why:  a terminal interrupts every process at once. One that has just been started, or that waits for
      its orders from a parent that was interrupted, would answer with a screen of its own errors."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
CHUNK = 1024
"""Items sent to the worker processes at once."""

_mask: Any = getattr(signal, "pthread_sigmask", None)
"""Absent on Windows, where the parent still waits but its processes hear the interrupt."""


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Start processes inside the block: they ignore interrupts, and ours is delivered at its end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives interrupts
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    # Two bars: a process inherits the mask, but not a handler; another thread would take the
    # signal, and Python then calls the handler here in spite of the mask.
    mask = _mask(signal.SIG_BLOCK, {signal.SIGINT}) if _mask else None
    try:
        yield
    finally:
        if _mask:
            _mask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
        if heard:
            signal.raise_signal(signal.SIGINT)


def leave_interrupts_to_parent() -> None:
    """Ignore Ctrl-C for good: the first thing a process started so does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _mask:
        _mask(signal.SIG_UNBLOCK, {signal.SIGINT})


def mapped(
    task: Callable[[Item], Result], items: Iterable[Item], workers: int = 1
) -> Iterator[tuple[Item, Result]]:
    """Apply a task to items in worker processes; yield each item with its result, in order.

    The result does not depend on the number of workers, nor the memory on the number of items.

    >>> list(mapped(abs, [-1, 2]))
    [(-1, 1), (2, 2)]
    """
    items = iter(items)
    if workers <= 1:
        yield from ((item, task(item)) for item in items)
        return
    with starting():
        pool = multiprocessing.get_context("spawn").Pool(workers, _settle, (task,))
    with pool:
        while chunk := list(islice(items, CHUNK)):
            yield from zip(chunk, pool.map(_run, chunk, chunksize=16), strict=True)


_task: Callable[[Any], Any] | None = None


def _settle(task: Callable[[Any], Any]) -> None:
    global _task
    leave_interrupts_to_parent()
    _task = task


def _run(item: Any) -> Any:  # noqa: ANN401
    assert _task is not None
    return _task(item)

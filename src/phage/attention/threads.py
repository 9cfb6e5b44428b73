"""The rows of a batch, shared out among threads.

In:   a function of a row's index, how many rows there are.
Out:  nothing; the function has been called once for each.
Why:  one row is dozens of small products. Threads inside each product would spend their time
      waiting for each other, most of all on a busy machine; whole rows need no waiting. Which
      thread does a row changes no bit of it."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch


def each(work: Callable[[int], None], count: int) -> None:
    """Call ``work`` for 0 … count - 1, on as many threads as torch may use."""
    allowed = torch.get_num_threads()
    if allowed == 1 or count == 1:
        for index in range(count):
            work(index)
        return

    inference = torch.is_inference_mode_enabled()

    def alone(index: int) -> None:
        # a thread starts with gradients on and inference mode off, whatever its caller has
        with torch.inference_mode(inference), torch.no_grad():
            work(index)

    list(_pool(allowed, os.getpid()).map(alone, range(count)))  # list: raise what was raised


@functools.cache
def _pool(allowed: int, _process: int) -> ThreadPoolExecutor:
    """Start threads that compute one by one; a forked process starts its own."""

    def one_by_one() -> None:
        torch.get_num_threads()  # torch sets up a thread at its first question, then keeps:
        torch.set_num_threads(1)

    pool = ThreadPoolExecutor(allowed, thread_name_prefix="phage", initializer=one_by_one)
    list(pool.map(lambda _: torch.get_num_threads(), range(4 * allowed)))
    torch.set_num_threads(allowed)  # of this thread and those to come
    return pool

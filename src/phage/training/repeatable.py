"""Runs that repeat bit for bit on one machine.

In:   a recipe.
Out:  a block in which every product and sum is computed in the same order each time.
Why:  on a GPU stock attention adds up its gradients in any order, and compiled layers choose the
      faster of several programs by the clock, and by the shapes this process has seen before: the
      same seed gives figures that differ by a point."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import torch

WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"


@contextlib.contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Make all that torch computes inside repeat; leave its settings as they were.

    >>> with repeatable(True):
    ...     torch.are_deterministic_algorithms_enabled()
    True
    """
    if not wanted:
        yield
        return
    from torch._inductor import config
    from torch.utils import deterministic

    os.environ.setdefault(WORKSPACE, ":4096:8")  # read when the first product is computed
    before = torch.get_deterministic_debug_mode()
    filled = deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    compiled = getattr(config, "deterministic", None)
    torch.use_deterministic_algorithms(True)  # mere warnings would leave attention as it is
    deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    if compiled is not None:
        config.deterministic = True
    torch.compiler.reset()  # programs of an earlier run were made for its shapes
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)
        deterministic.fill_uninitialized_memory = filled  # type: ignore[attr-defined]
        if compiled is not None:
            config.deterministic = compiled

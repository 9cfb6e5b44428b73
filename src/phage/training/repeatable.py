"""Runs that repeat bit for bit on one machine.

In:   a recipe.
Out:  a block in which every product and sum is computed in the same order.
Why:  on a GPU, stock attention adds up its gradients in any order. Compiled layers choose the
      fastest of several programs by the clock, or reuse one that another run cached for its own
      shapes. Then the same seed gives figures that differ by a point."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from types import ModuleType

import torch

WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"


@contextlib.contextmanager
def repeatable(wanted: bool) -> Iterator[None]:
    """Make torch's results inside the block repeatable; restore its settings afterwards.

    >>> with repeatable(True):
    ...     torch.are_deterministic_algorithms_enabled()
    True
    """
    if not wanted:
        yield
        return
    from torch._functorch import config as gradients
    from torch._inductor import config as programs
    from torch.utils import deterministic

    os.environ.setdefault(WORKSPACE, ":4096:8")  # read when the first product is computed
    before = torch.get_deterministic_debug_mode()
    filled = deterministic.fill_uninitialized_memory  # type: ignore[attr-defined]
    torch.compiler.reset()  # programs of an earlier run were made for its shapes
    with (
        # A stored program is taken for every shape it serves, whatever shape it was tuned for:
        # sums would be split as suits the run that stored it.
        _set(programs, deterministic=True, fx_graph_cache=False),
        # Settings hold for one thread; backward passes would be compiled in another.
        _set(gradients, enable_autograd_cache=False, force_non_lazy_backward_lowering=True),
    ):
        torch.use_deterministic_algorithms(True)  # mere warnings would leave attention as it is
        deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        try:
            yield
        finally:
            torch.set_deterministic_debug_mode(before)
            deterministic.fill_uninitialized_memory = filled  # type: ignore[attr-defined]


def _set(config: ModuleType, **values: bool) -> contextlib.AbstractContextManager[None]:
    """Change settings of torch for a block, if this version has them."""
    patched: contextlib.AbstractContextManager[None] = config.patch(
        {name: value for name, value in values.items() if hasattr(config, name)}
    )
    return patched

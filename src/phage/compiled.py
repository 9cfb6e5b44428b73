"""The repeated layers of an encoder, compiled.

In:   a stock model.
Out:  the same model, faster on a GPU after half a minute of compiling.
Why:  the layers are alike: one program serves them all, where compiling the whole model would make
      a program of each."""

from __future__ import annotations

from torch import nn

SPLIT = {"triton.mix_order_reduction_split_size": 32}
"""Rows per program of the compiler's kernels that sum over rows and columns at once, such as those of
a layer norm's gradient. By itself it takes 64 or more for large passes; these kernels are then five
times slower (docs/log.md)."""


def compile_layers(
    model: nn.Module, *, but_last: int = 0, backend: str = "inductor", mode: str | None = None
) -> None:
    """Compile each layer by itself, in place; ``but_last`` leaves the last ones as they are.

    ``mode="reduce-overhead"`` records the launches of a layer as a CUDA graph.
    """
    from torch._inductor import list_options  # takes seconds; only compiling needs it

    known = backend == "inductor" and mode is None and SPLIT.keys() <= set(list_options())
    for stack in (part for part in model.modules() if isinstance(part, nn.ModuleList)):
        for layer in stack[: len(stack) - but_last]:
            layer.compile(backend=backend, mode=mode, options=SPLIT if known else None)

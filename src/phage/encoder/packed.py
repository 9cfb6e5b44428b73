"""Linear layers with weights laid out for the processor.

In:   a model on a CPU in float32.
Out:  the same model, whose matrix products run through oneDNN on packed weights meanwhile.
Why:  the stock product lays the same weights out anew in every batch, and for some processors not in
      the best way. Packing takes milliseconds once; the products are then a tenth to a fifth faster,
      and equal but for rounding. A processor that multiplies bfloat16 itself is half as fast again
      with it. Sums, residuals, norms and attention stay in float32, so that a vector's cosine with
      the float32 one is above .9999."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from transformers.activations import GELUActivation

Product = Callable[[Tensor], Tensor]


@contextlib.contextmanager
def packed(model: nn.Module, rows: int, *, half: bool = False) -> Iterator[None]:
    """Let the linear layers use packed weights inside; ``rows`` says how many tokens a batch has.

    With ``half`` the factors of every product are rounded to bfloat16.
    Where this torch or this model cannot, nothing is changed. Nothing is kept either: weights that
    are trained between two runs are never stale.
    """
    dtype = torch.bfloat16 if half else torch.float32
    changed = dict(_products(model, rows, dtype)) if _can(model) else {}
    for part, product in changed.items():
        part.forward = product  # of this one object
    try:
        yield
    finally:
        for part in changed:
            part.__dict__.pop("forward", None)


def _can(model: nn.Module) -> bool:
    first = next(model.parameters())
    there: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    offered = there and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return offered and first.device.type == "cpu" and first.dtype == torch.float32


def _products(
    model: nn.Module, rows: int, dtype: torch.dtype
) -> Iterator[tuple[nn.Module, Product]]:
    """Give the parts that multiply and how they do it; a GELU is applied to what is in the cache."""
    for part in model.modules():
        if type(part) is nn.Linear:
            yield part, _product(part, rows, dtype)
        elif type(getattr(part, "intermediate_act_fn", None)) is GELUActivation:
            yield part, _product(part.dense, rows, dtype, "gelu")  # type: ignore[arg-type]


def _product(layer: nn.Linear, rows: int, dtype: torch.dtype, then: str = "none") -> Product:
    weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach().to(dtype), rows)
    bias = None if layer.bias is None else layer.bias.detach().to(dtype)

    def multiply(x: Tensor) -> Tensor:
        # the last word chooses among the forms of a GELU: the exact one
        product: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.to(dtype), weight, bias, then, [], "none"
        )
        return product.float()

    return multiply

"""Matrix products as fast as the processor has them.

In:   a model on a CPU in float32.
Out:  the same model, whose linear layers run through oneDNN on packed weights meanwhile; in bfloat16
      its attention too, in int8 the linear layers.
Why:  the stock product lays the same weights out anew in every batch, and for some processors not in
      the best way. Packing takes milliseconds once; the products are then a tenth to a fifth faster,
      and equal but for rounding. A processor that multiplies bfloat16 or int8 itself is far faster
      with it. Sums, residuals and norms stay in float32."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from phage.encoder.bert import Attend
from phage.encoder.loading import Products

ATTENTION = "phage-bfloat16"
_CACHE = 1 << 20
"""Scores held at a time: 2 MB of bfloat16."""

Product = Callable[..., Tensor]


@contextlib.contextmanager
def packed(model: nn.Module, rows: int, products: Products) -> Iterator[None]:
    """Let the layers use packed weights inside; ``rows`` says how many tokens a batch has.

    ``products`` says to what the factors of every product are rounded.
    Where this torch or this model cannot, nothing is changed. Nothing is kept either: weights that
    are trained between two runs are never stale.
    """
    changed = dict(_multiplying(model, rows, products)) if _can(model) else {}
    config: Any = model.config
    stock = getattr(config, "_attn_implementation", None)  # a Bert has a part for it
    if changed and products.half and stock == "sdpa":
        _register()
        config._attn_implementation = ATTENTION
    for part, product in changed.items():
        part.forward = product  # of this one object
    try:
        yield
    finally:
        if stock:
            config._attn_implementation = stock
        for part in changed:
            part.__dict__.pop("forward", None)


def _can(model: nn.Module) -> bool:
    first = next(model.parameters())
    there: bool = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    offered = there and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    return offered and first.device.type == "cpu" and first.dtype == torch.float32


def _multiplying(
    model: nn.Module, rows: int, products: Products
) -> Iterator[tuple[nn.Module, Product]]:
    """Yield the parts that multiply and how; a GELU is applied to what is in the cache."""
    made = _int8 if products.int8 else _float
    dtype = torch.bfloat16 if products.half else torch.float32
    for part in model.modules():
        if type(part) is nn.Linear:
            yield part, made(part, rows, dtype)
        elif _exact_gelu(getattr(part, "intermediate_act_fn", None)):
            yield part, made(part.dense, rows, dtype, "gelu")  # type: ignore[arg-type]
        elif products.half and type(part) is Attend:
            yield part, attend


def _exact_gelu(activation: object) -> bool:
    """Return whether this is the exact GELU, ours or that of transformers, which is not imported."""
    if type(activation) is nn.GELU:
        return activation.approximate == "none"
    return type(activation).__name__ == "GELUActivation"


def _float(layer: nn.Linear, rows: int, dtype: torch.dtype, then: str = "none") -> Product:
    weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach().to(dtype), rows)
    bias = None if layer.bias is None else layer.bias.detach().to(dtype)

    def multiply(x: Tensor) -> Tensor:
        # the last word chooses among the forms of a GELU: the exact one
        product: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.to(dtype), weight, bias, then, [], "none"
        )
        # what follows a GELU is another product
        return product if then == "gelu" else product.float()

    return multiply


def _int8(layer: nn.Linear, rows: int, dtype: torch.dtype, then: str = "none") -> Product:
    """Round weights to a scale per output, what comes in to a scale per batch."""
    whole = layer.weight.detach()
    scales = whole.abs().amax(1).clamp(min=1e-12) / 127
    rounded = (whole / scales[:, None]).round().to(torch.int8)
    weight = torch.ops.onednn.qlinear_prepack(rounded, [rows, layer.in_features])
    bias = None if layer.bias is None else layer.bias.detach()
    middles = torch.zeros(len(whole), dtype=torch.int32)
    # torch announces the end of its quantised tensors; plain operators would pass over x five times
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")

    def multiply(x: Tensor) -> Tensor:
        given = torch.quantize_per_tensor_dynamic(x.float(), torch.quint8, reduce_range=False)
        plain = torch.empty(0, dtype=torch.uint8).set_(
            given.untyped_storage(), 0, given.shape, given.stride()
        )
        product: Tensor = torch.ops.onednn.qlinear_pointwise(
            plain, given.q_scale(), given.q_zero_point(), weight, scales, middles, bias,
            1.0, 0, torch.float32, then, [], "none",
        )  # fmt: skip
        return product

    return multiply


def attend(
    query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None, scale: float | None = None
) -> Tensor:
    """Attend (B, H, S, D) to (B, H, T, D), a few heads of a text at a time.

    By two products whose scores stay in the cache: torch's own attention does not multiply bfloat16
    faster than float32.
    """
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    q, k, v = (x.to(torch.bfloat16).contiguous() for x in (query * scale, key, value))
    heads, step = q.shape[1], max(1, _CACHE // (q.shape[2] * k.shape[2]))
    added = None
    if seen is not None:
        added = torch.zeros_like(seen, dtype=q.dtype).masked_fill_(~seen, -torch.inf)
    out = torch.empty_like(q)
    for row in range(len(q)):
        for first in range(0, heads, step):
            some = slice(first, first + step)
            scores = torch.bmm(q[row, some], k[row, some].mT)
            if added is not None:
                scores += added[row]
            torch.bmm(torch.softmax(scores, -1), v[row, some], out=out[row, some])
    return out


def _asked(
    _module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    **_rest: object,
) -> tuple[Tensor, None]:
    """Attend as the registry of transformers asks: it wants (B, S, H, D)."""
    found = attend(query, key, value, attention_mask, scaling)
    return found.transpose(1, 2).contiguous(), None


def _register() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(ATTENTION, _asked)
    AttentionMaskInterface.register(ATTENTION, sdpa_mask)

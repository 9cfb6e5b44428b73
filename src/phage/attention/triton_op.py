"""The kernel as an operator that autograd and torch.compile understand.

In:   q, k, v (B, H, T, D) with any strides whose last is 1, a Guidance, five effective biases.
Out:  the attended values (B, H, T, D), laid out as (B, T, H, D) because the caller merges heads.
Why:  Triton launches are opaque to the compiler; as registered operators with known shapes they are
      one node in its graph."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import torch
import triton
from torch import Tensor

from phage.attention import triton_kernels
from phage.attention.guidance import Guidance
from phage.attention.tiles import BACKWARD, FORWARD, READERS, STEP, TILE, plan

CLOSED = -60000.0
"""A closed pair's logit before scaling: still finite in fp16, far below any real one."""
LOG2E = 1.4426950408889634


@dataclass(frozen=True)
class Launch:
    """Warps and pipeline stages of one kernel."""

    num_warps: int
    num_stages: int
    maxnreg: int | None = None
    """Most registers per thread, where heads are at most 64 wide and in half precision."""


LAUNCH = {
    "forward": Launch(4, 2),
    "backward_keys": Launch(4, 2),
    "backward_queries": Launch(4, 2, 168),  # three blocks a multiprocessor
}
"""Chosen by measurement; see docs/log.md."""


def attend(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance, bias: Tensor, *,
    scale: float, window: int | None = None,
) -> Tensor:  # fmt: skip
    """Attend with the claim graph; ``bias`` holds the five effective values (5,) in fp32."""
    tiles = plan(guidance, q.dtype, window).tensors()
    reach = -1 if window is None else window
    q, k, v = (x if x.stride(3) == 1 else x.contiguous() for x in (q, k, v))
    if torch.compiler.is_compiling():
        out: Tensor = _forward(q, k, v, bias, tiles, scale, reach)[0]
    else:
        out = _Eager.apply(q, k, v, bias, scale, reach, *tiles)  # type: ignore[no-untyped-call]
    return out


def _relation_rows(bias: Tensor, codes: Tensor, scale: float, dtype: torch.dtype) -> Tensor:
    *shape, slots = codes.shape
    rows = torch.empty(*shape, 2 * slots, dtype=dtype, device=codes.device)
    count, block = codes.numel(), 1024
    triton_kernels.spell[(triton.cdiv(count, block),)](
        bias, codes, rows, count, 1.0 / scale, CLOSED, S=slots, BLOCK=block
    )
    return rows


def _shape(q: Tensor) -> dict[str, int | str]:
    width = max(16, triton.next_power_of_2(q.shape[3]))
    return {
        "D": q.shape[3],
        "DP": width,
        # nothing to cut off: no comparison per element
        "EVEN": q.shape[3] == width and q.shape[2] % TILE == 0,
        # fp32 is asked for its precision; tf32 would lose it
        "PRECISION": "ieee" if q.dtype == torch.float32 else "tf32",
    }


def _strides(*tensors: Tensor) -> list[int]:
    return [stride for tensor in tensors for stride in tensor.stride()[:3]]


def _merged_heads(like: Tensor) -> Tensor:
    batch, heads, tokens, width = like.shape
    return torch.empty(batch, tokens, heads, width, dtype=like.dtype, device=like.device).transpose(
        1, 2
    )


def _launch(name: str, q: Tensor) -> dict[str, int | None]:
    chosen = LAUNCH[name]
    narrow = q.element_size() == 2 and q.shape[3] <= 64
    return asdict(chosen if narrow else replace(chosen, maxnreg=None))


def _run_forward(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor, tiles: list[Tensor], scale: float, window: int
) -> tuple[Tensor, Tensor, Tensor]:
    nodes, apart, codes, slots, keys, key_counts, *_ = tiles
    batch, heads, tokens, _ = q.shape
    rows = _relation_rows(bias, codes, scale, q.dtype)
    out = _merged_heads(q)
    lse = torch.empty(batch, heads, tokens, dtype=torch.float32, device=q.device)
    triton_kernels.forward[(keys.shape[1], batch * heads)](
        q, k, v, rows, slots, nodes, apart, keys, key_counts, out, lse,
        *_strides(q, k, v, out),
        heads, tokens, codes.shape[1] - 1, codes.shape[2], scale * LOG2E,
        **_shape(q), S2=slots.shape[2], WINDOW=window, READERS=READERS,
        BM=TILE, BN=FORWARD, PER=TILE // FORWARD, **_launch("forward", q),
    )  # fmt: skip
    return out, lse, rows


def _fake_forward(
    q: Tensor, k: Tensor, v: Tensor, bias: Tensor, tiles: list[Tensor], scale: float, window: int
) -> tuple[Tensor, Tensor, Tensor]:
    *shape, slots = tiles[2].shape
    lse = q.new_empty(q.shape[:3], dtype=torch.float32)
    return _merged_heads(q), lse, q.new_empty((*shape, 2 * slots))


def _run_backward(
    do: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, rows: Tensor,
    tiles: list[Tensor], scale: float, window: int, learn_bias: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    nodes, apart, codes, slots, _, _, keys, key_counts, queries, query_counts = tiles
    batch, heads, tokens, _ = q.shape
    count = codes.shape[2]
    do = do if do.stride(3) == 1 else do.contiguous()
    dq, dk, dv = _merged_heads(q), _merged_heads(k), _merged_heads(v)
    if out.stride() != dq.stride():  # one set of strides serves both
        out = dq.copy_(out)
        dq = _merged_heads(q)
    change = torch.empty_like(lse)  # row sums of output times gradient
    programs = batch * heads
    common = (heads, tokens, codes.shape[1] - 1, count, scale, scale * LOG2E)
    layout = {**_shape(q), "S2": slots.shape[2], "WINDOW": window}
    sums = torch.empty(programs * count, 5, dtype=torch.float32, device=q.device)
    triton_kernels.backward_queries[(keys.shape[1], programs)](
        q, k, v, rows, codes, slots, nodes, apart, keys, key_counts,
        out, do, lse, change, dq, sums,
        *_strides(q, k, v, do, dq), *common, **layout, READERS=READERS, BIAS=learn_bias,
        BM=TILE, BN=BACKWARD, PER=TILE // BACKWARD, **_launch("backward_queries", q),
    )  # fmt: skip
    triton_kernels.backward_keys[(count, programs)](
        q, k, v, rows, slots, nodes, queries, query_counts, do, lse, change, dk, dv,
        *_strides(q, k, v, do, dk), *common, **layout, BM=STEP, BN=TILE,
        **_launch("backward_keys", q),
    )  # fmt: skip
    return dq, dk, dv, sums.sum(dim=0) if learn_bias else sums.new_zeros(5)


def _fake_backward(
    do: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, rows: Tensor,
    tiles: list[Tensor], scale: float, window: int, learn_bias: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    return _merged_heads(q), _merged_heads(k), _merged_heads(v), lse.new_empty(5)


_forward = torch.library.custom_op("phage::guided_forward", _run_forward, mutates_args=())
_forward.register_fake(_fake_forward)
_backward = torch.library.custom_op("phage::guided_backward", _run_backward, mutates_args=())
_backward.register_fake(_fake_backward)


def _remember(ctx, inputs, output) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    q, k, v, _, tiles, ctx.scale, ctx.window = inputs
    ctx.save_for_backward(q, k, v, *output, *tiles)


def _differentiate(ctx, do, *_):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN202
    q, k, v, out, lse, rows, *tiles = ctx.saved_tensors
    grads = _backward(
        do, q, k, v, out, lse, rows, tiles, ctx.scale, ctx.window, ctx.needs_input_grad[3]
    )
    return *grads, [None] * len(tiles), None, None


_forward.register_autograd(_differentiate, setup_context=_remember)


class _Eager(torch.autograd.Function):
    """The same without the compiler's dispatch, which costs more than a small launch."""

    @staticmethod
    def forward(ctx, q, k, v, bias, scale, window, *tiles):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN205
        out, lse, rows = _run_forward(q, k, v, bias, list(tiles), scale, window)
        ctx.save_for_backward(q, k, v, out, lse, rows, *tiles)
        ctx.scale, ctx.window = scale, window
        return out

    @staticmethod
    def backward(ctx, do):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN205
        q, k, v, out, lse, rows, *tiles = ctx.saved_tensors
        grads = _run_backward(
            do, q, k, v, out, lse, rows, tiles, ctx.scale, ctx.window, ctx.needs_input_grad[3]
        )
        return *grads, None, None, *[None] * len(tiles)

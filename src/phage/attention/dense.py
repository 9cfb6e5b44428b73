"""Guided attention with matrices: portable, the CPU's default.

In:   queries, keys, values (B, H, T, D); Guidance; the layer's five effective biases.
Out:  the attended values (B, H, T, D), and all gradients by a backward written by hand.
Why:  autograd through a learned additive mask keeps several (B, H, T, T) tensors and, from a
      gather, adds millions of terms onto five addresses. Here the probabilities are computed again
      in the backward, a piece at a time, and the five bias gradients are sums over node pairs of
      what the backward needs anyway: a product with one-hot matrices, no gather, no scatter.

Forward and backward are opaque operators to ``torch.compile``; their work is in ``dense_cpu`` and
``dense_gpu``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from phage.attention import dense_cpu, dense_gpu
from phage.attention.guidance import BIASES, Code, Guidance, Settings


def attend(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance | None, bias: Tensor, settings: Settings
) -> Tensor:
    """Attend under guidance; without it, plainly."""
    if guidance is None:
        guidance = Guidance.plain(q.shape[0], q.shape[2], q.device)
    seed = settings.seed if settings.seed is not None else torch.zeros((), dtype=torch.int64)
    window = -1 if settings.window is None else settings.window
    graph = (guidance.nodes, guidance.table, guidance.open)
    out: Tensor = _forward(q, k, v, *graph, bias, seed, settings.scale, settings.dropout, window)
    return out


# A custom operator's signature allows tensors and numbers only; hence the long ones below.
@torch.library.custom_op("phage::dense_attention", mutates_args=())
def _forward(  # noqa: PLR0913, PLR0917
    q: Tensor, k: Tensor, v: Tensor, nodes: Tensor, table: Tensor, opened: Tensor,
    bias: Tensor, seed: Tensor, scale: float, dropout: float, window: int,
) -> Tensor:  # fmt: skip
    guidance = Guidance(nodes, table, opened)
    settings = Settings(scale, None if window < 0 else window, dropout, seed)
    out = _zeros_like(q)
    with torch.autocast(q.device.type, enabled=False):
        added = _added(table, bias, q)
        if q.device.type != "cpu":
            dense_gpu.attend((q, k, v), guidance, added, settings, out)
            return out
        work = [x.to(added.dtype) for x in (q, k, v)]
        result = out if out.dtype == added.dtype else _zeros_like(work[0])

        def one(index: int) -> None:
            if opened[index] and not dropout and not _biased(table[index]):
                _attend_open(index, (q, k, v), guidance, settings, out)
                return
            dense_cpu.attend(_row(index, work, guidance, added, settings), result[index])
            if result is not out:
                out[index] = result[index]

        dense_cpu.each(one, len(q))
    return out


@torch.library.custom_op("phage::dense_attention_backward", mutates_args=())
def _backward(  # noqa: PLR0913, PLR0917
    grad: Tensor, out: Tensor, q: Tensor, k: Tensor, v: Tensor, nodes: Tensor, table: Tensor,
    opened: Tensor, bias: Tensor, seed: Tensor, scale: float, dropout: float, window: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    guidance = Guidance(nodes, table, opened)
    settings = Settings(scale, None if window < 0 else window, dropout, seed)
    with torch.autocast(q.device.type, enabled=False):
        added = _added(table, bias, q)
        pairs = torch.zeros_like(added)
        if q.device.type != "cpu":
            dq, dk, dv = (_zeros_like(x) for x in (q, k, v))
            dense_gpu.attend_back(
                (q, k, v), (grad, out), guidance, added, settings, (dq, dk, dv, pairs)
            )
        else:
            work = [x.to(added.dtype) for x in (q, k, v, grad, out)]
            dq, dk, dv = (_zeros_like(x) for x in work[:3])

            def one(index: int) -> None:
                into = dense_cpu.Gradients(dq[index], dk[index], dv[index], pairs[index])
                row = _row(index, work, guidance, added, settings)
                rounded = out.dtype != added.dtype
                dense_cpu.attend_back(
                    row, work[3][index], None if rounded else work[4][index], into
                )

            dense_cpu.each(one, len(q))
        dbias = torch.stack([(pairs * (table == code)).sum() for code in range(BIASES)])
    return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), dbias.to(bias.dtype)


def _added(table: Tensor, bias: Tensor, q: Tensor) -> Tensor:
    """Return what each pair of nodes adds to a score, in full precision: (B, N, N)."""
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    values = torch.cat([bias.to(wide), bias.new_tensor([0.0, -torch.inf], dtype=wide)])
    return values[table.long()]  # FREE is 5, CLOSED is -1 and takes the last


def _biased(table: Tensor) -> bool:
    """Return whether any pair of nodes takes a bias: the codes decide, the open flag is a hint."""
    return bool(((table >= 0) & (table < BIASES)).any())


def _row(
    index: int, work: list[Tensor], guidance: Guidance, added: Tensor, settings: Settings
) -> dense_cpu.BatchRow:
    q, k, v = (x[index] for x in work[:3])
    return dense_cpu.BatchRow(
        index, q, k, v, guidance.nodes[index], guidance.table[index], added[index], settings
    )


def _attend_open(
    index: int, qkv: tuple[Tensor, ...], guidance: Guidance, settings: Settings, out: Tensor
) -> None:
    """Let torch's own attention do a row that is all open: it gives the plain model's bits."""
    one = slice(index, index + 1)
    alone = Guidance(guidance.nodes[one], guidance.table[one], guidance.open[one])
    mask = (alone.codes() != Code.CLOSED)[:, None]  # (1, 1, T, T)
    if settings.window is not None:
        place = torch.arange(mask.shape[-1])
        mask = mask & ((place[:, None] - place).abs() <= settings.window)
    given = None if mask.all() else mask
    q, k, v = (x[one] for x in qkv)
    done = F.scaled_dot_product_attention(q, k, v, attn_mask=given, scale=settings.scale)
    out[one] = done if given is None else done.masked_fill(~mask.any(-1, keepdim=True), 0.0)


def _zeros_like(q: Tensor) -> Tensor:
    """Zeros (B, H, T, D) that lie in memory as (B, T, H, D), as the layers around want them."""
    batch, heads, tokens, width = q.shape
    return q.new_zeros(batch, tokens, heads, width).transpose(1, 2)


@_forward.register_fake
def _(q: Tensor, *_rest: Any) -> Tensor:  # noqa: ANN401
    return _zeros_like(q)


@_backward.register_fake
def _(grad: Tensor, out: Tensor, q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> Any:  # noqa: ANN401
    bias = rest[3]
    return *(_zeros_like(x) for x in (q, k, v)), torch.empty_like(bias)


def _keep_for_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:  # noqa: ANN401
    ctx.save_for_backward(output, *inputs[:8])
    ctx.numbers = inputs[8:]


def _gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
    dq, dk, dv, dbias = _backward(grad, *ctx.saved_tensors, *ctx.numbers)
    return dq, dk, dv, None, None, None, dbias, None, None, None, None


_forward.register_autograd(_gradients, setup_context=_keep_for_backward)

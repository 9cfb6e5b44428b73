"""Guided attention with matrices: portable, the CPU's default.

In:   queries, keys, values (B, H, T, D); Guidance; the layer's five effective biases.
Out:  the attended values (B, H, T, D), and all gradients by a backward written by hand.
Why:  autograd through a learned additive mask keeps several (B, H, T, T) tensors and, from a
      gather, adds millions of terms onto five addresses. Here the probabilities are computed again
      in the backward, a piece at a time, and the five bias gradients are sums over node pairs of
      what the backward needs anyway: a product with one-hot matrices, no gather, no scatter.

Forward and backward are opaque operators to ``torch.compile``."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from phage.attention.guidance import BIASES, Code, Guidance, Settings
from phage.attention.pieces import Piece, pieces


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
    out = _empty_like_sdpa(q)
    done = _attend_open(q, k, v, guidance, settings, out)
    wq, wk, wv = _working(q, k, v)
    for piece in pieces(wq, guidance, bias, settings, done):
        alpha = _probabilities(piece.of_queries(wq), piece.of_keys(wk), piece.mask, scale)
        if piece.kept is not None:
            alpha.mul_(piece.kept)
        out[piece.rows, :, piece.queries] = (alpha.to(wv.dtype) @ piece.of_keys(wv)).to(out.dtype)
    return out


@torch.library.custom_op("phage::dense_attention_backward", mutates_args=())
def _backward(  # noqa: PLR0913, PLR0917
    grad: Tensor, out: Tensor, q: Tensor, k: Tensor, v: Tensor, nodes: Tensor, table: Tensor,
    opened: Tensor, bias: Tensor, seed: Tensor, scale: float, dropout: float, window: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    guidance = Guidance(nodes, table, opened)
    settings = Settings(scale, None if window < 0 else window, dropout, seed)
    grad, wq, wk, wv = _working(grad, q, k, v)
    dq, dk, dv = (_empty_like_sdpa(x) for x in (wq, wk, wv))
    delta = (grad * out).sum(-1, keepdim=True, dtype=_wide(q))  # (B, H, T, 1)
    pairs = torch.zeros(table.shape, dtype=_wide(q), device=q.device)  # (B, N, N) sums of dS
    for piece in pieces(wq, guidance, bias, settings):
        given, query = piece.of_queries(grad), piece.of_queries(wq)
        keys, values = piece.of_keys(wk), piece.of_keys(wv)
        alpha = _probabilities(query, keys, piece.mask, scale)
        slope = _product(given, values.mT)  # (R, H, Q, K)
        dropped = alpha
        if piece.kept is not None:
            slope.mul_(piece.kept)
            dropped = alpha * piece.kept
        _add_to_keys(dv, piece, dropped.to(wv.dtype).mT @ given)
        slope.sub_(piece.of_queries(delta)).mul_(alpha)  # dS
        _add_pairs(pairs, nodes, piece, slope.sum(1))
        slope = slope.to(wq.dtype)
        dq[piece.rows, :, piece.queries] = (slope @ keys).mul_(scale)
        _add_to_keys(dk, piece, (slope.mT @ query).mul_(scale))
    dbias = torch.stack([(pairs * (table == code)).sum() for code in range(BIASES)])
    return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype), dbias.to(bias.dtype)


def _attend_open(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance, settings: Settings, out: Tensor
) -> frozenset[int]:
    """Let torch's own attention do the rows that are all open, where no wait is needed to know.

    It gives the bits that the plain model gives.
    """
    if q.device.type != "cpu" or settings.dropout:
        return frozenset()
    rows = guidance.open.nonzero()[:, 0].tolist()
    for row in rows:
        one = slice(row, row + 1)
        alone = Guidance(guidance.nodes[one], guidance.table[one], guidance.open[one])
        mask = (alone.codes() != Code.CLOSED)[:, None]  # (1, 1, T, T)
        if settings.window is not None:
            place = torch.arange(q.shape[2])
            mask = mask & ((place[:, None] - place).abs() <= settings.window)
        given = None if mask.all() else mask
        done = F.scaled_dot_product_attention(
            q[one], k[one], v[one], attn_mask=given, scale=settings.scale
        )
        out[one] = done if given is None else done.masked_fill(~mask.any(-1, keepdim=True), 0.0)
    return frozenset(rows)


def _probabilities(q: Tensor, k: Tensor, mask: Tensor, scale: float) -> Tensor:
    """Softmax over a piece's keys, which are all that its queries may see: (R, H, Q, K)."""
    if len(q) == 1 and q.dtype == mask.dtype:  # one pass: the product is added onto the mask
        start = mask[0].expand(q.shape[1], -1, -1)
        energy = torch.baddbmm(start, q[0], k[0].mT, alpha=scale)[None]
    else:
        energy = _product(q, k.mT).mul_(scale).add_(mask)
    alpha = torch.softmax(energy, dim=-1)
    dead = torch.isneginf(mask.amax(-1, keepdim=True))  # (R, 1, Q, 1)
    return alpha.masked_fill_(dead, 0.0) if dead.is_cuda or dead.any() else alpha


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Multiply, with a result in full precision."""
    if a.dtype in (torch.float32, torch.float64):
        return a @ b
    flat = torch.bmm(a.flatten(0, 1), b.flatten(0, 1), out_dtype=torch.float32)
    return flat.view(*a.shape[:-1], b.shape[-1])


def _working(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Half precision is worked on as it is where products of it can be summed in full (CUDA)."""
    return tuple(x if x.is_cuda else x.to(_wide(x)) for x in tensors)


def _wide(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32


def _empty_like_sdpa(q: Tensor) -> Tensor:
    """Zeros (B, H, T, D) that lie in memory as (B, T, H, D), as the layers around want them."""
    batch, heads, tokens, width = q.shape
    return q.new_zeros(batch, tokens, heads, width).transpose(1, 2)


def _add_to_keys(total: Tensor, piece: Piece, part: Tensor) -> None:
    """Add gradients onto a piece's keys; the keys of one piece differ, so the order is fixed."""
    if isinstance(piece.keys, slice):
        total[piece.rows, :, piece.keys] += part
    else:
        total[piece.rows].index_add_(2, piece.keys, part)


def _add_pairs(pairs: Tensor, nodes: Tensor, piece: Piece, slope: Tensor) -> None:
    """Sum dS (R, Q, K) over the tokens of each pair of nodes, by one-hot products."""
    ids = torch.arange(pairs.shape[-1], device=pairs.device)
    mine = nodes[piece.rows]
    queries = (mine[:, piece.queries, None] == ids).to(slope.dtype)  # (R, Q, N)
    keys = (mine[:, piece.keys, None] == ids).to(slope.dtype)  # (R, K, N)
    pairs[piece.rows] += queries.mT @ (slope @ keys)


@_forward.register_fake
def _(q: Tensor, *_rest: Any) -> Tensor:  # noqa: ANN401
    return _empty_like_sdpa(q)


@_backward.register_fake
def _(grad: Tensor, out: Tensor, q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> Any:  # noqa: ANN401
    bias = rest[3]
    return *(_empty_like_sdpa(x) for x in (q, k, v)), torch.empty_like(bias)


def _keep_for_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:  # noqa: ANN401
    ctx.save_for_backward(output, *inputs[:8])
    ctx.numbers = inputs[8:]


def _gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ANN401
    dq, dk, dv, dbias = _backward(grad, *ctx.saved_tensors, *ctx.numbers)
    return dq, dk, dv, None, None, None, dbias, None, None, None, None


_forward.register_autograd(_gradients, setup_context=_keep_for_backward)

"""Dense guided attention of many rows at once, on anything but a CPU.

In:   queries, keys, values (B, H, T, D); Guidance; the layer's five effective biases.
Out:  the attended values; the gradients, those of the biases as sums over node pairs.
Why:  an accelerator wants few large products; as many rows as the memory takes make one slab."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from phage.attention.dropout import keep
from phage.attention.guidance import Guidance, Settings

_MEMORY = 1 << 28
"""Scores held at a time: 1 GB of float32."""


def attend(
    qkv: tuple[Tensor, ...], guidance: Guidance, added: Tensor, settings: Settings, out: Tensor
) -> None:
    """Fill the attended values (B, H, T, D); ``added`` is (B, N, N), see ``dense_cpu.BatchRow``."""
    for rows, mask, dead, kept in _slabs(qkv[0], guidance, added, settings):
        q, k, v = (x[rows] for x in qkv)
        alpha = _probabilities(q, k, mask, settings)
        if kept is not None:
            alpha.mul_(kept)
        out[rows] = (alpha.to(v.dtype) @ v).masked_fill_(dead, 0.0)


def attend_back(
    qkv: tuple[Tensor, ...],
    given: tuple[Tensor, Tensor],
    guidance: Guidance,
    added: Tensor,
    settings: Settings,
    gradients: tuple[Tensor, ...],
) -> None:
    """Fill dq, dk, dv and the sums over node pairs; ``given`` is the gradient and the output."""
    dq, dk, dv, pairs = gradients
    ids = torch.arange(pairs.shape[-1], device=pairs.device)
    for rows, mask, dead, kept in _slabs(qkv[0], guidance, added, settings):
        q, k, v = (x[rows] for x in qkv)
        grad, out = given[0][rows].masked_fill(dead, 0.0), given[1][rows]
        delta = (grad.to(mask.dtype) * out).sum(-1, keepdim=True)
        alpha = _probabilities(q, k, mask, settings)  # (R, H, T, T)
        slope = _product(grad, v.mT)
        dropped = alpha
        if kept is not None:
            slope.mul_(kept)
            dropped = alpha * kept
        dv[rows] = dropped.to(v.dtype).mT @ grad
        slope.sub_(delta).mul_(alpha)  # dS
        member = (guidance.nodes[rows, :, None] == ids).to(slope.dtype)  # (R, T, N), one-hot
        pairs[rows] = member.mT @ (slope.sum(1) @ member)
        slope = slope.to(q.dtype)
        dq[rows] = (slope @ k).mul_(settings.scale)
        dk[rows] = (slope.mT @ q).mul_(settings.scale)


def _slabs(
    q: Tensor, guidance: Guidance, added: Tensor, settings: Settings
) -> Iterator[tuple[slice, Tensor, Tensor, Tensor | None]]:
    """Cut the batch into slabs: rows, mask (R, 1, T, T), dead queries, dropout (R, H, T, T).

    A query without an open key is dead (R, 1, T, 1). Its mask is opened, so that it has some
    distribution, and its value and gradient are put to zero: cheaper than mending (T, T) scores.
    """
    batch, heads, tokens, _ = q.shape
    step = max(1, _MEMORY // (heads * tokens * tokens))
    place = torch.arange(tokens, device=q.device)
    for start in range(0, batch, step):
        rows = slice(start, min(start + step, batch))
        nodes = guidance.nodes[rows]
        held = nodes.clamp_min(0).long()
        inside = torch.arange(len(nodes), device=q.device)[:, None, None]
        mask = added[rows][inside, held[:, :, None], held[:, None, :]]  # (R, T, T)
        closed = (nodes < 0)[:, :, None] | (nodes < 0)[:, None, :]
        if settings.window is not None:
            closed = closed | ((place[:, None] - place).abs() > settings.window)
        mask = mask.masked_fill_(closed, -torch.inf)[:, None]
        dead = torch.isneginf(mask.amax(-1, keepdim=True))
        mask = mask.masked_fill_(dead, 0.0)
        kept = None
        if settings.dropout:
            every = range(batch)[rows]
            kept = torch.stack([keep(settings, row, q[row].to(mask.dtype)) for row in every])
        yield rows, mask, dead, kept


def _probabilities(q: Tensor, k: Tensor, mask: Tensor, settings: Settings) -> Tensor:
    energy = torch.add(mask, _product(q, k.mT), alpha=settings.scale)
    return torch.softmax(energy, dim=-1)


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Multiply, with a result in full precision."""
    if a.dtype in (torch.float32, torch.float64):
        return a @ b
    if not a.is_cuda:
        return a.float() @ b.float()
    flat = torch.bmm(a.flatten(0, 1), b.flatten(0, 1), out_dtype=torch.float32)
    return flat.view(*a.shape[:-1], b.shape[-1])

"""A batch of guided attention, cut into pieces that fit.

In:   Guidance and the layer's biases; the shape of the scores.
Out:  pieces: some queries, the keys they need, what is added to their scores, what is dropped.
Why:  (B, H, T, T) is too much to hold, and most of it is closed. On a CPU a piece is a block of
      claims and fits the cache; elsewhere it is as many rows of the batch as the memory takes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from phage.attention.blocks import blocks
from phage.attention.dropout import keep
from phage.attention.guidance import BIASES, Guidance, Settings

_CACHE = 1 << 20
"""Scores held at a time on a CPU: 4 MB of float32."""
_MEMORY = 1 << 28
"""Scores held at a time elsewhere: 1 GB of float32."""


@dataclass(frozen=True, slots=True)
class Piece:
    """R rows of the batch, Q queries of each, and the K keys that these may see."""

    rows: slice
    queries: slice
    keys: slice | Tensor
    mask: Tensor
    """(R, 1, Q, K): the bias, or -inf where closed."""
    kept: Tensor | None
    """(R, H, Q, K): 1 / (1 - p) or 0; None without dropout."""

    def of_queries(self, x: Tensor) -> Tensor:
        """Pick from (B, H, T, …): (R, H, Q, …)."""
        return x[self.rows, :, self.queries]

    def of_keys(self, x: Tensor) -> Tensor:
        """Pick from (B, H, T, …): (R, H, K, …)."""
        return x[self.rows, :, self.keys]


def pieces(
    q: Tensor, guidance: Guidance, bias: Tensor, settings: Settings, done: Collection[int] = ()
) -> Iterator[Piece]:
    """Cut the batch; rows in ``done`` are left out. Queries that see nothing may be in no piece."""
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    values = torch.cat([bias.to(wide), bias.new_tensor([0.0, -torch.inf], dtype=wide)])
    assert len(values) == BIASES + 2
    added = values[guidance.table.long()]  # (B, N, N); CLOSED is -1 and takes the last
    if q.device.type == "cpu":
        for row in range(len(q)):
            if row not in done:
                yield from _blocks(q, guidance, added, settings, row)
        return
    batch, heads, tokens, _ = q.shape
    step = max(1, _MEMORY // (heads * tokens * tokens))
    place = torch.arange(tokens, device=q.device)
    for start in range(0, batch, step):
        rows = slice(start, min(start + step, batch))
        nodes = guidance.nodes[rows]
        mask = _within(_spread(added[rows], nodes, nodes), place, place, settings)
        kept = None
        if settings.dropout:
            kept = torch.stack([keep(settings, i, q[i].to(wide)) for i in range(batch)[rows]])
        yield Piece(rows, slice(None), slice(None), mask, kept)


def _blocks(
    q: Tensor, guidance: Guidance, added: Tensor, settings: Settings, row: int
) -> Iterator[Piece]:
    """Cut one row into blocks of claims, and these where they exceed the cache."""
    _, heads, tokens, _ = q.shape
    rows = slice(row, row + 1)
    nodes = guidance.nodes[rows]
    place = torch.arange(tokens)
    kept = keep(settings, row, q[row].to(added.dtype))[None] if settings.dropout else None
    for block in blocks(nodes[0].numpy(), guidance.table[row].numpy(), settings.window):
        keys = torch.from_numpy(block.keys)
        # Neighbouring keys are a view, others a copy.
        run = len(keys) == keys[-1] - keys[0] + 1
        picked = slice(int(keys[0]), int(keys[-1]) + 1) if run else keys
        step = max(1, _CACHE // (heads * len(keys)))
        for start in range(block.start, block.end, step):
            queries = slice(start, min(start + step, block.end))
            mask = _spread(added[rows], nodes[:, queries], nodes[:, picked])
            mask = _within(mask, place[queries], keys, settings)
            part = kept[:, :, queries][..., picked] if kept is not None else None
            yield Piece(rows, queries, picked, mask, part)


def _spread(added: Tensor, queries: Tensor, keys: Tensor) -> Tensor:
    """Node pairs → token pairs: (R, N, N), (R, Q), (R, K) → (R, 1, Q, K)."""
    row = torch.arange(len(added), device=added.device)[:, None, None]
    real = (queries >= 0)[:, :, None] & (keys >= 0)[:, None, :]
    mask = added[row, queries.clamp_min(0).long()[:, :, None], keys.clamp_min(0).long()[:, None, :]]
    return mask.masked_fill(~real, -torch.inf)[:, None]


def _within(mask: Tensor, queries: Tensor, keys: Tensor, settings: Settings) -> Tensor:
    """Close what lies outside a local layer's window."""
    if settings.window is None:
        return mask
    far = (queries[:, None] - keys[None, :]).abs() > settings.window
    return mask.masked_fill(far, -torch.inf)

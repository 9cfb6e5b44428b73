"""Dense guided attention of one row of the batch, on a CPU.

In:   one row's queries, keys, values (H, T, D), its nodes and codes, the layer's biases.
Out:  its attended values; its gradients, those of the biases as sums over node pairs.
Why:  work goes by blocks of claims and the keys they may see, small enough for the cache: on a CPU
      guided attention costs less than plain attention. Rows are independent, so that threads
      share them out without waiting for each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from phage.attention.blocks import blocks
from phage.attention.dropout import keep
from phage.attention.guidance import Settings

_CACHE = 1 << 20
"""Scores held at a time: 4 MB of float32."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a batch; all in float32 or float64."""

    index: int
    q: Tensor
    """(H, T, D), as k and v."""
    k: Tensor
    v: Tensor
    nodes: Tensor
    """(T,) int32."""
    table: Tensor
    """(N, N) int8."""
    added: Tensor
    """(N, N): the bias of each pair of nodes, or -inf where closed."""
    settings: Settings


@dataclass(frozen=True, slots=True)
class Gradients:
    """Where a row's gradients go."""

    q: Tensor
    """(H, T, D), as k and v; zeros to begin with."""
    k: Tensor
    v: Tensor
    pairs: Tensor
    """(N, N): dS summed over heads and over the tokens of each pair of nodes."""


@dataclass(frozen=True, slots=True)
class _Piece:
    queries: slice
    keys: slice | Tensor
    mask: Tensor
    """(Q, K)."""
    kept: Tensor | None
    """(H, Q, K): 1 / (1 - p) or 0."""
    alive: bool

    def of_keys(self, x: Tensor) -> Tensor:
        """Pick from (H, T, …): (H, K, …)."""
        return x[:, self.keys] if isinstance(self.keys, slice) else x.index_select(1, self.keys)

    def add_to_keys(self, total: Tensor, part: Tensor) -> None:
        """Add onto the keys; those of one piece differ, so the order of sums is fixed."""
        if isinstance(self.keys, slice):
            total[:, self.keys] += part
        else:
            total.index_add_(1, self.keys, part)


def attend(row: Row, out: Tensor) -> None:
    """Fill a row's attended values (H, T, D); queries that see nothing keep their zeros."""
    for piece in _pieces(row):
        alpha = _probabilities(row, piece, piece.of_keys(row.k))
        if piece.kept is not None:
            alpha.mul_(piece.kept)
        out[:, piece.queries] = torch.bmm(alpha, piece.of_keys(row.v))


def attend_back(row: Row, grad: Tensor, out: Tensor | None, gradients: Gradients) -> None:
    """Fill a row's gradients; the probabilities are computed again.

    ``out`` spares a pass over the scores; None where it was rounded to half precision, which the
    bias gradients, sums of many dS that nearly cancel, would show.
    """
    delta = (grad * out).sum(-1, keepdim=True) if out is not None else None  # (H, T, 1)
    ids = torch.arange(len(row.table), dtype=row.nodes.dtype)
    member = (row.nodes[:, None] == ids).to(grad.dtype)  # (T, N), one-hot
    scale = row.settings.scale
    for piece in _pieces(row):
        keys, values = piece.of_keys(row.k), piece.of_keys(row.v)
        query, given = row.q[:, piece.queries], grad[:, piece.queries]
        alpha = _probabilities(row, piece, keys)  # (H, Q, K)
        slope = torch.bmm(given, values.mT)
        dropped = alpha
        if piece.kept is not None:
            slope.mul_(piece.kept)
            dropped = alpha * piece.kept
        piece.add_to_keys(gradients.v, torch.bmm(dropped.mT, given))
        mean = (slope * alpha).sum(-1, keepdim=True) if delta is None else delta[:, piece.queries]
        slope.sub_(mean).mul_(alpha)  # dS
        gradients.q[:, piece.queries] = torch.bmm(slope, keys).mul_(scale)
        piece.add_to_keys(gradients.k, torch.bmm(slope.mT, query).mul_(scale))
        # Five bias gradients, by products instead of a scatter: tokens → nodes, both sides.
        gradients.pairs.add_(member[piece.queries].mT @ (slope.sum(0) @ member[piece.keys]))


def _pieces(row: Row) -> Iterator[_Piece]:
    heads, tokens, _ = row.q.shape
    window = row.settings.window
    kept = keep(row.settings, row.index, row.q) if row.settings.dropout else None
    nodes = row.nodes.clamp_min(0)
    place = torch.arange(tokens)
    for block in blocks(row.nodes.numpy(), row.table.numpy(), window):
        keys = torch.from_numpy(block.keys)
        first, last = int(block.keys[0]), int(block.keys[-1])
        # Neighbouring keys are a view, others a copy.
        picked = slice(first, last + 1) if last - first + 1 == len(keys) else keys
        columns = row.added.index_select(1, nodes[picked])  # (N, K)
        step = max(1, _CACHE // (heads * len(keys)))
        for start in range(block.start, block.end, step):
            queries = slice(start, min(start + step, block.end))
            mask = columns.index_select(0, nodes[queries])  # (Q, K)
            if window is not None:
                far = (place[queries, None] - keys).abs() > window
                mask.masked_fill_(far, -torch.inf)
            part = kept[:, queries][..., picked] if kept is not None else None
            yield _Piece(queries, picked, mask, part, block.alive)


def _probabilities(row: Row, piece: _Piece, keys: Tensor) -> Tensor:
    """Softmax over a piece's keys, which are all that its queries may see: (H, Q, K)."""
    mask = piece.mask.expand(len(row.q), -1, -1)
    # One pass: the product is added onto the mask.
    energy = torch.baddbmm(mask, row.q[:, piece.queries], keys.mT, alpha=row.settings.scale)
    alpha = torch.softmax(energy, dim=-1)
    if not piece.alive:
        dead = torch.isneginf(piece.mask.amax(-1, keepdim=True))  # (Q, 1)
        alpha.masked_fill_(dead, 0.0)
    return alpha

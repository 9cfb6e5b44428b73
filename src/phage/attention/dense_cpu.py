"""Dense guided attention on a CPU: one row of the batch at a time.

In:   one row's queries, keys, values (H, T, D), its nodes and codes, the layer's biases.
Out:  its attended values; its gradients, those of the biases as sums over node pairs.
Why:  two thirds of the token pairs of a patent are closed, whole claims at a time. Work goes by
      blocks: neighbouring queries with the keys that at least one of them may see, small enough
      for the cache. So guided attention costs less than plain attention here. Rows are
      independent, and threads share them out: threads inside each small product would spend
      their time waiting for each other. Which thread does a row changes no bit of it."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.attention.dropout import keep
from phage.attention.guidance import Code, Settings

_CACHE = 1 << 20
"""Scores held at a time: 4 MB of float32."""
_OVERHEAD = 4096
"""Token pairs that could be computed in the time a block costs by itself (measured)."""


@dataclass(frozen=True, slots=True)
class BatchRow:
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


def attend(row: BatchRow, out: Tensor) -> None:
    """Fill a row's attended values (H, T, D); queries that see nothing keep their zeros."""
    for piece in _pieces(row):
        alpha = _probabilities(row, piece, piece.of_keys(row.k))
        if piece.kept is not None:
            alpha.mul_(piece.kept)
        out[:, piece.queries] = torch.bmm(alpha, piece.of_keys(row.v))


def attend_back(row: BatchRow, grad: Tensor, out: Tensor | None, gradients: Gradients) -> None:
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


def _pieces(row: BatchRow) -> Iterator[_Piece]:
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


def _probabilities(row: BatchRow, piece: _Piece, keys: Tensor) -> Tensor:
    """Softmax over a piece's keys, which are all that its queries may see: (H, Q, K)."""
    mask = piece.mask.expand(len(row.q), -1, -1)
    # One pass: the product is added onto the mask.
    energy = torch.baddbmm(mask, row.q[:, piece.queries], keys.mT, alpha=row.settings.scale)
    alpha = torch.softmax(energy, dim=-1)
    if not piece.alive:
        dead = torch.isneginf(piece.mask.amax(-1, keepdim=True))  # (Q, 1)
        alpha.masked_fill_(dead, 0.0)
    return alpha


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Queries ``start`` to ``end`` and the keys they need."""

    start: int
    end: int
    keys: NDArray[np.int64]
    """Ascending token places."""
    alive: bool
    """Every query sees at least its own claim, and so itself."""


def blocks(
    nodes: NDArray[np.int32], table: NDArray[np.int8], window: int | None = None
) -> list[Block]:
    """Cut one row into blocks; queries that see no key are in none.

    >>> table = np.array([[5, 5, 5], [-1, 0, -1], [-1, 1, 0]], dtype=np.int8)
    >>> nodes = np.array([0] + [1] * 99 + [2] * 300 + [-1], dtype=np.int32)
    >>> [(block.start, block.end, len(block.keys)) for block in blocks(nodes, table)]
    [(0, 1, 400), (1, 100, 99), (100, 400, 399)]
    """
    turns = np.flatnonzero(np.diff(nodes)) + 1
    starts = np.concatenate(([0], turns))
    ends = np.concatenate((turns, [len(nodes)]))
    real = nodes[starts] >= 0
    starts, ends = starts[real], ends[real]  # (R,) runs of one node
    held = nodes[starts]
    needs = table[np.ix_(held, held)] != Code.CLOSED  # (R, R)
    if window is not None:
        needs &= (starts[None, :] < ends[:, None] + window) & (
            ends[None, :] > starts[:, None] - window
        )
    sizes = ends - starts
    own = needs.diagonal()

    found: list[Block] = []
    at = 0
    while at < len(starts):
        need, cost = needs[at], sizes[at] * sizes[needs[at]].sum()
        last = at
        # Neighbours join as long as one block is cheaper than two.
        while cost and last + 1 < len(starts) and ends[last] == starts[last + 1]:
            alone = sizes[last + 1] * sizes[needs[last + 1]].sum()
            both = need | needs[last + 1]
            together = (ends[last + 1] - starts[at]) * sizes[both].sum()
            if not alone or together > cost + alone + _OVERHEAD:
                break
            need, cost, last = both, together, last + 1
        if cost:
            keys = np.concatenate([np.arange(starts[i], ends[i]) for i in np.flatnonzero(need)])
            alive = bool(own[at : last + 1].all())
            found.append(Block(int(starts[at]), int(ends[last]), keys, alive))
        at = last + 1
    return found


def each(work: Callable[[int], None], count: int) -> None:
    """Call ``work`` for 0 … count - 1, on as many threads as torch may use."""
    allowed = torch.get_num_threads()
    if allowed == 1 or count == 1:
        for index in range(count):
            work(index)
        return

    inference = torch.is_inference_mode_enabled()

    def alone(index: int) -> None:
        # a thread starts with gradients on and inference mode off, whatever its caller has
        with torch.inference_mode(inference), torch.no_grad():
            work(index)

    list(_pool(allowed, os.getpid()).map(alone, range(count)))  # list: raise what was raised


@functools.cache
def _pool(allowed: int, _process: int) -> ThreadPoolExecutor:
    """Start threads that compute one by one; a forked process starts its own."""

    def one_by_one() -> None:
        torch.get_num_threads()  # torch sets up a thread at its first question, then keeps:
        torch.set_num_threads(1)

    pool = ThreadPoolExecutor(allowed, thread_name_prefix="phage", initializer=one_by_one)
    list(pool.map(lambda _: torch.get_num_threads(), range(4 * allowed)))
    torch.set_num_threads(allowed)  # of this thread and those to come
    return pool

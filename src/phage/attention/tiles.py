"""Which tiles of the attention matrix are open, and how a tile's mask and bias are spelled.

In:   a Guidance: node ids (B, T) and the code table (B, N, N).
Out:  TilePlan, built once per batch and shared by all layers and heads: per key tile its few nodes
      ("slots"), per (query node, key tile, slot) the code, per tile row the list of open tiles.
Why:  a tile of 64 keys touches two or three claims. So mask and bias of a tile are a product of two
      thin matrices, R (queries × slots) and O (keys × slots, one-hot), and the tensor cores add
      them to the logits for the price of a few more columns: S = [Q | R] · [K | O]ᵀ. The same one-hot
      matrix sums dS per slot in the backward. No (T, T) mask exists, no element looks anything up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from phage.attention.guidance import Code, Guidance

TILE = 64
"""Keys per tile; also the granularity at which empty tiles are skipped."""
STEP = 32
"""Queries that the backward pass takes at a time for a tile of keys: fewer registers, fewer closed
pairs."""
FORWARD = 64
BACKWARD = 64
"""Keys that a pass takes at a time for a tile of queries: STEP or TILE."""
READERS = 16
"""Rows of a program of its own for [CLS], which reads every claim; 0: they stay in their tiles."""
NODES = 32
"""The number of nodes is rounded up to a multiple of this."""


@dataclass(frozen=True)
class TilePlan:
    """The tiles of one batch. N' = N + 1: the last node is padding, closed to everything."""

    nodes: Tensor
    """(B, T) int32; padding is node N. A reader's node i is written −1 − i."""
    apart: Tensor
    """(B, READERS) int32; places of the readers, T for none."""
    codes: Tensor
    """(B, N', tiles, slots) int8; code of a query node for each slot of a key tile, or -1."""
    slots: Tensor
    """(B, tiles · TILE, 2 · slots) in the compute type; each key's slot, one-hot, twice."""
    keys: Tensor
    """(B, tiles + 1, tiles · TILE / FORWARD) int32; per query tile its open steps of keys, in order;
    then those of the readers."""
    key_counts: Tensor
    """(B, tiles + 1) int32."""
    back_keys: Tensor
    """The same in steps of BACKWARD."""
    back_counts: Tensor
    """(B, tiles + 1) int32."""
    queries: Tensor
    """(B, tiles, tiles · TILE / STEP) int32; per key tile its open steps of queries, in order."""
    query_counts: Tensor
    """(B, tiles) int32."""

    def tensors(self) -> list[Tensor]:
        """List all of it, as the operator takes it."""
        return [
            self.nodes, self.apart, self.codes, self.slots, self.keys, self.key_counts,
            self.back_keys, self.back_counts, self.queries, self.query_counts,
        ]  # fmt: skip

    def moved(self, move: Callable[[Tensor], Tensor]) -> TilePlan:
        """Give the same plan elsewhere."""
        return TilePlan(*map(move, self.tensors()))


def plan(guidance: Guidance, dtype: torch.dtype, window: int | None = None) -> TilePlan:
    """Plan the tiles of a batch; kept with the guidance, so that every layer shares it.

    ``window``: keys farther than this from the query are closed too (ModernBERT's local layers).
    Call it before a compiled model, which cannot make a plan itself.
    """
    key = (dtype, window)
    if key not in guidance.plans:
        guidance.plans[key] = _plan(guidance, dtype, window)
    made: TilePlan = guidance.plans[key]
    return made


def slot_count(nodes: Tensor) -> int:
    """Count the most nodes any key tile touches, as a power of two of at least 8."""
    most = int(_slot_of(nodes).max()) + 1  # on a GPU: one synchronisation
    return max(8, 1 << (most - 1).bit_length())


def _slot_of(nodes: Tensor) -> Tensor:
    """Count off the runs of equal nodes within each key tile: (B, tiles, TILE)."""
    tiles = _tiled(nodes, -1)
    changes = torch.zeros_like(tiles)
    changes[..., 1:] = (tiles[..., 1:] != tiles[..., :-1]).to(tiles.dtype)
    return changes.cumsum(-1)


def _tiled(nodes: Tensor, fill: int) -> Tensor:
    width = -nodes.shape[1] % TILE
    padded = torch.nn.functional.pad(nodes, (0, width), value=fill)
    return padded.view(nodes.shape[0], -1, TILE)


def _plan(guidance: Guidance, dtype: torch.dtype, window: int | None) -> TilePlan:
    nodes, table = guidance.nodes, guidance.table
    # few different shapes: a compiled model would be compiled again for each number of claims
    wide = -table.shape[1] % NODES
    table = torch.nn.functional.pad(table, (0, wide, 0, wide), value=-1)
    size, count = table.shape[0], table.shape[1]
    slot = _slot_of(nodes).long()  # (B, tiles, TILE)
    width = guidance.slots or slot_count(nodes)
    held = _tiled(torch.where(nodes < 0, count, nodes), count).long()  # (B, tiles, TILE)
    tiles = held.shape[1]
    owner = held.new_full((size, tiles, width), count)  # the node behind each slot
    owner.scatter_(2, slot, held)

    closed = torch.nn.functional.pad(table, (0, 1, 0, 1), value=-1)  # (B, N', N')
    columns = owner.view(size, 1, tiles * width).expand(size, count + 1, tiles * width)
    codes = closed.gather(2, columns).view(size, count + 1, tiles, width)

    real = torch.where(nodes < 0, count, nodes)
    apart, alone = _readers(closed, real, tiles * TILE)
    near = _near(tiles * TILE // STEP, window, nodes.device)
    opened = (closed >= 0).float()
    others = torch.where(alone, count, held.flatten(1))
    mine = _touched(others, held.flatten(1), opened) & near  # (B, steps, steps)
    readers = torch.where(alone, held.flatten(1), count)
    theirs = _touched(readers, held.flatten(1), opened) & near
    every = [mine.view(size, tiles, TILE // STEP, -1).any(2), theirs.any(1, keepdim=True)]
    rows = torch.cat(every[: 1 + (READERS > 0)], 1)  # (B, tiles + 1, steps)
    columns = (mine | theirs).view(size, -1, tiles, TILE // STEP).any(3).mT
    one_hot = torch.nn.functional.one_hot(slot, width).to(dtype).view(size, tiles * TILE, width)
    return TilePlan(
        nodes=torch.where(alone[:, : nodes.shape[1]], -1 - real, real).int().contiguous(),
        apart=apart,
        codes=codes.contiguous(),
        slots=torch.cat((one_hot, one_hot), dim=2).contiguous(),
        **dict(zip(("keys", "key_counts"), _listed(_wider(rows, FORWARD)), strict=True)),
        **dict(zip(("back_keys", "back_counts"), _listed(_wider(rows, BACKWARD)), strict=True)),
        **dict(zip(("queries", "query_counts"), _listed(columns), strict=True)),
    )


def _readers(table: Tensor, nodes: Tensor, room: int) -> tuple[Tensor, Tensor]:
    """Find tokens that read other nodes without a bias, and whom nobody else reads: [CLS].

    Their places (B, READERS), and all tokens that are among them (B, room).
    """
    tokens = nodes.shape[1]
    other = ~torch.eye(table.shape[1], dtype=torch.bool, device=table.device)
    free = (table == Code.FREE) | (table == Code.CLOSED)
    reads = free.all(2) & ((table >= 0) & other).any(2) & ~((table >= 0) & other).any(1)
    alone = reads.gather(1, nodes.long())
    alone &= alone.cumsum(1) <= READERS
    order = torch.argsort((~alone).to(torch.uint8), dim=1, stable=True)[:, :READERS]
    order = torch.where(alone.gather(1, order), order, tokens)
    apart = torch.nn.functional.pad(order, (0, READERS - order.shape[1]), value=tokens)
    return apart.int().contiguous(), torch.nn.functional.pad(alone, (0, room - tokens))


def _touched(queries: Tensor, keys: Tensor, opened: Tensor) -> Tensor:
    """Say which steps of queries see a key of which step, by the nodes of both: (B, steps, steps)."""
    asking, asked = (_members(held, opened) for held in (queries, keys))
    return (asking @ opened @ asked.mT) > 0


def _members(held: Tensor, opened: Tensor) -> Tensor:
    steps = held.view(len(held), -1, STEP)
    member = torch.zeros(*steps.shape[:2], opened.shape[1], device=held.device)
    return member.scatter_(2, steps, 1.0)


def _near(steps: int, window: int | None, device: torch.device) -> Tensor:
    """Say which steps have two tokens that lie within the window: (steps, steps)."""
    place = torch.arange(steps, device=device) * STEP
    gap = (place[:, None] - place).abs() - (STEP - 1)
    return gap <= (steps * STEP if window is None else window)


def _wider(touched: Tensor, step: int) -> Tensor:
    """Join columns of STEP keys into columns of ``step``."""
    return touched.view(*touched.shape[:2], -1, step // STEP).any(3)


def _listed(touched: Tensor) -> tuple[Tensor, Tensor]:
    """List the true columns of each row first, in order, and count them."""
    order = torch.argsort((~touched).to(torch.uint8), dim=2, stable=True)
    return order.int().contiguous(), touched.sum(dim=2).int().contiguous()

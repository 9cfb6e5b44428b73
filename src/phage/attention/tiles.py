"""Which tiles of the attention matrix are open, and how a tile's mask and bias are spelled.

In:   a Guidance: node ids (B, T) and the code table (B, N, N).
Out:  TilePlan, built once per batch and shared by all layers and heads: per key tile its few nodes
      ("slots"), per (query node, key tile, slot) the code, per tile row the list of open tiles.
Why:  a tile of 64 keys touches two or three claims. So mask and bias of a tile are a product of two
      thin matrices, R (queries × slots) and O (keys × slots, one-hot), and the tensor cores add
      them to the logits for the price of a few more columns: S = [Q | R] · [K | O]ᵀ. The same one-hot
      matrix sums dS per slot in the backward. No (T, T) mask exists, no element looks anything up."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from phage.attention.guidance import Guidance

TILE = 64
"""Keys per tile; also the granularity at which empty tiles are skipped."""
NODES = 32
"""The number of nodes is rounded up to a multiple of this."""


@dataclass(frozen=True)
class TilePlan:
    """The tiles of one batch. N' = N + 1: the last node is padding, closed to everything."""

    nodes: Tensor
    """(B, T) int32; padding is node N."""
    codes: Tensor
    """(B, N', tiles, slots) int8; code of a query node for each slot of a key tile, or -1."""
    slots: Tensor
    """(B, tiles · TILE, 2 · slots) in the compute type; each key's slot, one-hot, twice."""
    keys: Tensor
    """(B, tiles, tiles) int32; per query tile its open key tiles, in order."""
    key_counts: Tensor
    """(B, tiles) int32."""
    queries: Tensor
    """(B, tiles, tiles) int32; per key tile its open query tiles, in order."""
    query_counts: Tensor
    """(B, tiles) int32."""

    def tensors(self) -> list[Tensor]:
        """List all of it, as the operator takes it."""
        return [
            self.nodes, self.codes, self.slots,
            self.keys, self.key_counts, self.queries, self.query_counts,
        ]  # fmt: skip


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

    rows = owner.view(size, tiles * width, 1, 1).expand(-1, -1, tiles, width)
    pairs = codes.gather(1, rows).view(size, tiles, width, tiles, width)
    touched = (pairs >= 0).any(dim=4).any(dim=2)  # (B, query tiles, key tiles)
    if window is not None:
        place = torch.arange(tiles, device=nodes.device)
        gap = ((place[:, None] - place[None, :]).abs() - 1) * TILE + 1  # nearest two tokens
        touched = touched & (gap <= window)
    keys, key_counts = _listed(touched)
    queries, query_counts = _listed(touched.mT)
    one_hot = torch.nn.functional.one_hot(slot, width).to(dtype).view(size, tiles * TILE, width)
    return TilePlan(
        nodes=torch.where(nodes < 0, count, nodes).int().contiguous(),
        codes=codes.contiguous(),
        slots=torch.cat((one_hot, one_hot), dim=2).contiguous(),
        keys=keys,
        key_counts=key_counts,
        queries=queries,
        query_counts=query_counts,
    )


def _listed(touched: Tensor) -> tuple[Tensor, Tensor]:
    """List the true columns of each row first, in order, and count them."""
    order = torch.argsort((~touched).to(torch.uint8), dim=2, stable=True)
    return order.int().contiguous(), touched.sum(dim=2).int().contiguous()

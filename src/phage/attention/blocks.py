"""Which keys a stretch of queries needs.

In:   the nodes of one row's tokens and its code table.
Out:  blocks: neighbouring queries with the keys that at least one of them may see.
Why:  two thirds of the token pairs of a patent are closed, and whole claims at a time; work on
      blocks leaves them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phage.attention.guidance import Code

_OVERHEAD = 4096
"""Token pairs that could be computed in the time a block costs by itself (measured on a CPU)."""


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

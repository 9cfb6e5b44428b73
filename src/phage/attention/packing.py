"""Which patents share a batch, and which share a row.

In:   token counts.
Out:  lists of indices: batches of like lengths, or rows filled with several patents.
Why:  padding is paid like text; half of a batch of mixed lengths can be padding."""

from __future__ import annotations

import random
from bisect import bisect_left, insort
from collections.abc import Sequence

from phage.errors import PhageError


def buckets(lengths: Sequence[int], size: int, *, seed: int | None = None) -> list[list[int]]:
    """Group patents of like length into batches of ``size``; the last may be smaller.

    With a seed the batches come in shuffled order, and ties of length are broken at random, so that
    two epochs differ; without one, in order of length.

    >>> buckets([9, 2, 8, 3, 7], 2)
    [[1, 3], [4, 2], [0]]
    """
    order = list(range(len(lengths)))
    chance = random.Random(seed)
    if seed is not None:
        chance.shuffle(order)
    order.sort(key=lengths.__getitem__)  # stable: keeps the shuffled order among equals
    groups = [order[at : at + size] for at in range(0, len(order), size)]
    if seed is not None:
        chance.shuffle(groups)
    return groups


def pack(lengths: Sequence[int], room: int) -> list[list[int]]:
    """Fill rows of ``room`` tokens with whole patents: best fit, longest first.

    >>> pack([300, 200, 100, 150, 250], 512)
    [[0, 1], [4, 3, 2]]
    """
    rows: list[list[int]] = []
    free: list[tuple[int, int]] = []  # (tokens left, row), sorted
    for index in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        need = lengths[index]
        if need > room:
            raise PhageError(
                f"patent {index} has {need} tokens, but a row holds {room}",
                remedy="project with a window no larger than the row",
            )
        at = bisect_left(free, (need, -1))
        if at < len(free):
            left, row = free.pop(at)
        else:
            left, row = room, len(rows)
            rows.append([])
        rows[row].append(index)
        insort(free, (left - need, row))
    return rows

"""How the claims of a set share the room of a window.

In:   the tokens of each claim, the room of a window.
Out:  how many tokens each keeps, or which claims stand in which window.
Why:  plain arithmetic, apart from tokenizers."""

from __future__ import annotations

from collections.abc import Sequence


def shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return how many tokens each claim keeps when they share the room evenly; short ones stay whole.

    >>> shares([6, 2, 5], 9)  # the two long ones are levelled, the earlier gets the odd token
    [4, 2, 3]
    """
    level, odd = _level(lengths, room)
    kept = []
    for length in lengths:
        extra = length > level and odd > 0
        kept.append(min(length, level) + extra)
        odd -= extra
    return kept


def _level(lengths: Sequence[int], room: int) -> tuple[int, int]:
    """Find the largest cap under which all claims fit, and what is left over."""
    left = len(lengths)
    for length in sorted(lengths):
        if length * left > room:
            return divmod(room, left)
        room -= length
        left -= 1
    return max(lengths, default=0), 0


def pack(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Divide a row of sizes into the fewest groups of at most ``room``, as even as they can be.

    >>> pack([4, 1, 1, 4], 9), pack([5, 5], 20)
    ([[4, 1], [1, 4]], [[5, 5]])
    """
    fewest = len(_filled(sizes, room))
    low, high = max(*sizes, -(-sum(sizes) // fewest)), room
    while low < high:
        middle = (low + high) // 2
        if len(_filled(sizes, middle)) > fewest:
            low = middle + 1
        else:
            high = middle
    return _filled(sizes, high)


def _filled(sizes: Sequence[int], room: int) -> list[list[int]]:
    groups: list[list[int]] = [[]]
    for size in sizes:
        if groups[-1] and sum(groups[-1]) + size > room:
            groups.append([])
        groups[-1].append(size)
    return groups


def pieces(length: int, room: int) -> list[int]:
    """Divide a length that exceeds the room into even pieces.

    >>> pieces(4, 4), pieces(10, 4)
    ([4], [4, 4, 2])
    """
    step = -(-length // -(-length // room))
    return [min(step, length - start) for start in range(0, length, step)]

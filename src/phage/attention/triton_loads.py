"""What the kernels read: blocks of rows, entries, pairs within a window.

In:   places in memory.
Out:  blocks; what lies past an end is zero or as asked.
Why:  the three kernels load alike."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def rows(
    base, first, stride, T,
    D: tl.constexpr, DP: tl.constexpr, EVEN: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Load BLOCK rows of a (T, D) matrix; rows past T and columns past D are zero."""
    row = tl.arange(0, BLOCK)
    column = tl.arange(0, DP)
    place = base + first.to(tl.int64) * stride + row[:, None] * stride + column[None, :]
    if EVEN:
        return tl.load(place)
    return tl.load(place, mask=(first + row[:, None] < T) & (column[None, :] < D), other=0.0)


@triton.jit
def each(base, first, T, other, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    """Load BLOCK entries of a vector of T; those past T are ``other``."""
    row = first + tl.arange(0, BLOCK)
    if EVEN:
        return tl.load(base + row)
    return tl.load(base + row, mask=row < T, other=other)


@triton.jit
def some(base, row, stride, T, D: tl.constexpr, DP: tl.constexpr):
    """Load rows of a (T, D) matrix that lie anywhere; rows past T and columns past D are zero."""
    column = tl.arange(0, DP)
    place = base + row.to(tl.int64)[:, None] * stride + column[None, :]
    return tl.load(place, mask=(row[:, None] < T) & (column[None, :] < D), other=0.0)


@triton.jit
def near(row, column, WINDOW: tl.constexpr):
    """Mark the pairs of these places that lie within the window: (rows, columns)."""
    gap = row[:, None] - column[None, :]
    return (gap <= WINDOW) & (gap >= -WINDOW)

"""Guided attention in Triton: forward, backward and the gradient of the five biases.

In:   q, k, v (B, H, T, D), a TilePlan, per-layer relation rows R.
Out:  output and its log-sum-exp; gradients of q, k, v and, per program, five sums for the biases.
Why:  guided training should cost what plain training costs. Closed tiles are skipped; in open ones
      mask and bias ride on the matrix product (see tiles.py); every sum has one owner, so there are
      no atomics and two runs give the same bits."""

from __future__ import annotations

import triton
import triton.language as tl

DEAD = tl.constexpr(-30000.0)
"""A row whose largest product lies below this, before scaling, saw only closed keys (-60000)."""


@triton.jit
def _rows(base, first, stride, T, D: tl.constexpr, DP: tl.constexpr, BLOCK: tl.constexpr):
    """Load BLOCK rows of a (T, D) matrix; rows past T and columns past D are zero."""
    row = first + tl.arange(0, BLOCK)
    column = tl.arange(0, DP)
    inside = (row[:, None] < T) & (column[None, :] < D)
    return tl.load(base + row[:, None] * stride + column[None, :], mask=inside, other=0.0)


@triton.jit
def _near(first_query, first_key, WINDOW: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Mark the pairs of a tile that lie within the window: (BM, BN)."""
    gap = (first_query + tl.arange(0, BM))[:, None] - (first_key + tl.arange(0, BN))[None, :]
    return (gap <= WINDOW) & (gap >= -WINDOW)


@triton.jit
def forward(
    Q, K, V, R, SLOTS, NODES, KEYS, COUNTS, OUT, LSE,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, o_b, o_h, o_t,
    H, T, N, tiles, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """One query tile of one head."""
    tile, bh = tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    row = tile * BM + tl.arange(0, BM)
    column = tl.arange(0, S2)
    q = _rows(Q + b * q_b + h * q_h, tile * BM, q_t, T, D, DP, BM)
    node = tl.load(NODES + b * T + row, mask=row < T, other=N)  # (BM,)
    relation = R + ((b * (N + 1) + node) * tiles)[:, None] * S2 + column[None, :]
    top = tl.full((BM,), float("-inf"), tl.float32)
    mass = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DP), tl.float32)
    listed = KEYS + (b * tiles + tile) * tiles
    for i in range(tl.load(COUNTS + b * tiles + tile)):
        t = tl.load(listed + i)
        k = _rows(K + b * k_b + h * k_h, t * BN, k_t, T, D, DP, BN)
        slot = tl.load(
            SLOTS + (b * tiles + t) * BN * S2 + tl.arange(0, BN)[:, None] * S2 + column[None, :]
        )
        bias = tl.load(relation + t * S2)
        s = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        s = tl.dot(bias, tl.trans(slot), s, input_precision=PRECISION)
        if WINDOW >= 0:
            s = tl.where(_near(tile * BM, t * BN, WINDOW, BM, BN), s, float("-1e9"))
        higher = tl.maximum(top, tl.max(s, 1) * scale2)
        p = tl.exp2(s * scale2 - higher[:, None])
        shrink = tl.exp2(top - higher)
        mass = mass * shrink + tl.sum(p, 1)
        v = _rows(V + b * v_b + h * v_h, t * BN, v_t, T, D, DP, BN)
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision=PRECISION)
        top = higher
    alive = top > scale2 * DEAD
    acc = tl.where(alive[:, None], acc / tl.where(alive, mass, 1.0)[:, None], 0.0)
    lse = tl.where(alive, top + tl.log2(mass), float("inf"))
    d = tl.arange(0, DP)
    out = OUT + b * o_b + h * o_h + row[:, None] * o_t + d[None, :]
    tl.store(out, acc.to(OUT.dtype.element_ty), mask=(row[:, None] < T) & (d[None, :] < D))
    tl.store(LSE + bh.to(tl.int64) * T + row, lse, mask=row < T)


@triton.jit
def spell(BIAS, CODES, ROWS, count, over_scale, closed, S: tl.constexpr, BLOCK: tl.constexpr):
    """Write R: each code's bias over the scale as a high and a low part, side by side.

    Two parts, because bf16 alone would round a bias of .69 to steps of .004.
    """
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    code = tl.load(CODES + place, mask=place < count, other=-1)
    value = tl.load(BIAS + code, mask=(code >= 0) & (code < 5), other=0.0) * over_scale
    high = value.to(ROWS.dtype.element_ty)
    low = (value - high.to(tl.float32)).to(ROWS.dtype.element_ty)
    high = tl.where(code < 0, closed, high.to(tl.float32)).to(ROWS.dtype.element_ty)
    out = ROWS + (place // S) * (2 * S) + place % S
    tl.store(out, high, mask=place < count)
    tl.store(out + S, low, mask=place < count)


@triton.jit
def backward_keys(
    Q, K, V, R, SLOTS, NODES, QUERIES, COUNTS, DO, LSE, DELTA, DK, DV,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, g_b, g_h, g_t, o_b, o_h, o_t,
    H, T, N, tiles, scale, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradients of one tile of keys and values; everything is computed transposed (keys first)."""
    tile, bh = tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    column = tl.arange(0, S2)
    k = _rows(K + b * k_b + h * k_h, tile * BN, k_t, T, D, DP, BN)
    v = _rows(V + b * v_b + h * v_h, tile * BN, v_t, T, D, DP, BN)
    slot = tl.load(
        SLOTS + (b * tiles + tile) * BN * S2 + tl.arange(0, BN)[:, None] * S2 + column[None, :]
    )
    dk = tl.zeros((BN, DP), tl.float32)
    dv = tl.zeros((BN, DP), tl.float32)
    base = bh.to(tl.int64) * T
    listed = QUERIES + (b * tiles + tile) * tiles
    for i in range(tl.load(COUNTS + b * tiles + tile)):
        m = tl.load(listed + i)
        row = m * BM + tl.arange(0, BM)
        q = _rows(Q + b * q_b + h * q_h, m * BM, q_t, T, D, DP, BM)
        node = tl.load(NODES + b * T + row, mask=row < T, other=N)
        bias = tl.load(R + ((b * (N + 1) + node) * tiles + tile)[:, None] * S2 + column[None, :])
        lse = tl.load(LSE + base + row, mask=row < T, other=float("inf"))
        s = tl.dot(k, tl.trans(q), input_precision=PRECISION)  # (BN, BM)
        s = tl.dot(slot, tl.trans(bias), s, input_precision=PRECISION)
        if WINDOW >= 0:
            s = tl.where(_near(tile * BN, m * BM, WINDOW, BN, BM), s, float("-1e9"))
        p = tl.exp2(s * scale2 - lse[None, :])
        do = _rows(DO + b * g_b + h * g_h, m * BM, g_t, T, D, DP, BM)
        dv = tl.dot(p.to(do.dtype), do, dv, input_precision=PRECISION)
        change = tl.load(DELTA + base + row, mask=row < T, other=0.0)
        dp = tl.dot(v, tl.trans(do), input_precision=PRECISION)
        ds = p * (dp - change[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk, input_precision=PRECISION)
    row = tile * BN + tl.arange(0, BN)
    d = tl.arange(0, DP)
    inside = (row[:, None] < T) & (d[None, :] < D)
    place = b * o_b + h * o_h + row[:, None] * o_t + d[None, :]
    tl.store(DK + place, (dk * scale).to(DK.dtype.element_ty), mask=inside)
    tl.store(DV + place, dv.to(DV.dtype.element_ty), mask=inside)


@triton.jit
def backward_queries(
    Q, K, V, R, CODES, SLOTS, NODES, KEYS, COUNTS, OUT, DO, LSE, DELTA, DQ, SUMS,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, g_b, g_h, g_t, o_b, o_h, o_t,
    H, T, N, tiles, scale, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    PRECISION: tl.constexpr, BIAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradient of one tile of queries, its rows' delta, and its five sums for the biases."""
    tile, bh = tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    row = tile * BM + tl.arange(0, BM)
    column = tl.arange(0, S2)
    q = _rows(Q + b * q_b + h * q_h, tile * BM, q_t, T, D, DP, BM)
    do = _rows(DO + b * g_b + h * g_h, tile * BM, g_t, T, D, DP, BM)
    node = tl.load(NODES + b * T + row, mask=row < T, other=N)
    lse = tl.load(LSE + bh.to(tl.int64) * T + row, mask=row < T, other=float("inf"))
    out = _rows(OUT + b * o_b + h * o_h, tile * BM, o_t, T, D, DP, BM)
    change = tl.sum(out.to(tl.float32) * do.to(tl.float32), 1)
    tl.store(DELTA + bh.to(tl.int64) * T + row, change, mask=row < T)
    relation = R + ((b * (N + 1) + node) * tiles)[:, None] * S2 + column[None, :]
    spelled = CODES + ((b * (N + 1) + node) * tiles)[:, None] * (S2 // 2) + column[None, :]
    dq = tl.zeros((BM, DP), tl.float32)
    own = tl.zeros((BM, S2), tl.float32)
    cite = tl.zeros((BM, S2), tl.float32)
    term = tl.zeros((BM, S2), tl.float32)
    func = tl.zeros((BM, S2), tl.float32)
    both = tl.zeros((BM, S2), tl.float32)
    listed = KEYS + (b * tiles + tile) * tiles
    for i in range(tl.load(COUNTS + b * tiles + tile)):
        t = tl.load(listed + i)
        k = _rows(K + b * k_b + h * k_h, t * BN, k_t, T, D, DP, BN)
        v = _rows(V + b * v_b + h * v_h, t * BN, v_t, T, D, DP, BN)
        slot = tl.load(
            SLOTS + (b * tiles + t) * BN * S2 + tl.arange(0, BN)[:, None] * S2 + column[None, :]
        )
        bias = tl.load(relation + t * S2)
        s = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        s = tl.dot(bias, tl.trans(slot), s, input_precision=PRECISION)
        if WINDOW >= 0:
            s = tl.where(_near(tile * BM, t * BN, WINDOW, BM, BN), s, float("-1e9"))
        p = tl.exp2(s * scale2 - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision=PRECISION)
        ds = (p * (dp - change[:, None])).to(k.dtype)
        dq = tl.dot(ds, k, dq, input_precision=PRECISION)
        if BIAS:
            # dS summed per slot by the one-hot matrix, then per code; the second half repeats it.
            # Kept per element until the end: a row sum here would shuffle between threads each turn.
            by_slot = tl.dot(ds, slot, input_precision=PRECISION)  # (BM, S2)
            code = tl.load(spelled + t * (S2 // 2), mask=column[None, :] < S2 // 2, other=-1)
            own += tl.where(code == 0, by_slot, 0.0)
            cite += tl.where(code == 1, by_slot, 0.0)
            term += tl.where(code == 2, by_slot, 0.0)
            func += tl.where(code == 3, by_slot, 0.0)
            both += tl.where(code == 4, by_slot, 0.0)
    d = tl.arange(0, DP)
    place = DQ + b * o_b + h * o_h + row[:, None] * o_t + d[None, :]
    inside = (row[:, None] < T) & (d[None, :] < D)
    tl.store(place, (dq * scale).to(DQ.dtype.element_ty), mask=inside)
    if BIAS:
        sums = SUMS + (bh.to(tl.int64) * tiles + tile) * 5
        tl.store(sums, tl.sum(own))
        tl.store(sums + 1, tl.sum(cite))
        tl.store(sums + 2, tl.sum(term))
        tl.store(sums + 3, tl.sum(func))
        tl.store(sums + 4, tl.sum(both))

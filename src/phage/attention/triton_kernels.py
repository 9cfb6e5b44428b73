"""Guided attention in Triton: forward, backward and the gradient of the five biases.

In:   q, k, v (B, H, T, D), a TilePlan, per-layer relation rows R.
Out:  output and its log-sum-exp; gradients of q, k, v and, per program, five sums for the biases.
Why:  guided training should cost what plain training costs. Closed tiles are skipped; in open ones
      mask and bias ride on the matrix product (see tiles.py); every sum has one owner, so there are
      no atomics and two runs give the same bits."""

from __future__ import annotations

import triton
import triton.language as tl

from phage.attention.triton_loads import each, near, rows, some

DEAD = tl.constexpr(-30000.0)
"""A row whose largest product lies below this, before scaling, saw only closed keys (-60000)."""


@triton.jit
def _attend(
    q, row, node, inside, K, V, R, SLOTS, listed, count, OUT, LSE, b,
    k_t, v_t, o_t, T, N, tiles, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    EVEN: tl.constexpr, PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
    PER: tl.constexpr,
):  # fmt: skip
    """Attend for BM queries at places ``row``; write where ``inside``."""
    column = tl.arange(0, S2)
    relation = R + ((b * (N + 1) + node) * tiles)[:, None] * S2 + column[None, :]
    top = tl.full((BM,), float("-inf"), tl.float32)
    mass = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, DP), tl.float32)
    for i in range(count):
        t = tl.load(listed + i)
        k = rows(K, t * BN, k_t, T, D, DP, EVEN, BN)
        slot = tl.load(
            SLOTS
            + (b * tiles * PER + t) * BN * S2
            + tl.arange(0, BN)[:, None] * S2
            + column[None, :]
        )
        bias = tl.load(relation + (t // PER) * S2)
        s = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        s = tl.dot(bias, tl.trans(slot), s, input_precision=PRECISION)
        if WINDOW >= 0:
            s = tl.where(near(row, t * BN + tl.arange(0, BN), WINDOW), s, float("-1e9"))
        higher = tl.maximum(top, tl.max(s, 1) * scale2)
        p = tl.exp2(s * scale2 - higher[:, None])
        shrink = tl.exp2(top - higher)
        mass = mass * shrink + tl.sum(p, 1)
        v = rows(V, t * BN, v_t, T, D, DP, EVEN, BN)
        acc = acc * shrink[:, None]
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision=PRECISION)
        top = higher
    alive = top > scale2 * DEAD
    acc = tl.where(alive[:, None], acc / tl.where(alive, mass, 1.0)[:, None], 0.0)
    lse = tl.where(alive, top + tl.log2(mass), float("inf"))
    d = tl.arange(0, DP)
    out = OUT + row.to(tl.int64)[:, None] * o_t + d[None, :]
    tl.store(out, acc.to(OUT.dtype.element_ty), mask=inside[:, None] & (d[None, :] < D))
    tl.store(LSE + row, lse, mask=inside)


@triton.jit
def forward(
    Q, K, V, R, SLOTS, NODES, APART, KEYS, COUNTS, OUT, LSE,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, o_b, o_h, o_t,
    H, T, N, tiles, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    EVEN: tl.constexpr, READERS: tl.constexpr,
    PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, PER: tl.constexpr,
):  # fmt: skip
    """One query tile of one head, or its readers; the last tiles, which see most, go first."""
    tile, bh = tl.num_programs(0) - 1 - tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    lists = tl.num_programs(0)  # per row of the batch
    listed = KEYS + (b * lists + tile) * tiles * PER
    count = tl.load(COUNTS + b * lists + tile)
    query, key, value = Q + b * q_b + h * q_h, K + b * k_b + h * k_h, V + b * v_b + h * v_h
    out, lse = OUT + b * o_b + h * o_h, LSE + bh.to(tl.int64) * T
    if tile < tiles:
        row = tile * BM + tl.arange(0, BM)
        held = each(NODES + b * T, tile * BM, T, N, EVEN, BM)
        _attend(
            rows(query, tile * BM, q_t, T, D, DP, EVEN, BM), row, tl.where(held < 0, N, held),
            (row < T) & (held >= 0), key, value, R, SLOTS, listed, count, out, lse, b,
            k_t, v_t, o_t, T, N, tiles, scale2,
            D, DP, S2, WINDOW, EVEN, PRECISION, BM, BN, PER,
        )  # fmt: skip
    elif READERS > 0:
        few = tl.load(APART + b * READERS + tl.arange(0, READERS))
        reads = tl.load(NODES + b * T + few, mask=few < T, other=-1 - N)
        _attend(
            some(query, few, q_t, T, D, DP), few, -1 - reads, few < T,
            key, value, R, SLOTS, listed, count, out, lse, b,
            k_t, v_t, o_t, T, N, tiles, scale2,
            D, DP, S2, WINDOW, EVEN, PRECISION, READERS, BN, PER,
        )  # fmt: skip


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
    EVEN: tl.constexpr,
    PRECISION: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Gradients of one tile of keys and values; everything is computed transposed (keys first).

    Goes over BM queries at a time, which may be fewer than a tile's.
    """
    tile, bh = tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    column = tl.arange(0, S2)
    k = rows(K + b * k_b + h * k_h, tile * BN, k_t, T, D, DP, EVEN, BN)
    v = rows(V + b * v_b + h * v_h, tile * BN, v_t, T, D, DP, EVEN, BN)
    slot = tl.load(
        SLOTS + (b * tiles + tile) * BN * S2 + tl.arange(0, BN)[:, None] * S2 + column[None, :]
    )
    dk = tl.zeros((BN, DP), tl.float32)
    dv = tl.zeros((BN, DP), tl.float32)
    base = bh.to(tl.int64) * T
    listed = QUERIES + (b * tiles + tile) * tiles * (BN // BM)
    for i in range(tl.load(COUNTS + b * tiles + tile)):
        m = tl.load(listed + i)
        q = rows(Q + b * q_b + h * q_h, m * BM, q_t, T, D, DP, EVEN, BM)
        node = each(NODES + b * T, m * BM, T, N, EVEN, BM)
        node = tl.where(node < 0, -1 - node, node)  # readers are not apart here
        bias = tl.load(R + ((b * (N + 1) + node) * tiles + tile)[:, None] * S2 + column[None, :])
        lse = each(LSE + base, m * BM, T, float("inf"), EVEN, BM)
        s = tl.dot(k, tl.trans(q), input_precision=PRECISION)  # (BN, BM)
        s = tl.dot(slot, tl.trans(bias), s, input_precision=PRECISION)
        if WINDOW >= 0:
            close = near(tile * BN + tl.arange(0, BN), m * BM + tl.arange(0, BM), WINDOW)
            s = tl.where(close, s, float("-1e9"))
        p = tl.exp2(s * scale2 - lse[None, :])
        do = rows(DO + b * g_b + h * g_h, m * BM, g_t, T, D, DP, EVEN, BM)
        dv = tl.dot(p.to(do.dtype), do, dv, input_precision=PRECISION)
        change = each(DELTA + base, m * BM, T, 0.0, EVEN, BM)
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
def _query_gradient(
    q, do, out, row, node, lse, inside, K, V, R, CODES, SLOTS, listed, count, DELTA, DQ, SUMS, b,
    k_t, v_t, o_t, T, N, tiles, scale, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    EVEN: tl.constexpr, PRECISION: tl.constexpr, BIAS: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, PER: tl.constexpr,
):  # fmt: skip
    """Write the gradients of BM queries at places ``row`` and their delta, where ``inside``."""
    column = tl.arange(0, S2)
    half = tl.arange(0, S2 // 2)
    change = tl.sum(out.to(tl.float32) * do.to(tl.float32), 1)
    tl.store(DELTA + row, change, mask=inside)
    relation = R + ((b * (N + 1) + node) * tiles)[:, None] * S2 + column[None, :]
    spelled = CODES + ((b * (N + 1) + node) * tiles)[:, None] * (S2 // 2) + half[None, :]
    dq = tl.zeros((BM, DP), tl.float32)
    own = tl.zeros((BM, S2 // 2), tl.float32)
    cite = tl.zeros((BM, S2 // 2), tl.float32)
    term = tl.zeros((BM, S2 // 2), tl.float32)
    func = tl.zeros((BM, S2 // 2), tl.float32)
    both = tl.zeros((BM, S2 // 2), tl.float32)
    for i in range(count):
        t = tl.load(listed + i)
        k = rows(K, t * BN, k_t, T, D, DP, EVEN, BN)
        v = rows(V, t * BN, v_t, T, D, DP, EVEN, BN)
        slots = SLOTS + (b * tiles * PER + t) * BN * S2 + tl.arange(0, BN)[:, None] * S2
        slot = tl.load(slots + column[None, :])
        bias = tl.load(relation + (t // PER) * S2)
        s = tl.dot(q, tl.trans(k), input_precision=PRECISION)
        s = tl.dot(bias, tl.trans(slot), s, input_precision=PRECISION)
        if WINDOW >= 0:
            s = tl.where(near(row, t * BN + tl.arange(0, BN), WINDOW), s, float("-1e9"))
        p = tl.exp2(s * scale2 - lse[:, None])
        dp = tl.dot(do, tl.trans(v), input_precision=PRECISION)
        ds = (p * (dp - change[:, None])).to(k.dtype)
        dq = tl.dot(ds, k, dq, input_precision=PRECISION)
        if BIAS:
            # dS summed per slot by the one-hot matrix, then per code. Kept per element until the
            # end: a row sum here would shuffle between threads each turn.
            once = tl.load(slots + half[None, :])
            by_slot = tl.dot(ds, once, input_precision=PRECISION)  # (BM, slots)
            code = tl.load(spelled + (t // PER) * (S2 // 2))
            own += tl.where(code == 0, by_slot, 0.0)
            cite += tl.where(code == 1, by_slot, 0.0)
            term += tl.where(code == 2, by_slot, 0.0)
            func += tl.where(code == 3, by_slot, 0.0)
            both += tl.where(code == 4, by_slot, 0.0)
    d = tl.arange(0, DP)
    place = DQ + row.to(tl.int64)[:, None] * o_t + d[None, :]
    tl.store(place, (dq * scale).to(DQ.dtype.element_ty), mask=inside[:, None] & (d[None, :] < D))
    if BIAS:
        tl.store(SUMS, tl.sum(own))
        tl.store(SUMS + 1, tl.sum(cite))
        tl.store(SUMS + 2, tl.sum(term))
        tl.store(SUMS + 3, tl.sum(func))
        tl.store(SUMS + 4, tl.sum(both))


@triton.jit
def backward_queries(
    Q, K, V, R, CODES, SLOTS, NODES, APART, KEYS, COUNTS, OUT, DO, LSE, DELTA, DQ, SUMS,
    q_b, q_h, q_t, k_b, k_h, k_t, v_b, v_h, v_t, g_b, g_h, g_t, o_b, o_h, o_t,
    H, T, N, tiles, scale, scale2,
    D: tl.constexpr, DP: tl.constexpr, S2: tl.constexpr, WINDOW: tl.constexpr,
    EVEN: tl.constexpr, READERS: tl.constexpr, PRECISION: tl.constexpr, BIAS: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, PER: tl.constexpr,
):  # fmt: skip
    """Gradient of one tile of queries, its rows' delta, and its five sums for the biases.

    Readers have a program of their own, without sums: they see without a bias.
    """
    tile, bh = tl.num_programs(0) - 1 - tl.program_id(0), tl.program_id(1)
    b, h = (bh // H).to(tl.int64), (bh % H).to(tl.int64)
    lists = tl.num_programs(0)
    listed = KEYS + (b * lists + tile) * tiles * PER
    count = tl.load(COUNTS + b * lists + tile)
    query, key, value = Q + b * q_b + h * q_h, K + b * k_b + h * k_h, V + b * v_b + h * v_h
    grad, out, dq = DO + b * g_b + h * g_h, OUT + b * o_b + h * o_h, DQ + b * o_b + h * o_h
    lses, delta = LSE + bh.to(tl.int64) * T, DELTA + bh.to(tl.int64) * T
    sums = SUMS + (bh.to(tl.int64) * tiles + tile) * 5
    if tile < tiles:
        row = tile * BM + tl.arange(0, BM)
        held = each(NODES + b * T, tile * BM, T, N, EVEN, BM)
        _query_gradient(
            rows(query, tile * BM, q_t, T, D, DP, EVEN, BM),
            rows(grad, tile * BM, g_t, T, D, DP, EVEN, BM),
            rows(out, tile * BM, o_t, T, D, DP, EVEN, BM),
            row, tl.where(held < 0, N, held), each(lses, tile * BM, T, float("inf"), EVEN, BM),
            (row < T) & (held >= 0), key, value, R, CODES, SLOTS, listed, count, delta, dq, sums, b,
            k_t, v_t, o_t, T, N, tiles, scale, scale2,
            D, DP, S2, WINDOW, EVEN, PRECISION, BIAS, BM, BN, PER,
        )  # fmt: skip
    elif READERS > 0:
        few = tl.load(APART + b * READERS + tl.arange(0, READERS))
        reads = tl.load(NODES + b * T + few, mask=few < T, other=-1 - N)
        _query_gradient(
            some(query, few, q_t, T, D, DP), some(grad, few, g_t, T, D, DP),
            some(out, few, o_t, T, D, DP), few, -1 - reads,
            tl.load(lses + few, mask=few < T, other=float("inf")), few < T,
            key, value, R, CODES, SLOTS, listed, count, delta, dq, sums, b,
            k_t, v_t, o_t, T, N, tiles, scale, scale2,
            D, DP, S2, WINDOW, EVEN, PRECISION, False, READERS, BN, PER,
        )  # fmt: skip

"""The engines agree: outputs, input gradients and the five bias gradients."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from phage.attention import Code, Engine, Guidance, guided_attention
from phage.attention.engine import choose
from phage.errors import PhageError

BIAS = [0.9, 0.1, 1.7, 0.4, 2.3]
ENGINES = ["dense", "kernel"]
"""Compared with the reference; without a GPU the kernel runs in Triton's interpreter."""


def run(engine, guidance, given, **settings):
    """Give output and gradients; the kernel goes to a GPU where there is one."""
    device = "cuda" if engine == "kernel" and torch.cuda.is_available() else "cpu"
    *qkv, grad = (x.detach().to(device) for x in given)
    bias = torch.tensor(BIAS, device=device, requires_grad=True)
    q, k, v = (x.requires_grad_() for x in qkv)
    if guidance is not None and device == "cuda":
        guidance = guidance.to(device)
    scale = q.shape[-1] ** -0.5
    out = guided_attention(q, k, v, guidance, bias, scale=scale, engine=engine, **settings)
    results = (out.detach(), *torch.autograd.grad(out, (q, k, v, bias), grad))
    return [x.cpu() for x in results]


def close(mine, theirs, *, tolerance):
    for name, a, b in zip(("out", "dq", "dk", "dv", "dbias"), mine, theirs, strict=True):
        size = b.abs().max().clamp_min(1.0)
        assert (a - b).abs().max() <= tolerance * size, name
        assert torch.isfinite(a).all(), name


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("window", [None, 9])
def test_reference_is_matched(layout, qkv, engine, window):
    given = qkv(layout)
    close(
        run(engine, layout, given, window=window),
        run("reference", layout, given, window=window),
        tolerance=3e-5,
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("width", [32, 64, 80, 128])
def test_head_widths(layouts, qkv, engine, width):
    given = qkv(layouts["ragged"], width=width, heads=3)
    theirs = run("reference", layouts["ragged"], given)
    close(run(engine, layouts["ragged"], given), theirs, tolerance=3e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.bfloat16, 2e-2), (torch.float16, 3e-3)])
def test_half_precision(layouts, qkv, engine, dtype, tolerance):
    given = qkv(layouts["padding"], dtype=dtype)
    mine = run(engine, layouts["padding"], given)
    assert [x.dtype for x in mine] == [dtype] * 4 + [torch.float32]
    theirs = run("reference", layouts["padding"], [x.float() for x in given])
    close([x.float() for x in mine], theirs, tolerance=tolerance)


def test_dense_sums_bias_gradients_of_half_precision_exactly(layouts, qkv):
    given = qkv(layouts["padding"], dtype=torch.bfloat16)
    results = []
    for engine, dtype in (("dense", torch.bfloat16), ("reference", torch.float64)):
        results.append(run(engine, layouts["padding"], [x.to(dtype) for x in given])[4])
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_two_runs_give_the_same_bits(layouts, qkv, engine):
    given = qkv(layouts["ragged"])
    first, second = (run(engine, layouts["ragged"], given) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_open_is_plain_bit_for_bit(qkv, graph, engine):
    guidance = graph([[9, 30, 4], [25, 18]], tokens=44, opened=(0, 1))
    given = qkv(guidance)
    mine, plain = run(engine, guidance, given), run(engine, None, given)
    assert all(torch.equal(a, b) for a, b in zip(mine, plain, strict=True))
    assert torch.equal(mine[4], torch.zeros(5))


def test_dense_open_is_torchs_own_attention_bit_for_bit(qkv, graph):
    guidance = graph([[9, 30, 4], [25, 7]], tokens=44, opened=(0, 1))
    q, k, v, _ = qkv(guidance)
    mask = (guidance.nodes >= 0)[:, None, None, :].expand(-1, -1, 44, -1)
    stock = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    mine = guided_attention(q, k, v, guidance, torch.ones(5), scale=32**-0.5, engine="dense")
    real = (guidance.nodes >= 0)[:, None, :, None].expand_as(mine)
    assert torch.equal(mine[real], stock[real])


@pytest.mark.parametrize("engine", ENGINES)
def test_the_codes_decide_whatever_the_open_flag_says(layouts, qkv, engine):
    guided = layouts["padding"]
    flagged = Guidance(guided.nodes, guided.table, torch.ones_like(guided.open))
    given = qkv(guided)
    wanted = run("reference", guided, given)
    close(run(engine, flagged, given), wanted, tolerance=3e-5)


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_an_open_patent_beside_a_guided_one_keeps_its_bits(layouts, qkv, engine):
    mixed = layouts["open and guided"]
    given = qkv(mixed)
    alone = Guidance(mixed.nodes[1:2], mixed.table[1:2], mixed.open[1:2])
    mine, single = run(engine, mixed, given), run(engine, alone, [x[1:2] for x in given])
    for a, b in zip(mine[:4], single[:4], strict=True):
        torch.testing.assert_close(a[1:2], b, rtol=0, atol=0 if engine == "dense" else 1e-6)


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_padding_sees_nothing_and_is_not_seen(layouts, qkv, engine):
    guidance = layouts["padding"]
    q, k, v, grad = qkv(guidance)
    padded = guidance.nodes < 0
    out, dq, dk, dv, _ = run(engine, guidance, (q, k, v, grad))
    for x in (out, dq, dk, dv):
        assert x.transpose(1, 2)[padded].abs().max() == 0
    k, v = (x.masked_fill(padded[:, None, :, None], 50.0) for x in (k, v))  # real ones: about 1
    again = run(engine, guidance, (q, k, v, grad))[0]
    torch.testing.assert_close(again, out, rtol=0, atol=0)


@pytest.mark.parametrize("engine", ["reference", "dense"])
def test_gradients_by_finite_differences(graph, qkv, engine):
    guidance = graph([[3, 2, 2], [4, 1]], tokens=9, seed=2)
    q, k, v, _ = qkv(guidance, width=4, dtype=torch.float64)
    bias = torch.tensor(BIAS, dtype=torch.float64)
    for window in (None, 2):
        assert torch.autograd.gradcheck(
            lambda q, k, v, b, window=window: guided_attention(
                q, k, v, guidance, b, scale=0.5, window=window, engine=engine
            ),
            [x.requires_grad_() for x in (q, k, v, bias)],
        )


@pytest.mark.parametrize("window", [None, 9])
def test_dropout_is_the_same_in_reference_and_dense(layout, qkv, window):
    given = qkv(layout)
    results = []
    for engine in ("reference", "dense"):
        torch.manual_seed(11)
        results.append(run(engine, layout, given, dropout=0.25, window=window))
    close(results[1], results[0], tolerance=3e-5)


def test_dropout_follows_the_seed(layouts, qkv):
    given = qkv(layouts["three claims"])

    def out(seed):
        torch.manual_seed(seed)
        return run("dense", layouts["three claims"], given, dropout=0.5)[0]

    assert torch.equal(out(1), out(1))
    assert not torch.equal(out(1), out(2))


def test_dropout_keeps_the_mean(graph, qkv):
    guidance = graph([[40]], tokens=41, opened=(0,))
    q, k, v, _ = qkv(guidance, heads=64)
    kwargs = {"scale": 32**-0.5, "engine": "dense"}
    torch.manual_seed(0)
    dropped = guided_attention(q * 0, k, v * 0 + 1, guidance, torch.ones(5), dropout=0.3, **kwargs)
    assert abs(dropped.mean().item() - 1.0) < 0.02


def test_operators_are_sound_for_compilation(layouts, qkv):
    guidance = layouts["padding"]
    q, k, v, _ = qkv(guidance)
    inputs = [x.detach().requires_grad_() for x in (q, k, v)]
    torch.library.opcheck(
        torch.ops.phage.dense_attention.default,
        (*inputs, guidance.nodes, guidance.table, guidance.open,
         torch.tensor(BIAS, requires_grad=True), torch.zeros((), dtype=torch.int64), 0.2, 0.0, -1),
    )  # fmt: skip


def test_auto_takes_dense_where_there_is_no_gpu():
    assert choose(Engine.AUTO, torch.device("cpu")) is Engine.DENSE


def test_the_kernel_refuses_dropout():
    with pytest.raises(PhageError, match="not support attention dropout"):
        choose(Engine.KERNEL, torch.device("cuda"), dropout=0.1)


def test_auto_says_once_that_dropout_costs_the_kernel(monkeypatch):
    monkeypatch.setattr("phage.attention.engine.kernel_installed", lambda: True)
    with pytest.warns(UserWarning, match="which the kernel does not support"):
        assert choose(Engine.AUTO, torch.device("cuda"), dropout=0.125) is Engine.DENSE


def test_without_triton_there_is_no_import_error(monkeypatch):
    monkeypatch.setattr("phage.attention.engine.kernel_installed", lambda: False)
    with pytest.warns(UserWarning, match="Triton is not installed"):
        assert choose(Engine.AUTO, torch.device("cuda")) is Engine.DENSE
    with pytest.raises(PhageError, match="triton"):
        choose(Engine.KERNEL, torch.device("cuda"))


def test_the_kernel_says_what_it_cannot_do(layouts, qkv, monkeypatch):
    given = qkv(layouts["three claims"], dtype=torch.float64)
    with pytest.raises(PhageError, match="float64"):
        run("kernel", layouts["three claims"], given)
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    with pytest.raises(PhageError, match="on the CPU"):
        choose(Engine.KERNEL, torch.device("cpu"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_any_scale(layouts, qkv, engine, scale):
    """Queries that see nothing are told from queries with small scores, however these are scaled."""
    guidance, bias = layouts["padding"], torch.tensor(BIAS)
    q, k, v, _ = qkv(guidance)
    device = "cuda" if engine == "kernel" and torch.cuda.is_available() else "cpu"
    given = [x.to(device) for x in (q, k, v)]
    mine = guided_attention(
        *given, guidance.to(device), bias.to(device), scale=scale, engine=engine, window=9
    ).cpu()
    theirs = guided_attention(
        q, k, v, guidance, bias, scale=scale, engine="reference", window=9
    )  # fmt: skip
    torch.testing.assert_close(mine, theirs, rtol=0, atol=3e-5)
    assert mine.transpose(1, 2)[guidance.nodes < 0].abs().max() == 0


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_a_copy_with_another_table_is_its_own(layouts, qkv, engine):
    """Whatever an engine keeps with a Guidance must not follow its fields into a copy."""
    first = layouts["three claims"]
    given = qkv(first)
    before = run(engine, first, given)[0]
    table = first.table.clone()
    table[:, 3, 1:3] = int(Code.CLOSED)
    copied = run(engine, dataclasses.replace(first, table=table), given)[0]
    afresh = run(engine, Guidance(first.nodes, table, first.open), given)[0]
    assert torch.equal(copied, afresh)
    assert not torch.equal(copied, before)


def test_threads_share_rows_without_changing_a_bit(layouts, qkv):
    guidance = layouts["open and guided"]
    given = qkv(guidance)
    before = torch.get_num_threads()
    results = []
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            results.append(run("dense", guidance, given))
            assert torch.get_num_threads() == count
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("engine", ["reference", *ENGINES])
def test_autocast_does_not_reach_into_the_engines(layouts, qkv, engine):
    given = qkv(layouts["padding"])
    wanted = run(engine, layouts["padding"], given)
    with torch.autocast("cpu", torch.bfloat16):
        mine = run(engine, layouts["padding"], given)
    few = (
        1 if engine == "reference" else 5
    )  # its backward is autograd's, which is not ours to steer
    assert all(torch.equal(a, b) for a, b in zip(mine[:few], wanted[:few], strict=True))


def test_a_plan_moves_with_its_guidance(layouts, qkv):
    """The loader plans on the CPU; on the device nothing is planned again."""
    from phage.attention import tiles

    first = Guidance(*(getattr(layouts["ragged"], name) for name in ("nodes", "table", "open")))
    made = tiles.plan(first, torch.float32)
    moved = first.to("cpu")
    (kept,) = moved.plans.values()
    assert all(torch.equal(a, b) for a, b in zip(kept.tensors(), made.tensors(), strict=True))
    assert tiles.plan(moved, torch.float32) is kept
    given = qkv(first)
    ours, theirs = (run("kernel", guidance, given) for guidance in (moved, layouts["ragged"]))
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("window", [None, 20])
def test_no_open_pair_lies_outside_the_listed_tiles(layout, window):
    from phage.attention import tiles

    made = tiles._plan(layout, torch.float32, window)
    tokens = layout.nodes.shape[1]
    place = torch.arange(tokens)
    open_pairs = layout.codes() >= 0
    if window is not None:
        open_pairs &= (place[:, None] - place).abs() <= window
    row, query, key = open_pairs.nonzero().unbind(1)
    alone = made.nodes[row, query] < 0
    home = torch.where(alone, made.keys.shape[1] - 1, query // tiles.TILE)
    pairs = (
        (made.keys, made.key_counts, home, key // tiles.FORWARD),
        (made.back_keys, made.back_counts, home, key // tiles.BACKWARD),
        (made.queries, made.query_counts, key // tiles.TILE, query // tiles.STEP),
    )
    for listed, counts, home, wanted in pairs:
        held = torch.arange(listed.shape[2]) < counts[row, home][:, None]
        assert ((listed[row, home] == wanted[:, None]) & held).any(1).all()


STEPS = {"coarse": (64, 64, 64, 0), "fine": (32, 32, 32, 16), "mixed": (32, 64, 32, 0)}
"""Queries a step; keys a step of the forward and of the backward pass; readers apart."""


@pytest.mark.parametrize(
    "steps",
    [
        "fine",
        pytest.param("coarse", marks=pytest.mark.slow),
        pytest.param("mixed", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("window", [None, 20])
def test_steps_of_any_length_give_the_same(layout, qkv, steps, window, monkeypatch):
    from phage.attention import tiles, triton_op

    given, wanted = qkv(layout), None
    for chosen in (None, STEPS[steps]):
        for name, value in zip(
            ("STEP", "FORWARD", "BACKWARD", "READERS"), chosen or (), strict=False
        ):
            monkeypatch.setattr(tiles, name, value)
            monkeypatch.setattr(triton_op, name, value)
        afresh = Guidance(layout.nodes, layout.table, layout.open)
        found = run("kernel", afresh, given, window=window)
        wanted = wanted or found
    close(found, wanted, tolerance=3e-5)


def test_only_cls_is_read_apart(layouts):
    from phage.attention import tiles

    made = tiles._plan(layouts["open and guided"], torch.float32, None)
    assert made.apart[:, :2].tolist() == [[0, 64], [64, 64], [0, 64]]
    assert (made.nodes < 0).sum() == 2
    packed = tiles._plan(packed_guidance(20), torch.float32, None)
    assert packed.apart.tolist() == [[3 * place for place in range(16)]]  # more stay in their tiles


def packed_guidance(count):
    """One row of patents of [CLS] and a claim of two tokens each."""
    nodes = torch.arange(2 * count).view(-1, 2)[:, [0, 1, 1]].reshape(1, -1).int()
    cls, claim = Code.FREE, Code.SELF
    table = torch.block_diag(*[torch.tensor([[cls, cls], [-1, claim]]) + 1] * count) - 1
    return Guidance(nodes, table[None].to(torch.int8), torch.tensor([False]))


def test_many_patents_in_a_row(qkv):
    guidance = packed_guidance(24)
    given = qkv(guidance)
    close(run("kernel", guidance, given), run("reference", guidance, given), tolerance=3e-5)

"""The paper's five-claim example, its mask and bias written out by hand.

C2 and C3 depend on C1, C4 and C5 on C3. One token per claim but for C1 and C3, which have two;
the final [SEP] goes with C5, and one place is padding."""

from __future__ import annotations

import pytest
import torch

from phage.attention import Code, Guidance, Layout, collate, guided_attention
from phage.attention.bias import RelationBias
from phage.attention.reference import mask_and_bias
from phage.graph.types import ClaimGraph, Edge, Relation
from phage.projection import Kept, Projection, relation_table

TREE = ClaimGraph(
    "US1A",
    (1, 2, 3, 4, 5),
    (
        Edge(1, 2, Relation.CITE),
        Edge(1, 3, Relation.CITE),
        Edge(3, 4, Relation.CITE),
        Edge(3, 5, Relation.CITE),
    ),
)
MIXED = ClaimGraph(
    "US1A",
    TREE.claims,
    (
        Edge(1, 2, Relation.CITE),
        Edge(1, 3, Relation.TERM),
        Edge(3, 4, Relation.FUNC),
        Edge(3, 5, Relation.BOTH),
    ),
)
OPEN_PAIRS = """
    # [CLS] C1 C1 C2 C3 C3 C4 C5 [SEP] [PAD]
      1     1  1  1  1  1  1  1  1     0
      0     1  1  0  0  0  0  0  0     0
      0     1  1  0  0  0  0  0  0     0
      0     1  1  1  0  0  0  0  0     0
      0     1  1  0  1  1  0  0  0     0
      0     1  1  0  1  1  0  0  0     0
      0     0  0  0  1  1  1  0  0     0
      0     0  0  0  1  1  0  1  1     0
      0     0  0  0  1  1  0  1  1     0
      0     0  0  0  0  0  0  0  0     0
"""
# Of the graph with one edge of each relation: s self, c cite, t term, f func, b both.
BIASES = """
    # [CLS] C1 C1 C2 C3 C3 C4 C5 [SEP] [PAD]
      .     .  .  .  .  .  .  .  .     .
      .     s  s  .  .  .  .  .  .     .
      .     s  s  .  .  .  .  .  .     .
      .     c  c  s  .  .  .  .  .     .
      .     t  t  .  s  s  .  .  .     .
      .     t  t  .  s  s  .  .  .     .
      .     .  .  .  f  f  s  .  .     .
      .     .  .  .  b  b  .  s  s     .
      .     .  .  .  b  b  .  s  s     .
      .     .  .  .  .  .  .  .  .     .
"""


def rows(drawing):
    return [line.split() for line in drawing.strip().splitlines() if "#" not in line]


def guidance_of(graph, kept=4) -> Guidance:
    import numpy as np

    numbers = graph.claims
    claims = np.array([-1, 0, 0, 1, 2, 2, 3, 4, 4], dtype=np.int32)
    ids = np.arange(9, dtype=np.int32)
    table = relation_table(numbers, graph)
    one = Projection("US1A", ids, claims, numbers, table, Kept(5, 5, kept, kept, int(kept == 0)))
    return collate([one], Layout(pad=0, multiple=10)).guidance


@pytest.fixture
def q():
    return torch.zeros(1, 1, 10, 4)


def test_the_mask_is_the_one_written_by_hand(q):
    mask, _ = mask_and_bias(guidance_of(TREE), torch.ones(5), q)
    wanted = torch.tensor([[int(cell) for cell in row] for row in rows(OPEN_PAIRS)])
    assert torch.equal(torch.isfinite(mask[0, 0]).long(), wanted)
    assert torch.equal(torch.isneginf(mask[0, 0]).long(), 1 - wanted)


def test_the_bias_is_the_one_written_by_hand(q):
    values = {"s": 1.0, "c": 2.0, "t": 3.0, "f": 4.0, "b": 5.0, ".": 0.0}
    _, bias = mask_and_bias(guidance_of(MIXED), torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]), q)
    wanted = torch.tensor([[values[cell] for cell in row] for row in rows(BIASES)])
    assert torch.equal(bias[0, 0], wanted)


@pytest.mark.parametrize("engine", ["reference", "dense"])
def test_every_engine_attends_by_that_mask(q, engine):
    """With all scores equal and all biases equal, a query averages the values it may see."""
    seen = torch.tensor([[float(cell) for cell in row] for row in rows(OPEN_PAIRS)])
    values = torch.randn(1, 1, 10, 4, generator=torch.Generator().manual_seed(0))
    out = guided_attention(
        q, q, values, guidance_of(TREE), torch.full((5,), 0.6931), scale=1.0, engine=engine
    )
    wanted = (seen / seen.sum(-1, keepdim=True).clamp_min(1)) @ values[0, 0]
    torch.testing.assert_close(out[0, 0], wanted)


def test_the_cls_row_comes_first_and_its_column_second():
    table = guidance_of(TREE).table[0]
    assert (table[0] == Code.FREE).all()
    assert (table[1:, 0] == Code.CLOSED).all()


def test_without_an_edge_every_pair_is_open_and_no_bias_is_added(q):
    edgeless = ClaimGraph("US1A", TREE.claims)
    guidance = guidance_of(edgeless, kept=0)
    assert guidance.open.all() and (guidance.table == Code.FREE).all()
    mask, bias = mask_and_bias(guidance, torch.ones(5), q)
    assert torch.isfinite(mask[0, 0, :9, :9]).all() and not bias.any()
    assert torch.isneginf(mask[0, 0, :, 9]).all(), "padding stays closed"


def test_a_bias_is_the_softplus_of_its_scalar_also_away_from_zero():
    bias = RelationBias()
    raw = torch.tensor([-20.0, -2.0, 0.0, 1.0, 3.0])
    with torch.no_grad():
        bias.raw.copy_(raw)
    torch.testing.assert_close(bias(), torch.log1p(torch.exp(raw)), rtol=1e-5, atol=1e-10)
    assert (bias() > 0).all()
    bias().sum().backward()
    torch.testing.assert_close(bias.raw.grad, torch.sigmoid(raw))

"""Batches: padding, packing, and that packed patents get the vectors they get alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from phage.attention import Code, Layout, buckets, collate, guide
from phage.attention.packing import pack
from phage.errors import PhageError
from phage.projection import Kept, Projection


def projection(lengths, *, seed, edges=0.5):
    """A patent of random tokens: claims of these lengths, edges at random, [SEP] in the last."""
    chance = np.random.default_rng(seed)
    n = len(lengths)
    claims = np.repeat(np.arange(n), lengths)
    claims = np.concatenate(([-1], claims, claims[-1:])).astype(np.int32)
    linked = np.tril(chance.random((n, n)) < edges, -1)
    relations = np.where(linked, chance.integers(1, 5, (n, n)), 0).astype(np.int8)
    count = int(np.count_nonzero(relations))
    ids = np.concatenate(([1], chance.integers(5, 99, len(claims) - 2), [2])).astype(np.int32)
    kept = Kept(n, n, count, count, int(count == 0))
    return Projection(f"US{seed}A", ids, claims, tuple(range(1, n + 1)), relations, kept)


PATENTS = [
    projection([9, 5, 20], seed=1),
    projection([30], seed=2),  # open
    projection([4, 4, 4, 4, 7], seed=3),
    projection([12, 3], seed=4, edges=1.0),
    projection([6, 6], seed=5, edges=0.0),  # open
]


def layout_for(model, row=None, **more):
    class Tokenizer:
        pad_token_id = 0

    return Layout.of(model, Tokenizer(), row=row, **more)


def test_packed_patents_get_the_vectors_they_get_alone(model):
    guide(model)
    alone = [collate([patent], layout_for(model)) for patent in PATENTS]
    packed = collate(PATENTS, layout_for(model, row=64))
    padded = collate(PATENTS, layout_for(model))
    assert packed.input_ids.shape[0] < len(PATENTS)
    for batch in (packed, padded):
        hidden = model(**batch.inputs()).last_hidden_state
        documents, claims = batch.documents(hidden), batch.claims(hidden)
        for index, single in enumerate(alone):
            own = model(**single.inputs()).last_hidden_state
            torch.testing.assert_close(
                documents[index], single.documents(own)[0], rtol=1e-4, atol=2e-5
            )
            torch.testing.assert_close(
                claims[batch.owner == index], single.claims(own)[0], rtol=1e-4, atol=2e-5
            )


def test_rounding_the_number_of_nodes_changes_no_vector(model):
    guide(model)
    few, many = (collate(PATENTS, layout_for(model, nodes=nodes)) for nodes in (1, 32))
    assert many.owner.shape[1] == many.guidance.table.shape[1] == 32 > few.owner.shape[1]
    mine, theirs = (model(**batch.inputs()).last_hidden_state for batch in (many, few))
    assert torch.equal(mine[many.attention_mask > 0], theirs[few.attention_mask > 0])


def test_unguided_packed_patents_do_not_see_each_other(model):
    guide(model)
    packed, padded = (collate(PATENTS, layout_for(model, row=row)) for row in (64, None))
    mine, plain = (
        batch.documents(model(**batch.inputs(guided=False)).last_hidden_state)
        for batch in (packed, padded)
    )
    assert "guidance" not in padded.inputs(guided=False)
    torch.testing.assert_close(mine, plain, rtol=1e-4, atol=2e-5)


def test_packed_and_padded_give_the_same_gradients(model):
    guide(model)

    def gradients(batch):
        model.zero_grad()
        hidden = model(**batch.inputs()).last_hidden_state
        weight = torch.randn(len(PATENTS), 64, generator=torch.Generator().manual_seed(0))
        (batch.documents(hidden) * weight).sum().backward()
        return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])

    packed = gradients(collate(PATENTS, layout_for(model, row=64)))
    padded = gradients(collate(PATENTS, layout_for(model)))
    torch.testing.assert_close(packed, padded, rtol=1e-3, atol=1e-3)


def test_layout_of_a_padded_batch(build):
    batch = collate(PATENTS, layout_for(build("bert"), multiple=8))
    assert batch.input_ids.shape == (5, 40)
    assert batch.position_ids is None
    assert batch.attention_mask.sum(1).tolist() == [len(patent) for patent in PATENTS]
    assert torch.equal(batch.attention_mask.bool(), batch.guidance.nodes >= 0)
    assert batch.guidance.open.tolist() == [False, True, False, False, True]
    assert batch.cls.tolist() == [[row, 0] for row in range(5)]
    assert (batch.owner[0] >= 0).sum() == 4


def test_packed_rows_hold_unconnected_patents(build):
    batch = collate(PATENTS, layout_for(build("bert"), row=64))
    table, owner = batch.guidance.table, batch.owner
    foreign = owner[:, :, None] != owner[:, None, :]
    assert (table[foreign] == Code.CLOSED).all()
    for row, column in batch.cls.tolist():
        assert batch.input_ids[row, column] == 1
        assert batch.position_ids[row, column] == 0


def test_roberta_positions_start_behind_the_padding_id(build):
    batch = collate(PATENTS, layout_for(build("roberta"), row=64))
    row, column = batch.cls[0].tolist()
    assert batch.position_ids[row, column] == 1  # padding id 0 in the tiny model


def test_claims_are_means_over_their_tokens(build):
    batch = collate(PATENTS[:1], layout_for(build("bert")))
    hidden = torch.randn(*batch.input_ids.shape, 3)
    means = batch.claims(hidden)[0]
    torch.testing.assert_close(means[0], hidden[0, 0])
    torch.testing.assert_close(means[1], hidden[0, 1:10].mean(0))
    torch.testing.assert_close(means[3], hidden[0, 15:36].mean(0))  # with [SEP]


def test_moving_a_batch_moves_all_of_it(build):
    batch = collate(PATENTS, layout_for(build("bert"), row=64)).to("meta")
    moved = [batch.input_ids, batch.attention_mask, batch.position_ids, batch.cls, batch.owner]
    moved += [batch.guidance.nodes, batch.guidance.table, batch.guidance.open]
    assert {tensor.device.type for tensor in moved} == {"meta"}


def test_a_patent_longer_than_a_row_is_an_error():
    with pytest.raises(PhageError, match="a row holds 16"):
        pack([4, 17], 16)


def waste(lengths, rows):
    """Say which share of a batch's tokens is padding, its rows being as long as the longest."""
    filled = [sum(lengths[index] for index in row) for row in rows]
    return 1 - sum(filled) / (max(filled) * len(filled))


def test_rows_are_filled_and_nobody_is_lost():
    lengths = np.random.default_rng(0).integers(10, 500, 300).tolist()
    rows = pack(lengths, 512)
    assert sorted(index for row in rows for index in row) == list(range(300))
    assert all(sum(lengths[index] for index in row) <= 512 for row in rows)
    assert len(rows) <= 1.05 * sum(lengths) / 512
    assert waste(lengths, rows) < 0.06


def test_buckets_are_alike_and_shuffled_by_seed():
    lengths = np.random.default_rng(1).integers(10, 500, 130).tolist()
    first, second, other = (buckets(lengths, 8, seed=seed) for seed in (1, 1, 2))
    assert first == second != other
    assert sorted(index for group in first for index in group) == list(range(130))
    mixed = [list(range(at, min(at + 8, 130))) for at in range(0, 130, 8)]

    def padding(groups):
        return np.mean([waste(lengths, [[index] for index in group]) for group in groups])

    assert padding(first) < 0.1 < padding(mixed)

"""The losses against numbers worked out with plain arithmetic, and their gradients."""

import math

import pytest
import torch

from phage.objective import (
    claim_loss,
    claim_loss_others,
    claim_means,
    document_loss,
    in_batch_loss,
)


def cosine(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return dot / math.sqrt(sum(x * x for x in a)) / math.sqrt(sum(y * y for y in b))


def claim_loss_by_hand(claims, edges, weights, temperature):
    """Equations of section 3.3, one sum after the other; edges are (source, target, relation)."""
    if not edges:
        return 0.0
    total = 0.0
    for source, target, relation in edges:
        scores = {
            k: math.exp(cosine(claims[source], claims[k]) / temperature)
            for k in range(len(claims))
            if k != source
        }
        total += weights[relation] * -math.log(scores[target] / sum(scores.values()))
    return total / len(edges)


def test_document_loss_by_hand():
    anchor = [[1.0, 2.0, 0.5], [0.0, 1.0, 0.0]]
    near = [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    far = [[-1.0, 0.5, 2.0], [0.5, 2.0, 0.1]]
    got = document_loss(*map(torch.tensor, (anchor, near, far)), 0.05)
    for index in range(2):
        plus = math.exp(cosine(anchor[index], near[index]) / 0.05)
        minus = math.exp(cosine(anchor[index], far[index]) / 0.05)
        assert got[index].item() == pytest.approx(-math.log(plus / (plus + minus)), rel=1e-4)


def test_document_loss_is_exact_far_out():
    one = torch.tensor([[1.0, 0.0]])
    assert document_loss(one, -one, one, 0.05).item() == pytest.approx(40.0)
    assert document_loss(one, one, -one, 0.05).item() == pytest.approx(math.exp(-40), rel=1e-4)


@pytest.mark.parametrize("temperature", [0.05, 1.0])
def test_claim_loss_by_hand_with_padding(temperature):
    torch.manual_seed(0)
    sizes, count = [5, 1, 3, 2], 6
    edges = [
        [(0, 1, 1), (0, 2, 1), (1, 3, 2), (2, 4, 3), (0, 4, 4)],
        [],
        [(0, 1, 3), (1, 2, 3)],
        [(0, 1, 1)],
    ]
    weights = torch.tensor([0.7, 0.2, 0.9, 0.4])
    means = torch.randn(len(sizes), count, 8)
    relations = torch.zeros(len(sizes), count, count, dtype=torch.int8)
    present = torch.zeros(len(sizes), count, dtype=torch.bool)
    for patent, size in enumerate(sizes):
        present[patent, :size] = True
        for source, target, relation in edges[patent]:
            relations[patent, target, source] = relation
    got = claim_loss(means, relations, present, weights, temperature)
    table = {index + 1: weight for index, weight in enumerate(weights.tolist())}
    for patent, size in enumerate(sizes):
        claims = means[patent, :size].tolist()
        want = claim_loss_by_hand(claims, edges[patent], table, temperature)
        assert got[patent].item() == pytest.approx(want, rel=1e-4, abs=1e-6)
    assert got[1] == 0  # no edge
    assert got[3].abs() < 1e-6  # two claims: the denominator holds the positive alone


def test_claim_loss_gradients():
    torch.manual_seed(1)
    means = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.rand(4, dtype=torch.float64, requires_grad=True)
    relations = torch.zeros(2, 4, 4, dtype=torch.int8)
    relations[0, 1, 0], relations[0, 2, 0], relations[0, 2, 1], relations[0, 3, 2] = 1, 2, 3, 4
    present = torch.tensor([[True] * 4, [True, False, False, False]])
    call = lambda m, w: claim_loss(m, relations, present, w, 0.5)
    assert torch.autograd.gradcheck(call, (means, weights))
    (of_means,) = torch.autograd.grad(call(means, weights).sum(), means)
    assert torch.isfinite(of_means).all()
    assert (of_means[1] == 0).all()  # a patent without edges moves nothing


def test_claim_loss_others_by_hand():
    torch.manual_seed(2)
    means = torch.randn(3, 2, 4)
    relations = torch.zeros(3, 2, 2, dtype=torch.int8)
    relations[0, 1, 0] = relations[2, 1, 0] = 2
    present = torch.tensor([[True, True], [True, False], [True, True]])
    owner = torch.tensor([7, 8, 7])  # rows 0 and 2 are the same patent, drawn twice
    weights = torch.tensor([1.0, 0.3, 1.0, 1.0])
    got = claim_loss_others(means, relations, present, weights, owner, 0.1)
    first, second = means[0].tolist()
    foreign = means[1, 0].tolist()
    plus, minus = (math.exp(cosine(first, other) / 0.1) for other in (second, foreign))
    assert got[0].item() == pytest.approx(0.3 * -math.log(plus / (plus + minus)), rel=1e-4)
    assert got[1] == 0


def test_claim_means_ignore_cls_and_padding():
    states = torch.arange(12.0).reshape(1, 6, 2)
    means = claim_means(states, torch.tensor([[-1, 0, 0, 2, 2, -1]]), 4)
    assert means.tolist() == [[[3.0, 4.0], [0.0, 0.0], [7.0, 8.0], [0.0, 0.0]]]


def test_losses_are_fp32_inside_autocast():
    torch.manual_seed(3)
    states = torch.randn(2, 6, 16, dtype=torch.bfloat16)
    claims = torch.tensor([[-1, 0, 0, 1, 2, 2], [-1, 0, 1, 1, 1, -1]])
    relations = torch.zeros(2, 3, 3, dtype=torch.int8)
    relations[:, 1, 0] = 1
    present = torch.tensor([[True] * 3, [True, True, False]])

    def loss():
        return claim_loss(claim_means(states, claims, 3), relations, present, torch.ones(4))

    plain = loss()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(loss(), plain)
        vectors = torch.randn(3, 2, 16)
        labels = torch.tensor([0, 1])
        other = torch.tensor([0, 1, 2, 3])
        inside = in_batch_loss(vectors[0], vectors[1:].flatten(0, 1), labels, other)
    assert inside.dtype == plain.dtype == torch.float32
    assert torch.equal(inside, in_batch_loss(vectors[0], vectors[1:].flatten(0, 1), labels, other))


def test_in_batch_masks_the_same_class():
    torch.manual_seed(4)
    anchor, candidates = torch.randn(2, 5), torch.randn(4, 5)
    labels, others = torch.tensor([0, 1]), torch.tensor([0, 1, 0, 2])
    got = in_batch_loss(anchor, candidates, labels, others, 0.5)
    for row, allowed in enumerate([[0, 1, 3], [1, 0, 2, 3]]):  # the positive first
        scores = [
            math.exp(cosine(anchor[row].tolist(), candidates[k].tolist()) / 0.5) for k in allowed
        ]
        assert got[row].item() == pytest.approx(-math.log(scores[0] / sum(scores)), rel=1e-4)

"""The dual-granularity objective: patents by IPC, claims by the graph (section 3.3).

In:   [CLS] vectors of triplets; token states of patents with their claims and relations.
Out:  losses in fp32, one number per triplet or per patent, differentiable.
Why:  pure functions of tensors, so that each equation of the paper can be checked by hand.

Letters: B triplets or patents, T tokens, D width, n claims. A relation matrix holds at ``[i, j]``
the number of the relation by which claim i leans on claim j: 1 cite, 2 term, 3 func, 4 both,
and 0 for no relation (the order of ``phage.graph.Relation``)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

RELATIONS = 4


def document_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, temperature: float = 0.05
) -> Tensor:
    """Contrast one positive with one negative per anchor: (B, D) three times → (B,).

    −log(exp(s⁺/τ) / (exp(s⁺/τ) + exp(s⁻/τ))) is −log σ((s⁺ − s⁻)/τ). Here s⁺ = 0.6, s⁻ = 0 and
    τ = 1: log(1 + exp(−0.6)) = 0.4375.

    >>> one = torch.tensor([[1.0, 0.0]])
    >>> document_loss(one, torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 2.0]]), 1.0)
    tensor([0.4375])
    """
    near = F.cosine_similarity(_precise(anchor), _precise(positive), dim=-1)  # (B,)
    far = F.cosine_similarity(_precise(anchor), _precise(negative), dim=-1)  # (B,)
    return -F.logsigmoid((near - far) / temperature)


def in_batch_loss(
    anchor: Tensor, candidates: Tensor, labels: Tensor, others: Tensor, temperature: float = 0.05
) -> Tensor:
    """Contrast each anchor's positive with all candidates of another class.

    ``candidates`` (M, D), M ≥ B: row i < B is the positive of anchor i. ``labels`` (B,) and
    ``others`` (M,) are the classes; a candidate of the anchor's own class is not a negative.
    With one positive and one negative it is the document loss:

    >>> one = torch.tensor([[1.0, 0.0]])
    >>> pair = torch.tensor([[3.0, 4.0], [0.0, 2.0]])
    >>> in_batch_loss(one, pair, torch.tensor([7]), torch.tensor([7, 8]), 1.0)
    tensor([0.4375])

    A candidate of the same class does not count, so nothing is left to contrast with:

    >>> in_batch_loss(one, pair, torch.tensor([7]), torch.tensor([7, 7]), 1.0).abs()
    tensor([0.])
    """
    logits = _product(_unit(anchor), _unit(candidates).mT) / temperature  # (B, M)
    own = torch.eye(*logits.shape, dtype=torch.bool, device=logits.device)
    same = labels[:, None] == others[None, :]
    logits = logits.masked_fill(same & ~own, -torch.inf)
    return torch.logsumexp(logits, dim=1) - logits.diagonal()


def contrast(vectors: Tensor, targets: Tensor, closed: Tensor, temperature: float = 0.05) -> Tensor:
    """Contrast every row with all others; it may have several positives: (N, D) → (N,).

    ``targets`` (N, N) holds the weights of each row's positives. ``closed`` (N, N) marks the pairs
    that are left out. −Σ t log softmax(s/τ) / Σ t; a row without a positive gives zero. Row 1 has
    cosine 0.6 with its positive and 0 with the rest, τ = 1: log(1 + exp(−0.6)) = 0.4375.

    >>> rows = torch.tensor([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0]])
    >>> targets = torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> contrast(rows, targets, torch.eye(3, dtype=torch.bool), 1.0)
    tensor([0.4375, 0.0000, 0.0000])
    """
    unit = _unit(vectors)
    logits = (_product(unit, unit.mT) / temperature).masked_fill(closed, _FLOOR)
    weights = targets.masked_fill(closed, 0.0)
    terms = (weights * -torch.log_softmax(logits, dim=1)).sum(1)
    return terms / weights.sum(1).clamp_min(1e-9)


def distill_loss(
    rows: Tensor,
    columns: Tensor,
    teacher: Tensor,
    closed: Tensor,
    temperatures: tuple[float, float] = (0.05, 0.05),
) -> Tensor:
    """Learn a teacher's neighbours: (N, D), (N, D), (N, D′), (N, N) → (N,).

    ``rows`` and ``columns`` are vectors of the same patents, perhaps of two readings. The term is
    the divergence of softmax(cosines / τ) from softmax(products of the teacher's vectors / τ′);
    pairs in ``closed`` are left out. It is zero where both agree:

    >>> rows = torch.tensor([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> distill_loss(2 * rows, rows, rows, torch.eye(3, dtype=torch.bool), (1.0, 1.0)).abs()
    tensor([0., 0., 0.])
    """
    own = _product(_unit(rows), _unit(columns).mT) / temperatures[0]
    wanted = _product(_precise(teacher), _precise(teacher).mT) / temperatures[1]
    now, then = (
        torch.log_softmax(scores.masked_fill(closed, _FLOOR), dim=1) for scores in (own, wanted)
    )
    return F.kl_div(now, then, reduction="none", log_target=True).sum(1)


def classify_loss(
    vectors: Tensor, classes: Tensor, labels: Tensor, temperature: float = 0.05
) -> Tensor:
    """Classify vectors by their cosine to one vector per class: (N, D), (C, D), (N,) → scalar.

    Labels are smoothed by 0.05, so that no class has to be infinitely far; −1 is left out. Cosines
    1 and 0, τ = 1: −(0.975 · log σ(1) + 0.025 · log σ(−1)) = 0.3383.

    >>> classify_loss(torch.tensor([[2.0, 0.0]]), torch.eye(2), torch.tensor([0]), 1.0)
    tensor(0.3383)
    """
    logits = _product(_unit(vectors), _unit(classes).mT) / temperature  # (N, C)
    return F.cross_entropy(logits, labels, ignore_index=-1, label_smoothing=0.05)


def claim_means(states: Tensor, claims: Tensor, count: int) -> Tensor:
    """Mean-pool token states per claim: (B, T, D), (B, T) → (B, n, D).

    ``claims`` is the claim of each token, −1 for [CLS] and padding. An empty claim is zero. One
    product with a 0/1 matrix: no scatter, so that gradients repeat bit for bit.

    >>> states = torch.tensor([[[9.0], [1.0], [3.0], [5.0]]])
    >>> claim_means(states, torch.tensor([[-1, 0, 0, 1]]), 2).tolist()
    [[[2.0], [5.0]]]
    """
    number = torch.arange(count, device=claims.device)
    states = _precise(states)
    member = (claims[:, None, :] == number[:, None]).to(states.dtype)  # (B, n, T)
    return _product(member, states) / member.sum(-1, keepdim=True).clamp_min(1.0)


def claim_loss(
    means: Tensor, relations: Tensor, present: Tensor, weights: Tensor, temperature: float = 0.05
) -> Tensor:
    """Pull connected claims together and the patent's other claims apart: → (B,).

    ``means`` (B, n, D), ``relations`` (B, n, n), ``present`` (B, n) bool, ``weights`` (4,). For an
    edge from j to i, the denominator runs over all claims of the patent except j. A patent without
    an edge gives zero. Three claims, one cite edge 1 → 2, τ_c = 1: S₁₂ = 1, S₁₃ = 0, so ℓ = log(e¹
    + e⁰) − 1 = 0.3133, times w_cite = 0.5.

    >>> means = torch.tensor([[[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]])
    >>> edge = torch.tensor([[[0, 0, 0], [1, 0, 0], [0, 0, 0]]])
    >>> weights = torch.tensor([0.5, 1.0, 1.0, 1.0])
    >>> claim_loss(means, edge, torch.ones(1, 3, dtype=torch.bool), weights, 1.0)
    tensor([0.1566])
    >>> claim_loss(means, edge * 0, torch.ones(1, 3, dtype=torch.bool), weights, 1.0)
    tensor([0.])
    """
    scores = _similarities(means, temperature)  # (B, n, n), [j, k]
    self = torch.eye(scores.shape[1], dtype=torch.bool, device=scores.device)
    closed = self | ~present[:, None, :]
    # A finite floor instead of −inf: the rows of absent claims must not become NaN.
    total = torch.logsumexp(scores.masked_fill(closed, _FLOOR), dim=-1)  # (B, n) over k ≠ j
    return _weighted(total[:, :, None] - scores, relations, weights)


def claim_loss_others(
    means: Tensor,
    relations: Tensor,
    present: Tensor,
    weights: Tensor,
    patents: Tensor,
    temperature: float = 0.05,
) -> Tensor:
    """Contrast connected claims with claims of other patents of the batch: → (B,).

    As ``claim_loss``, but the denominator holds the connected claim and all claims of the other
    patents; ``patents`` (B,) says which rows are the same patent. The paper's own negatives push a
    patent's claims apart; these do not. One edge 1 → 2 with S = 1 and one foreign claim at S = 0:

    >>> means = torch.tensor([[[1.0, 0.0], [2.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]])
    >>> edge = torch.tensor([[[0, 0], [1, 0]], [[0, 0], [0, 0]]])
    >>> present = torch.tensor([[True, True], [True, False]])
    >>> claim_loss_others(means, edge, present, torch.ones(4), torch.tensor([0, 1]), 1.0)
    tensor([0.3133, 0.0000])
    """
    batch, count, width = means.shape
    scores = _similarities(means, temperature)  # (B, n, n)
    # Only the M claims there are: B · n counts the widest patent's for all. One wait for the device.
    held = present.reshape(-1).nonzero().squeeze(1)  # (M,)
    unit = _unit(means).reshape(batch * count, width)[held]
    owner = patents.repeat_interleave(count)[held]
    foreign = _product(unit, unit.mT) / temperature  # (M, M)
    rest = torch.logsumexp(foreign.masked_fill(owner[:, None] == owner, _FLOOR), dim=-1)
    rest = scores.new_full((batch * count,), _FLOOR).index_copy(0, held, rest)
    rest = rest.reshape(batch, count, 1)  # over the foreign claims, per j
    return _weighted(torch.logaddexp(scores, rest) - scores, relations, weights)


_FLOOR = -1e9
"""Far below any similarity, far above −inf."""


def _precise(values: Tensor) -> Tensor:
    """Return fp32, or float64 where a test of gradients asks for it."""
    return values if values.dtype == torch.float64 else values.float()


def _unit(vectors: Tensor) -> Tensor:
    return F.normalize(_precise(vectors), dim=-1)


def _similarities(means: Tensor, temperature: float) -> Tensor:
    unit = _unit(means)
    return _product(unit, unit.mT) / temperature


def _product(left: Tensor, right: Tensor) -> Tensor:
    """Multiply in fp32, also inside an autocast region: at τ = 0.05 a bf16 cosine is off by 0.08."""
    with torch.autocast(left.device.type, enabled=False):
        return left @ right


def _weighted(terms: Tensor, relations: Tensor, weights: Tensor) -> Tensor:
    """Average ``w_r · terms[j, i]`` over a patent's edges; ``relations`` is [i, j]."""
    number = torch.arange(1, RELATIONS + 1, device=relations.device)
    kinds = relations[:, None] == number[:, None, None]  # (B, 4, n, n), [i, j]
    # where, not a product: a term of no edge may be infinite, and 0 · inf is NaN.
    sums = torch.where(kinds, terms.mT[:, None], 0.0).sum((2, 3))  # (B, 4)
    edges = kinds.sum((1, 2, 3)).clamp_min(1)  # (B,)
    return (sums * _precise(weights)).sum(-1) / edges

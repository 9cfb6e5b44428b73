"""Triplets → the tensors of one forward pass.

In:   (B, 3) patent indices.
Out:  Triplets: 3 B patents as rows (anchors, then positives, then negatives), their guidance as
      the recipe wants it, and where each patent's claims went.
Why:  the three members of a triplet go through the encoder together: one forward pass, not three.
      What an ablation takes away is taken away here, so attention and losses know of none."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.attention.batch import Batch, Layout, collate
from phage.attention.guidance import Code
from phage.graph.types import Relation
from phage.projection import CODES, Projection
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe
from phage.training.sampling import Indices

Moved = TypeVar("Moved")


@dataclass(frozen=True)
class Triplets:
    """P = 3 B patents of one forward pass."""

    batch: Batch
    labels: Tensor
    """(P,) class of each patent."""
    patents: Tensor
    """(P,) index of each patent in the training set."""
    relations: Tensor
    """(P, n, n) int8; the relation by which claim i leans on claim j, 0 for none."""
    slots: Tensor
    """(P, n) int64; where each claim stands among all nodes of all rows."""
    present: Tensor
    """(P, n) bool."""
    views: Batch | None = None
    """The anchors once more, where the recipe wants two views of them."""

    def to(self, device: torch.device) -> Triplets:
        """Move all of it, without waiting where the device allows."""
        return _each(self, lambda part: part.to(device, non_blocking=True))

    def pin_memory(self) -> Triplets:
        """Put all of it where the device can fetch it by itself."""
        return _each(self, lambda part: part.pin_memory())


@dataclass(frozen=True, eq=False)
class Maker:
    """Builds the batches of a run."""

    data: TrainingSet
    labels: NDArray[np.int32]
    recipe: Recipe
    layout: Layout

    def __call__(self, triplets: Indices) -> Triplets:
        """Lay out triplets: (B, 3) → one batch of 3 B patents."""
        patents = triplets.T.reshape(-1)  # anchors, positives, negatives
        used = frozenset(CODES[Relation(name)] for name in self.recipe.graph.relations)
        projections = [self.data.projection(int(index), used) for index in patents]
        batch = self._batch(projections)
        relations, present = stack_relations(projections)
        return Triplets(
            batch=batch,
            labels=torch.from_numpy(self.labels[patents].astype(np.int64)),
            patents=torch.from_numpy(patents.copy()),
            relations=relations,
            slots=claim_slots(batch.owner, relations.shape[1]),
            present=present,
            views=self._batch(projections[: len(triplets)]) if self.recipe.viewed else None,
        )

    def _batch(self, projections: list[Projection]) -> Batch:
        batch = collate(projections, self.layout)
        guide = self.recipe.guidance
        table = ablate(batch.guidance.table, batch.owner, mask=guide.mask, bias=guide.bias)
        return replace(batch, guidance=replace(batch.guidance, table=table))


def ablate(table: Tensor, owner: Tensor, *, mask: bool, bias: bool) -> Tensor:
    """Take mask or bias out of the codes (B, N, N): closed pairs open, biased ones become free.

    Pairs of different patents stay closed.

    >>> table = torch.tensor([[[5, 5, 5], [-1, 0, -1], [-1, 1, 0]]], dtype=torch.int8)
    >>> ablate(table, torch.zeros(1, 3, dtype=torch.int64), mask=False, bias=True).tolist()
    [[[5, 5, 5], [5, 0, 5], [5, 1, 0]]]
    >>> ablate(table, torch.zeros(1, 3, dtype=torch.int64), mask=True, bias=False).tolist()
    [[[5, 5, 5], [-1, 5, -1], [-1, 5, 5]]]
    """
    free = torch.full_like(table, int(Code.FREE))
    if not mask:
        same = (owner[:, :, None] == owner[:, None, :]) & (owner >= 0)[:, :, None]
        table = torch.where(same & (table == int(Code.CLOSED)), free, table)
    return table if bias else torch.where(table >= 0, free, table)


def stack_relations(projections: list[Projection]) -> tuple[Tensor, Tensor]:
    """Stack relation tables of different size: (P, n, n) and which claims are present (P, n)."""
    count = max(len(one.numbers) for one in projections)
    relations = torch.zeros(len(projections), count, count, dtype=torch.int8)
    present = torch.zeros(len(projections), count, dtype=torch.bool)
    for place, one in enumerate(projections):
        size = len(one.numbers)
        relations[place, :size, :size] = torch.from_numpy(one.relations)
        present[place, :size] = True
    return relations, present


def claim_slots(owner: Tensor, count: int) -> Tensor:
    """Find each patent's claims among the nodes (B, N) → (P, n) places in the flat (B · N).

    A patent's first node is its [CLS], its claims follow.

    >>> claim_slots(torch.tensor([[0, 0, 0], [1, 1, -1]]), 2).tolist()
    [[1, 2], [4, 5]]
    """
    flat = owner.reshape(-1)
    patents = int(flat.max()) + 1
    first = torch.full((patents,), flat.numel(), dtype=torch.int64)
    real = flat >= 0
    places = torch.arange(flat.numel())
    first.scatter_reduce_(0, flat[real], places[real], "amin")
    # Places behind a patent's last claim are never looked at; they only must exist.
    return (first[:, None] + 1 + torch.arange(count)).clamp_max(flat.numel() - 1)


def _each(whole: Moved, change: Any) -> Moved:  # noqa: ANN401  (tensors and batches alike)
    parts = {
        field.name: change(value)
        for field in fields(whole)  # type: ignore[arg-type]
        if (value := getattr(whole, field.name)) is not None
    }
    return replace(whole, **parts)  # type: ignore[type-var]

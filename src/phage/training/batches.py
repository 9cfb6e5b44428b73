"""Triplets → the tensors of one forward pass.

In:   (B, 3) patent indices.
Out:  Triplets: 3 B patents as rows (anchors, then positives, then negatives; 2 B where a recipe
      draws no negatives), their guidance as the recipe wants it, and where each patent's claims
      went.
Why:  the three members of a triplet go through the encoder together: one forward pass, not three.
      What an ablation takes away is taken away here, so attention and losses know of none."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.attention.batch import Batch, Layout, collate
from phage.attention.guidance import Code
from phage.errors import PhageError
from phage.graph.types import Relation
from phage.projection import CODES, Kept, Projection
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe
from phage.training.sampling import Indices, levels_of

Moved = TypeVar("Moved")


@dataclass(frozen=True)
class Triplets:
    """P = 3 B patents of one forward pass."""

    batch: Batch
    count: int
    """B, the anchors."""
    labels: Tensor
    """(P,) class of each patent."""
    levels: Tensor
    """(P, 5) its class at every IPC level, −1 where its code does not reach."""
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
    pairs: TrainingSet | None = None
    """The same patents with the edges of the claim loss, where these are others."""

    @cached_property
    def _levels(self) -> NDArray[np.int32]:
        return levels_of(self.data.codes)

    def __call__(self, triplets: Indices, seed: int = 0) -> Triplets:
        """Lay out triplets: (B, 3) → one batch of 3 B patents; ``seed`` draws parts of patents."""
        drawn = 2 if self.recipe.loss.negatives == "pairs" else 3
        patents = triplets[:, :drawn].T.reshape(-1)  # anchors, positives, negatives
        used = frozenset(CODES[Relation(name)] for name in self.recipe.graph.relations)
        projections = [self.data.projection(int(index), used) for index in patents]
        batch = self._batch(projections)
        aligned = projections
        if self.pairs is not None:
            aligned = [self.pairs.projection(int(index), used) for index in patents]
        relations, present = stack_relations(aligned)
        return Triplets(
            batch=batch,
            count=len(triplets),
            levels=torch.from_numpy(self._levels[patents].astype(np.int64)),
            labels=torch.from_numpy(self.labels[patents].astype(np.int64)),
            patents=torch.from_numpy(patents.copy()),
            relations=relations,
            slots=claim_slots(batch.owner, relations.shape[1]),
            present=present,
            views=self._views(projections[: len(triplets)], seed) if self.recipe.viewed else None,
        )

    def _views(self, anchors: list[Projection], seed: int) -> Batch:
        kind = self.recipe.loss.view
        if kind != "whole":
            chance = np.random.default_rng(seed)
            anchors = [part(one, chosen(len(one.numbers), kind, chance)) for one in anchors]
        return self._batch(anchors)

    def _batch(self, projections: list[Projection]) -> Batch:
        batch = collate(projections, self.layout)
        guide = self.recipe.guidance
        table = ablate(batch.guidance.table, batch.owner, mask=guide.mask, bias=guide.bias)
        return replace(batch, guidance=replace(batch.guidance, table=table))


def check_edges(data: TrainingSet, recipe: Recipe) -> None:
    """Refuse to learn from edges alone where the window left none."""
    used = [CODES[Relation(name)] for name in recipe.graph.relations]
    alone = recipe.aligned and not recipe.loss.document and not recipe.viewed
    if alone and not np.isin(data.edges[:, 2], used).any():
        raise PhageError(
            f"no edge is left between the claims of {len(data):,} patents, and the claim loss has "
            "nothing else to learn from",
            remedy='set loss.document = true, input.fit = "balanced" or a longer input.window',
        )


def chosen(count: int, kind: str, chance: np.random.Generator) -> NDArray[np.bool_]:
    """Choose the claims of a view: ``first``, or a random ``half`` (rounded up).

    >>> chosen(3, "first", np.random.default_rng(0)).tolist()
    [True, False, False]
    """
    kept = np.zeros(count, dtype=np.bool_)
    kept[slice(1) if kind == "first" else chance.permutation(count)[: -(-count // 2)]] = True
    return kept


def part(projection: Projection, kept: NDArray[np.bool_]) -> Projection:
    """Leave only some claims of a patent, with the edges between them; [CLS] and [SEP] stay."""
    if kept.all():  # also where title and abstract left room for no claim at all
        return projection
    owners = projection.claims
    tokens = (owners < 0) | kept[owners]
    tokens[-1] = True  # [SEP], which counts to the last claim there is
    place = np.cumsum(kept, dtype=np.int32) - 1  # (n,) the last kept claim up to each one
    relations = projection.relations[np.ix_(kept, kept)]
    edges = int(np.count_nonzero(relations))
    numbers = tuple(n for n, stays in zip(projection.numbers, kept, strict=True) if stays)
    return replace(
        projection,
        ids=projection.ids[tokens],
        claims=np.where(owners < 0, -1, place[owners]).astype(np.int32)[tokens],
        numbers=numbers,
        relations=relations,
        kept=Kept(len(numbers), len(numbers), edges, edges, int(edges == 0)),
    )


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
        if isinstance(value := getattr(whole, field.name), Tensor | Batch)
    }
    return replace(whole, **parts)  # type: ignore[type-var]

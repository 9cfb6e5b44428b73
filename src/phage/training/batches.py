"""Triplets → the tensors of one forward pass.

In:   (B, 3) patent indices; or (B, 1 + k), anchors with k neighbours each.
Out:  Triplets: 3 B patents as rows (anchors, then positives, then negatives; 2 B where a recipe
      draws no negatives), their guidance as the recipe sets it, and the place of each patent's
      claims.
Why:  the three members of a triplet go through the encoder together: one forward pass, not three.
      Ablations are applied here, so attention and losses need not know them."""

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
from phage.projection import CODES, Projection
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe
from phage.training.sampling import Indices, labels_of
from phage.training.views import Reader, some_claims

Moved = TypeVar("Moved")
CHUNKS = 4
"""Parts of second readings, by length."""


@dataclass(frozen=True)
class Triplets:
    """P patents of one forward pass: 3 B as in the paper, or as the recipe draws them."""

    batch: Batch
    count: int
    """B, the anchors."""
    labels: Tensor
    """(P,) class of each patent."""
    subclasses: Tensor
    """(P,) IPC subclass of each patent, −1 for none."""
    patents: Tensor
    """(P,) index of each patent in the training set."""
    relations: Tensor
    """(P, n, n) int8; the relation by which claim i leans on claim j, 0 for none."""
    slots: Tensor
    """(P, n) int64; the position of each claim among all nodes of all rows."""
    present: Tensor
    """(P, n) bool."""
    views: tuple[Batch, ...] = ()
    """The anchors a second time, if the recipe uses two views. With ``sections``, all patents,
    grouped by length."""
    order: Tensor | None = None
    """The position of each patent in ``views``, if it differs from ``batch``."""

    def to(self, device: torch.device) -> Triplets:
        """Move everything to a device, without waiting if the device allows it."""
        return _each(self, lambda part: part.to(device, non_blocking=True))

    def pin_memory(self) -> Triplets:
        """Pin everything in memory, so that the device can fetch it by itself."""
        return _each(self, lambda part: part.pin_memory())


@dataclass(frozen=True, eq=False)
class Maker:
    """Builds the batches of a run."""

    data: TrainingSet
    labels: NDArray[np.int32]
    recipe: Recipe
    layout: Layout
    pairs: TrainingSet | None = None
    """The same patents with the edges of the claim loss, if these differ."""

    @cached_property
    def _subclasses(self) -> NDArray[np.int32]:
        return labels_of(self.data.codes)

    def __call__(self, groups: Indices, seed: int = 0) -> Triplets:
        """Lay out triplets (B, 3), or anchors with their neighbours, as one batch.

        ``seed`` decides which parts of patents are read.
        """
        loss = self.recipe.loss
        drawn = 2 if loss.negatives == "pairs" and not self.recipe.sampling.nearest else None
        patents = groups[:, :drawn].T.reshape(-1)  # anchors, positives, negatives
        used = frozenset(CODES[Relation(name)] for name in self.recipe.graph.relations)
        projections = [self.data.projection(int(index), used) for index in patents]
        projections, others = self._readings(projections, patents, len(groups), seed)
        batch = self._batch(projections)
        relations, present = stack_relations(
            self._aligned(projections, patents, used), self.layout.nodes
        )
        views, order = self._views(others)
        return Triplets(
            batch=batch,
            count=len(groups),
            labels=torch.from_numpy(self.labels[patents].astype(np.int64)),
            subclasses=torch.from_numpy(self._subclasses[patents].astype(np.int64)),
            patents=torch.from_numpy(patents.copy()),
            relations=relations,
            slots=claim_slots(batch.owner, relations.shape[1]),
            present=present,
            views=views,
            order=order,
        )

    def _aligned(
        self, projections: list[Projection], patents: Indices, used: frozenset[int]
    ) -> list[Projection]:
        """Return the claims that are read, with the edges of the claim loss."""
        if self.pairs is None:
            return projections
        found = []
        for one, index in zip(projections, patents.tolist(), strict=True):
            kept = np.array(one.numbers, dtype=np.int64) - 1  # claims that this reading has
            table = self.pairs.projection(index, used).relations
            found.append(replace(one, relations=table[np.ix_(kept, kept)]))
        return found

    def _views(self, others: list[Projection]) -> tuple[tuple[Batch, ...], Tensor | None]:
        """Lay out second readings; short and long ones are kept apart to save padding."""
        if self.recipe.loss.view != "sections" or len(others) < 4 * CHUNKS:
            return (self._batch(others),) if others else (), None
        lengths = np.array([len(one) for one in others])
        rows = np.argsort(lengths, kind="stable")
        views = [
            self._batch([others[row] for row in part]) for part in np.array_split(rows, CHUNKS)
        ]
        return tuple(views), torch.from_numpy(np.argsort(rows))

    def _readings(
        self, projections: list[Projection], patents: Indices, count: int, seed: int
    ) -> tuple[list[Projection], list[Projection]]:
        """Choose the parts of each patent to read, and a second reading if the recipe uses one."""
        view, titles = self.recipe.loss.view, self.data.titles[patents].tolist()
        reader = Reader(np.random.default_rng(seed), self.recipe.input.section == "varied")
        if view == "sections":
            # Half or three quarters of the window, drawn for each batch: shorter texts cost less, and
            # a model that has read both lengths also reads a full window.
            room = self.recipe.input.window * int(reader.chance.integers(2, 4)) // 4
            pairs = [reader.pair(p, t, room) for p, t in zip(projections, titles, strict=True)]
            return [a for a, _ in pairs], [b for _, b in pairs]
        if reader.varied:
            projections = [reader.whole(p, t) for p, t in zip(projections, titles, strict=True)]
        anchors = projections[:count] if self.recipe.viewed else []
        if view != "whole":
            anchors = [some_claims(one, view, reader.chance) for one in anchors]
        return projections, anchors

    def _batch(self, projections: list[Projection]) -> Batch:
        batch = collate(projections, self.layout)
        guide = self.recipe.guidance
        table = ablate(batch.guidance.table, batch.owner, mask=guide.mask, bias=guide.bias)
        return replace(batch, guidance=replace(batch.guidance, table=table))


def check_edges(data: TrainingSet, recipe: Recipe) -> None:
    """Refuse to learn from edges alone if the window left none."""
    used = [CODES[Relation(name)] for name in recipe.graph.relations]
    loss = recipe.loss
    other = loss.document or loss.distill or loss.classify or recipe.viewed
    alone = recipe.aligned and not other
    if alone and not np.isin(data.edges[:, 2], used).any():
        raise PhageError(
            f"no edge is left between the claims of {len(data):,} patents, and the claim loss has "
            "nothing else to learn from",
            remedy='set loss.document = 1, input.fit = "balanced" or a longer input.window',
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


def stack_relations(projections: list[Projection], multiple: int = 1) -> tuple[Tensor, Tensor]:
    """Stack relation tables of different size: (P, n, n) and which claims are present (P, n).

    n is rounded up to a multiple.
    """
    count = -(-max(len(one.numbers) for one in projections) // multiple) * multiple
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
    if isinstance(views := getattr(whole, "views", None), tuple):
        parts["views"] = tuple(map(change, views))
    return replace(whole, **parts)  # type: ignore[type-var]

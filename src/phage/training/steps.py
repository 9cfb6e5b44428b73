"""What each optimiser step uses: patents, learning rate, seeds.

In:   a training set, a recipe and the number of processes.
Out:  the micro-batches, rate and seeds of any step, independent of the steps before.
Why:  a stream without state resumes exactly from one number. Several processes can share the work
      without changing it: micro-batch m of step s is the same wherever it is computed.

Triplets form one stream over all epochs; step s takes its next batch × accumulation entries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from phage.errors import PhageError
from phage.training.recipe import Recipe, Train
from phage.training.sampling import (
    Classes,
    Indices,
    Neighbours,
    check_classes,
    labels_of,
    plan,
)
from phage.training.teacher import nearest

RISE = 0.1
"""Share of all steps in which a linear schedule rises."""


@dataclass(frozen=True, eq=False)
class Steps:
    """The stream of triplets, cut into optimiser steps."""

    classes: Classes
    labels: NDArray[np.int32]
    """(P,) class of each patent; −1 takes no part."""
    recipe: Recipe
    count: int
    """Optimiser steps of the whole run."""
    neighbours: Neighbours | None = None
    """Neighbours by the teacher, if they form the batches instead of classes."""

    @classmethod
    def of(
        cls, codes: tuple[str, ...], recipe: Recipe, teacher: tuple[Tensor, Tensor] | None = None
    ) -> Steps:
        """Classify patents by their main IPC codes; refuse a corpus too small for one step.

        ``teacher`` holds vectors, and which patents they belong to, if neighbours form the batches.
        """
        train, sampling = recipe.train, recipe.sampling
        labels = labels_of(codes, sampling.level)
        classes, near = Classes.of(labels), None
        if teacher is not None and sampling.nearest:
            near = Neighbours(nearest(*teacher, sampling.nearest), sampling.nearest)
        elif not sampling.nearest:
            check_classes(labels, sampling.level)
        anchors = near.anchors(classes) if near else classes.anchors
        size = train.batch * train.accumulation
        count = train.epochs * len(anchors) // size
        if count == 0:
            raise PhageError(
                f"{len(anchors):,} anchors × {train.epochs} epochs do not fill one step of "
                f"{train.batch} × {train.accumulation} anchors",
                remedy="lower train.accumulation or raise train.epochs",
            )
        return cls(classes, labels, recipe, min(count, train.max_steps or count), near)

    @cached_property
    def anchors(self) -> Indices:
        """Patents that batches are formed around."""
        if self.neighbours is None:
            return self.classes.anchors
        return self.neighbours.anchors(self.classes)

    @property
    def size(self) -> int:
        """Anchors per step."""
        return self.recipe.train.batch * self.recipe.train.accumulation

    def epoch(self, step: int) -> float:
        """Epochs completed when a step begins."""
        return step * self.size / len(self.anchors)

    def triplets(self, step: int) -> Indices:
        """(batch × accumulation, 3) patents: anchor, positive, negative; or 1 + its neighbours."""
        wanted = np.arange(step * self.size, (step + 1) * self.size)
        epochs, places = np.divmod(wanted, len(self.anchors))
        parts = [self._plan(int(epoch))[places[epochs == epoch]] for epoch in np.unique(epochs)]
        return np.concatenate(parts)

    def micro_batch(self, step: int, index: int) -> Indices:
        """(batch, 3) patents of one forward pass, or (batch, 1 + neighbours)."""
        size = self.recipe.train.batch
        return self.triplets(step)[index * size : (index + 1) * size]

    def _plan(self, epoch: int) -> Indices:
        return _cached_plan(self, epoch)

    def seed(self, step: int, index: int) -> int:
        """Seed of everything random in one micro-batch."""
        return int(
            _stream(self.recipe.train.seed, step, index).generate_state(1, np.uint64)[0] >> 1
        )

    def guided(self, step: int, index: int) -> bool:
        """Whether the graph is on in one micro-batch."""
        chance = np.random.default_rng(_stream(self.recipe.train.seed, step, index, 1)).random()
        return bool(chance < self.recipe.guidance.probability) and self.recipe.guided


def rate(step: int, count: int, train: Train) -> float:
    """Return the factor on the learning rate in a step.

    >>> train = Train(schedule="linear")
    >>> [round(rate(step, 20, train), 2) for step in (0, 1, 2, 11, 19)]
    [0.5, 1.0, 1.0, 0.5, 0.06]
    >>> rate(7, 20, Train())
    1.0
    """
    if train.schedule == "constant":
        return 1.0
    rise = math.ceil(RISE * count)
    return (step + 1) / rise if step < rise else 1 - (step - rise) / max(1, count - rise)


def share(accumulation: int, rank: int, world: int) -> range:
    """Return the micro-batches of one process.

    >>> list(share(8, rank=1, world=4))
    [1, 5]
    """
    if accumulation % world:
        raise PhageError(
            f"train.accumulation = {accumulation} cannot be shared by {world} processes",
            remedy=f"set it to a multiple of {world}; batch × accumulation is the effective batch",
        )
    return range(rank, accumulation, world)


def _stream(*words: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(list(words))


@lru_cache(maxsize=2)  # a step meets at most two epochs
def _cached_plan(steps: Steps, epoch: int) -> Indices:
    draw = steps.neighbours.plan if steps.neighbours is not None else plan
    return draw(steps.classes, steps.recipe.train.seed, epoch, steps.recipe.sampling.balance)

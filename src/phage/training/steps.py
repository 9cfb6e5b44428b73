"""What each optimiser step sees: triplets, learning rate, chance.

In:   a training set, a recipe, how many processes there are.
Out:  for any step its micro-batches, rate and seeds; nothing depends on the steps before.
Why:  a stream without state is resumed exactly by knowing one number, and two processes share the
      work of one without changing it: micro-batch m of step s is the same wherever it is computed.

Triplets form one stream over all epochs; step s takes its next batch × accumulation entries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from phage.errors import PhageError
from phage.training.recipe import Recipe, Train
from phage.training.sampling import Classes, Draw, Indices, check_classes, labels_of, plan
from phage.training.teacher import nearest


@dataclass(frozen=True, eq=False)
class Steps:
    """The stream of triplets, cut into optimiser steps."""

    classes: Classes
    labels: NDArray[np.int32]
    """(P,) class of each patent; −1 takes no part."""
    recipe: Recipe
    count: int
    """Optimiser steps of the whole run."""

    @classmethod
    def of(
        cls, codes: tuple[str, ...], recipe: Recipe, teacher: tuple[Tensor, Tensor] | None = None
    ) -> Steps:
        """Classify patents by their main IPC codes; refuse what gives no step.

        ``teacher`` gives vectors, and whose they are, where positives are to be near by them.
        """
        train, level = recipe.train, recipe.sampling.level
        labels = labels_of(codes, level, recipe.sampling.most)
        check_classes(labels, level)
        fields = np.where(labels >= 0, labels_of(codes, "class"), -1).astype(np.int32)
        near = None
        if teacher is not None and recipe.sampling.nearest:
            near = nearest(*teacher, labels, recipe.sampling.nearest)
        classes = Classes.of(labels, fields, near)
        size = train.batch * train.accumulation
        count = train.epochs * len(classes.anchors) // size
        if count == 0:
            raise PhageError(
                f"{len(classes.anchors):,} anchors × {train.epochs} epochs do not fill one step of "
                f"{train.batch} × {train.accumulation} triplets",
                remedy="lower train.accumulation or raise train.epochs",
            )
        return cls(classes, labels, recipe, min(count, train.max_steps or count))

    @property
    def size(self) -> int:
        """Triplets per step."""
        return self.recipe.train.batch * self.recipe.train.accumulation

    def epoch(self, step: int) -> float:
        """How many epochs are behind when a step begins."""
        return step * self.size / len(self.classes.anchors)

    def triplets(self, step: int) -> Indices:
        """(batch × accumulation, 3) patents: anchor, positive, negative."""
        wanted = np.arange(step * self.size, (step + 1) * self.size)
        epochs, places = np.divmod(wanted, len(self.classes.anchors))
        parts = [self._plan(int(epoch))[places[epochs == epoch]] for epoch in np.unique(epochs)]
        return np.concatenate(parts)

    def micro_batch(self, step: int, index: int) -> Indices:
        """(batch, 3) patents of one forward pass."""
        size = self.recipe.train.batch
        return self.triplets(step)[index * size : (index + 1) * size]

    def _plan(self, epoch: int) -> Indices:
        sampling = self.recipe.sampling
        how = Draw(sampling.balance, sampling.near)
        return _cached_plan(self.classes, self.recipe.train.seed, epoch, how)

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
    """Give the factor on the learning rate in a step.

    >>> train = Train(schedule="linear", warmup=0.2)
    >>> [round(rate(step, 10, train), 3) for step in range(10)]
    [0.5, 1.0, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    >>> rate(7, 10, Train())
    1.0
    """
    rise = math.ceil(train.warmup * count)
    if step < rise:
        return (step + 1) / rise
    done = (step - rise) / max(1, count - rise)
    if train.schedule == "linear":
        return 1 - done
    return (1 + math.cos(math.pi * done)) / 2 if train.schedule == "cosine" else 1.0


def share(accumulation: int, rank: int, world: int) -> range:
    """Give the micro-batches of one process.

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
def _cached_plan(classes: Classes, seed: int, epoch: int, how: Draw) -> Indices:
    return plan(classes, seed, epoch, how)

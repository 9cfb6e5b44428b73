"""Training sets with the edges of a control.

In:   a training set and a recipe with ``graph.control``.
Out:  the set that attention reads and the set that the claim loss reads.
Why:  controls work on prepared edges, so one prepared file serves all of them. A control has as
      many edges inside the window as the true graph."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from phage.graph import controls
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe


def controlled(data: TrainingSet, recipe: Recipe) -> tuple[TrainingSet, TrainingSet]:
    """Return the patents as attention reads them, and as the claim loss reads them."""
    control, seed = recipe.graph.control, recipe.train.seed
    if control == "none":
        return data, data
    made = _with_edges(data, control, seed)
    return (data if control == "random-pairs" else made), made


def _with_edges(data: TrainingSet, control: str, seed: int) -> TrainingSet:
    counts = np.diff(data.claims)
    others = controls.partners(counts, seed)
    parts = []
    for index, (number, count) in enumerate(zip(data.numbers, counts.tolist(), strict=True)):
        own = data.edges[data.ends[index] : data.ends[index + 1]]
        chance = zlib.crc32(f"{seed} {number}".encode())  # the patent's, whatever set it is in
        if control == "random-pairs":
            parts.append(controls.random_pairs(own, count, chance))
        elif control == "rewired":
            parts.append(controls.rewired(own, chance))
        else:
            other = others[index]
            taken = data.edges[data.ends[other] : data.ends[other + 1]]
            parts.append(controls.within(taken, count))
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return replace(data, edges=np.concatenate([data.edges[:0], *parts]), ends=ends)

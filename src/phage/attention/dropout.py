"""Attention dropout that two engines can repeat.

In:   a seed, the shape of the probabilities.
Out:  which of them are kept.
Why:  ``reference`` and ``dense`` compute in different orders and must drop the same pairs; and a
      backward pass (or gradient checkpointing) must draw again what the forward drew."""

from __future__ import annotations

import torch
from torch import Tensor

from phage.attention.guidance import Settings


def draw_seed() -> Tensor:
    """Draw a seed from torch's default CPU generator: ``torch.manual_seed`` fixes it."""
    return torch.randint(2**62, (), dtype=torch.int64)


def keep(settings: Settings, row: int, q: Tensor) -> Tensor:
    """Draw the kept pairs of one row of the batch: 1 / (1 - p) or 0, (H, T, T).

    ``q`` is the row's queries (H, T, D); every head has a stream of its own.
    """
    heads, tokens, _ = q.shape
    seed = int(settings.seed) if settings.seed is not None else 0
    drawn = torch.empty(heads, tokens, tokens, dtype=q.dtype, device=q.device)
    for head in range(heads):
        chance = torch.Generator(q.device).manual_seed((seed + row * heads + head) % 2**63)
        drawn[head].bernoulli_(1 - settings.dropout, generator=chance)
    return drawn.div_(1 - settings.dropout)

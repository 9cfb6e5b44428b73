"""Where training started, and how a model stays near it.

In:   a recipe: its backbone before the first step; trained weights.
Out:  the mean of the two.
Why:  a small corpus teaches classes and unlearns what the backbone could do before; a share of the
      first weights keeps some of that. Beyond the paper and off unless a recipe asks."""

from __future__ import annotations

import torch
from torch import Tensor

from phage.training.recipe import Recipe


def average(state: dict[str, Tensor], start: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """Mix trained weights with a share of those training started from.

    >>> average({"w": torch.tensor([1.0])}, {"w": torch.tensor([3.0])}, 0.25)
    {'w': tensor([1.5000])}
    """
    return {
        name: torch.lerp(value.float(), start[name].to(value.device).float(), share).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in state.items()
    }


def start_state(recipe: Recipe) -> dict[str, Tensor]:
    """Load the weights that training starts from."""
    from phage.training.model import load_backbone

    state: dict[str, Tensor] = load_backbone(recipe).state_dict()
    return state

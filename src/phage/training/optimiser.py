"""AdamW, and its state as named tensors.

In:   a model and its recipe.
Out:  the optimiser in three groups: matrices, vectors, relation scalars.
Why:  state that is named by parameter can be saved without pickle and put back exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from phage.training.recipe import Recipe

if TYPE_CHECKING:
    from phage.training.model import Phage


def make_optimiser(model: Phage, recipe: Recipe) -> torch.optim.Optimizer:
    """Give AdamW: decay on matrices only; relation scalars at a rate of their own, if asked."""
    train = recipe.train
    scalars = {id(parameter) for parameter in model.relation_scalars()}
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    own = train.relation_learning_rate
    groups = [
        _group([p for p in learned if p.ndim >= 2], train.learning_rate, train.weight_decay),
        _group([p for p in learned if p.ndim < 2 and id(p) not in scalars], train.learning_rate),
        _group(
            [p for p in learned if id(p) in scalars], train.learning_rate if own is None else own
        ),
    ]
    fused = next(model.parameters()).is_cuda
    return torch.optim.AdamW(
        [g for g in groups if g["params"]], lr=train.learning_rate, fused=fused
    )


def set_rate(optimiser: torch.optim.Optimizer, factor: float) -> None:
    """Scale every group's own rate."""
    for group in optimiser.param_groups:
        group["lr"] = group["base"] * factor


def tensors(model: Phage, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Name the optimiser's tensors by the parameters they belong to."""
    return {
        f"{name}/{part}": value.detach().cpu().contiguous()
        for name, parameter in model.named_parameters()
        for part, value in optimiser.state.get(parameter, {}).items()
    }


def restore(stored: dict[str, Tensor], model: Phage, optimiser: torch.optim.Optimizer) -> None:
    """Put the tensors back where they were."""
    fused = optimiser.param_groups[0]["fused"]
    places = dict(model.named_parameters())
    for key, value in stored.items():
        name, _, part = key.rpartition("/")
        parameter = places[name]
        # AdamW keeps its step count on the CPU unless it is fused.
        device = parameter.device if part != "step" or fused else torch.device("cpu")
        optimiser.state[parameter][part] = value.to(device)


def _group(
    parameters: list[torch.nn.Parameter], rate: float, decay: float = 0.0
) -> dict[str, object]:
    return {"params": parameters, "weight_decay": decay, "base": rate}

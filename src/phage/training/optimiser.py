"""AdamW, and its state as named tensors.

In:   a model and its recipe.
Out:  the optimiser in up to four groups: matrices, vectors, relation scalars, the classifier.
Why:  state that is named by parameter can be saved without pickle and restored exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from phage.training.recipe import Recipe

if TYPE_CHECKING:
    from phage.training.model import Phage

CLIP = 1.0
"""Maximum norm of the gradient, as in the paper."""
DECAY = 0.01
"""Weight decay, as in the paper; on matrices, not on norms, biases and relation scalars."""
CLASSIFIER_RATE = 5e-3
"""Learning rate of the classifier, which starts from nothing and must be useful within a few
steps."""


def make_optimiser(model: Phage, recipe: Recipe) -> torch.optim.Optimizer:
    """Return AdamW with decay on matrices only; the classifier has its own learning rate."""
    train = recipe.train
    scalars = {id(parameter) for parameter in model.relation_scalars()}
    head = [model.classes] if model.classes is not None else []
    learned = [p for p in model.parameters() if p.requires_grad and p is not model.classes]
    groups = [
        _group([p for p in learned if p.ndim >= 2], train.learning_rate, DECAY),
        _group([p for p in learned if p.ndim < 2 and id(p) not in scalars], train.learning_rate),
        _group([p for p in learned if id(p) in scalars], train.learning_rate),
        {**_group(head, CLASSIFIER_RATE), "clip": False},
    ]
    fused = next(model.parameters()).is_cuda
    return torch.optim.AdamW(
        [g for g in groups if g["params"]], lr=train.learning_rate, fused=fused
    )


def clip(optimiser: torch.optim.Optimizer) -> Tensor:
    """Clip the gradient of everything except the classifier; return its norm before clipping."""
    groups = (group for group in optimiser.param_groups if group["clip"])
    return torch.nn.utils.clip_grad_norm_([p for group in groups for p in group["params"]], CLIP)


def set_rate(optimiser: torch.optim.Optimizer, factor: float) -> None:
    """Scale every group's own rate."""
    for group in optimiser.param_groups:
        group["lr"] = group["base"] * factor


def tensors(model: Phage, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the optimiser's tensors, named by their parameters, and classifier and adapter."""
    found = {
        f"{name}/{part}": value.detach().cpu().contiguous()
        for name, parameter in model.named_parameters()
        for part, value in optimiser.state.get(parameter, {}).items()
    }
    for name, parameter in model.named_parameters():
        if parameter is model.classes or name.endswith((".up", ".down")):  # not among the weights
            found[f"{name}/value"] = parameter.detach().cpu().contiguous()
    return found


def restore(stored: dict[str, Tensor], model: Phage, optimiser: torch.optim.Optimizer) -> None:
    """Restore the tensors."""
    fused = optimiser.param_groups[0]["fused"]
    places = dict(model.named_parameters())
    for key, value in stored.items():
        name, _, part = key.rpartition("/")
        parameter = places[name]
        if part == "value":
            parameter.data.copy_(value)
            continue
        # AdamW keeps its step count on the CPU unless it is fused.
        device = parameter.device if part != "step" or fused else torch.device("cpu")
        optimiser.state[parameter][part] = value.to(device)


def _group(
    parameters: list[torch.nn.Parameter], rate: float, decay: float = 0.0
) -> dict[str, object]:
    return {"params": parameters, "weight_decay": decay, "base": rate, "clip": True}

"""Where training started, and how a model stays near it.

In:   a recipe: its backbone before the first step.
Out:  its weights, to decay towards or to average with; its vectors, whose neighbours are kept.
Why:  a small corpus teaches classes and unlearns what the backbone could do before; each of the
      three keeps some of that. All are beyond the paper and off unless a recipe asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from phage.attention.batch import Layout, collate
from phage.training.recipe import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from phage.training.data import TrainingSet


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


class Pull:
    """Draws weights towards where they started, a little in each step."""

    def __init__(self, backbone: nn.Module, start: dict[str, Tensor], strength: float) -> None:
        """Remember the start of every parameter that has one: relation scalars begin anew."""
        found = [
            (parameter, start[name].to(parameter.device, parameter.dtype))
            for name, parameter in backbone.named_parameters()
            if parameter.requires_grad and name in start
        ]
        self.weights: list[Tensor] = [parameter for parameter, _ in found]
        self.start = [value for _, value in found]
        self.strength = strength

    @torch.no_grad()
    def __call__(self, rate: float) -> None:
        """Take one step at a learning rate."""
        torch._foreach_lerp_(self.weights, self.start, min(1.0, rate * self.strength))


def start_state(recipe: Recipe) -> dict[str, Tensor]:
    """Load the weights that training starts from."""
    from phage.training.model import load_backbone

    state: dict[str, Tensor] = load_backbone(recipe).state_dict()
    return state


def kept_vectors(
    recipe: Recipe,
    data: TrainingSet,
    layout: Layout,
    device: torch.device,
    teacher: tuple[Tensor, Tensor] | None,
) -> tuple[Tensor, Tensor | None]:
    """Give the vectors whose neighbours are kept, and which patents have one (None: all).

    The teacher's (``teacher_vectors``) where there is one, else the backbone's own.
    """
    if teacher is not None:
        vectors, known = teacher
        return vectors.to(device), known.to(device)
    from phage.training.model import load_backbone

    return vectors_before(load_backbone(recipe), data, layout, device), None


@torch.inference_mode()
def vectors_before(
    backbone: PreTrainedModel, data: TrainingSet, layout: Layout, device: torch.device
) -> Tensor:
    """Encode every patent without a graph, by mean pooling: (patents, D) on the device."""
    backbone = backbone.to(device).eval()
    order = sorted(range(len(data)), key=lambda row: -int(data.lengths[row]))
    found: Tensor | None = None
    size = 256 if device.type == "cuda" else 16
    half = torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")
    for at in range(0, len(order), size):
        rows = order[at : at + size]
        batch = collate([data.projection(row, frozenset()) for row in rows], layout).to(device)
        with half:
            hidden = backbone(**batch.inputs(guided=False)).last_hidden_state
        means = batch.means(hidden.float())
        if found is None:
            found = means.new_empty(len(data), means.shape[1])
        found[torch.tensor(rows, device=device)] = means
    assert found is not None
    return found.clone()

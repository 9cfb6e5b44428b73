"""Where training started, and how a model stays near it.

In:   a recipe: its backbone before the first step; trained weights.
Out:  the mean of the two; the names and hashes of a run's inputs.
Why:  a small corpus teaches classes but makes the backbone forget. A share of the first weights
      keeps some of what it knew. Beyond the paper; off by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from phage.model_folder import model_source
from phage.storage import read_json, sha256
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe
from phage.training.teacher import teacher_digest
from phage.vector_files import MANIFEST


def average(state: dict[str, Tensor], start: dict[str, Tensor], share: float) -> dict[str, Tensor]:
    """Mix trained weights with a share of the first weights.

    >>> average({"w": torch.tensor([1.0])}, {"w": torch.tensor([3.0])}, 0.25)
    {'w': tensor([1.5000])}
    """
    return {
        name: torch.lerp(value.float(), start[name].to(value.device).float(), share).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in state.items()
    }


def inputs(recipe: Recipe, data: TrainingSet) -> dict[str, Any]:
    """Return all inputs of a run with their hashes, and their own inputs if recorded."""
    found: dict[str, Any] = {role: hashes for role, hashes in data.origin["facts"].items()}
    folder = Path(model_source(recipe.backbone.model))
    weights = folder / "model.safetensors"
    found["backbone"] = {
        "name": recipe.backbone.model,
        "sha256": sha256(weights) if weights.is_file() else None,
        "made_from": _json_of(folder / "provenance.json"),
    }
    if recipe.loss.teacher:
        found["teacher"] = {
            "name": recipe.loss.teacher,
            "sha256": teacher_digest(recipe.loss.teacher),
            "made_from": _json_of(Path(recipe.loss.teacher) / MANIFEST).get("provenance"),
        }
    return found


def _json_of(path: Path) -> dict[str, Any]:
    return dict(read_json(path)) if path.is_file() else {}


def start_state(recipe: Recipe) -> dict[str, Tensor]:
    """Load the weights that training starts from."""
    from phage.training.model import load_backbone

    state: dict[str, Tensor] = load_backbone(recipe).state_dict()
    return state

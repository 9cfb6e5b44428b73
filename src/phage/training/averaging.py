"""One model from several runs: the mean of their weights.

In:   folders of runs that started from the same weights; perhaps these first weights as well.
Out:  a model folder of the same kind, which records what it was made from.
Why:  seeds err in different directions; their mean costs nothing at inference. A share of the first
      weights keeps what a small corpus would unlearn. Beyond the paper."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from phage import model_folder
from phage.errors import PhageError
from phage.model_card import write_card
from phage.provenance import provenance
from phage.storage import atomic_folder, read_json, readable, sha256, write_json
from phage.training.checkpoint import COLUMNS, PROVENANCE, RECIPE, RELATIONS
from phage.training.recipe import Recipe
from phage.training.recipe_file import load, to_values
from phage.training.start import average

WEIGHTS = "model.safetensors"
COPIED = ("*.json", "*.txt", RECIPE, "[0-9]_*/config.json")
"""Files of a model that do not depend on its weights."""


def average_runs(
    runs: Sequence[Path], out: Path, first: Path | None = None, share: float = 1.0, *,
    half: bool = False, languages: Sequence[str] = (),
) -> Path:  # fmt: skip
    """Write the mean of several runs into a folder; ``share`` is their share beside ``first``.

    ``half`` stores weights in 16 bits; ``languages`` are those that the model knows.
    """
    if (out / model_folder.MODULES).exists():
        raise PhageError(
            "this folder already holds a model", place=str(out), remedy="choose another"
        )
    recipe = _same_recipe(runs, mixed=first is not None)
    if recipe.backbone.adapter:
        raise PhageError(
            "these runs trained an adapter, and the mean of several has a higher rank",
            remedy="choose one of the runs",
        )
    state = mean([_weights(run / WEIGHTS) for run in runs])
    if first is not None:
        state = average(*_matched(state, _weights(first / WEIGHTS), first), 1 - share)
    if half:
        state = {n: v.half() if v.is_floating_point() else v for n, v in state.items()}
    with atomic_folder(out.with_name(f"{out.name}.averaged")) as partial:
        for file in (file for pattern in COPIED for file in runs[0].glob(pattern)):
            target = partial / file.relative_to(runs[0])
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(file, target)
        if languages:
            reads = partial / model_folder.READING
            write_json(reads, {**read_json(reads), "languages": list(languages)})
        save_file(state, partial / WEIGHTS, {"format": "pt"})
        relations = mean([_weights(run / RELATIONS) for run in runs])
        save_file(relations, partial / RELATIONS, COLUMNS)
        write_json(partial / PROVENANCE, _origin(runs, first, share, recipe))
        write_card(partial)
        model_folder.publish(partial, out)
    return out


def mean(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Average weights in fp32; take everything else from the first.

    >>> mean([{"w": torch.tensor([1.0])}, {"w": torch.tensor([4.0])}])
    {'w': tensor([2.5000])}
    """
    for state in states[1:]:
        for name in states[0].keys() | state.keys():
            shapes = [one[name].shape if name in one else None for one in (states[0], state)]
            if shapes[0] != shapes[1]:
                raise PhageError(
                    f"these models differ in {name}, so their weights have no mean",
                    remedy="average runs of one recipe that differ in train.seed alone",
                )
    return {
        name: torch.stack([state[name].float() for state in states]).mean(0).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in states[0].items()
    }


def _matched(
    state: dict[str, Tensor], start: dict[str, Tensor], place: Path
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Leave out a pooler that the first weights lack: transformers adds one, and no vector uses it."""
    state = {n: v for n, v in state.items() if n in start or not n.startswith("pooler.")}
    if lacking := sorted(state.keys() - start.keys()):
        raise PhageError(
            f"this backbone has no {lacking[0]}, so the runs did not start from it",
            place=str(place),
            remedy="give the folder that the recipe names as backbone.model",
        )
    return state, start


def _weights(path: Path) -> dict[str, Tensor]:
    if not path.is_file():
        raise PhageError(
            f"this folder has no {path.name}", place=str(path.parent),
            remedy="give folders of finished runs of `phage train`, and a backbone's as --first",
        )  # fmt: skip
    with readable(path):
        return load_file(path)


def _same_recipe(runs: Sequence[Path], *, mixed: bool) -> Recipe:
    """Refuse runs that differ in more than their seed, or that hold first weights already."""
    recipes = [load(run / RECIPE) for run in runs]
    first = to_values(recipes[0])
    for run, recipe in zip(runs, recipes, strict=True):
        values = to_values(recipe)
        for section, row in values.items():
            if section == "name" or not isinstance(row, dict):
                continue
            for key in row:
                if f"{section}.{key}" != "train.seed" and row[key] != first[section].get(key):
                    raise PhageError(
                        f"{section}.{key} is {row[key]!r} here and {first[section].get(key)!r} in "
                        f"{runs[0]}",
                        place=str(run),
                        remedy="average runs of one recipe that differ in train.seed alone",
                    )
    if mixed and recipes[0].train.average:
        raise PhageError(
            f"these runs already contain a share of {recipes[0].train.average} of the first weights",
            remedy="leave --first out, or train with train.average = 0",
        )
    return recipes[0]


def _origin(
    runs: Sequence[Path], first: Path | None, share: float, recipe: Recipe
) -> dict[str, Any]:
    made = [
        read_json(run / PROVENANCE) | {"weights": sha256(run / WEIGHTS)}
        for run in runs
    ]  # fmt: skip
    shared = {
        key: made[0][key]
        for key in ("inputs", "patents", "steps", "data_digest")
        if key in made[0] and all(one.get(key) == made[0][key] for one in made)
    }
    mixed = {"sha256": sha256(first / WEIGHTS), "share_of_runs": share} if first else None
    return provenance(recipe=recipe.name, **shared, first=mixed, averaged=made)

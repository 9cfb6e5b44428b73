"""Whether a run may resume from a checkpoint.

In:   the newest checkpoint of a run; the current recipe and data.
Out:  the step it resumes from; or an error that names the key, the data or the damaged folder.
Why:  bit-exact means the same recipe and the same patents. The recipe is compared before patents
      are prepared, and the patents before they replace those of the first start."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from safetensors import SafetensorError

from phage.errors import PhageError
from phage.storage import read_json
from phage.training.checkpoint import RECIPE, STATE, verify
from phage.training.data import TrainingSet
from phage.training.recipe import Recipe
from phage.training.recipe_file import load, to_values
from phage.training.recipe_keys import OldKeys
from phage.training.teacher import teacher_digest

FREE_TO_CHANGE = {
    "train.epochs", "train.max_steps", "train.save_every", "train.compile", "train.repeatable",
}  # fmt: skip
"""Keys that a resumed run may change: how long it runs, how often it saves, how it computes."""


def check_recipe(found: Path, recipe: Recipe) -> None:
    """Refuse to continue a run with another recipe."""
    with sound(found):
        verify(found)  # before hours go into preparing patents
        old, new = _flat(load(found / RECIPE)), _flat(recipe)
    free = FREE_TO_CHANGE
    if recipe.train.schedule != "constant":
        free = free - {"train.epochs", "train.max_steps"}  # the rate depends on them
    for key in sorted((old.keys() | new.keys()) - free):
        if old.get(key) != new.get(key):
            raise PhageError(
                f"{key} is {new.get(key)!r}, but the run was started with {old.get(key)!r}",
                place=str(found),
                remedy="resume with the recipe the run was started with, or choose another -o",
            )


def check_data(found: Path, digest: str) -> int:
    """Refuse to continue a run with other data; return its step."""
    with sound(found):
        state = read_json(found / STATE)
        known, step = state["data"], int(state["step"])
    if known != digest:
        raise PhageError(
            "these are not the patents (or not the teacher) that the run was started with",
            place=str(found), remedy="resume with the same --data, or choose another -o",
        )  # fmt: skip
    return step


def data_digest(data: TrainingSet, recipe: Recipe) -> str:
    """Hash everything a run learns from: the patents, and a teacher's vectors."""
    digest = data.digest()
    return f"{digest}+{teacher_digest(recipe.loss.teacher)}" if recipe.loss.teacher else digest


@contextlib.contextmanager
def sound(found: Path) -> Iterator[None]:
    """Report a damaged checkpoint, and how to continue without it."""
    try:
        yield
    except OldKeys as error:
        raise PhageError(
            f"an earlier version wrote this checkpoint: {error.message}",
            place=str(found),
            remedy="choose another -o, or finish the run with the version that began it",
        ) from error
    except (PhageError, OSError, ValueError, LookupError, TypeError, AttributeError,
            SafetensorError) as error:  # fmt: skip
        reason = error.message if isinstance(error, PhageError) else str(error)
        raise PhageError(
            f"this checkpoint is damaged: {reason}",
            place=str(found),
            remedy="delete this folder; --resume then continues from the checkpoint before it, or from "
            "the start",
        ) from error


def _flat(recipe: Recipe) -> dict[str, object]:
    values = to_values(recipe)
    return {
        f"{section}.{key}": value
        for section, row in values.items()
        if isinstance(row, dict)
        for key, value in row.items()
    }

"""Checkpoints: whole or absent, and exact.

In:   model, optimiser and step of a run.
Out:  ``checkpoints/step-000100/``: the backbone as a sentence-transformers folder, beside it the
      relation parameters, the recipe, its provenance and the trainer's state. The state holds the
      hash of every file, which ``verify`` compares.
Why:  a stopped run continues bit for bit. Tensors are safetensors and the rest is JSON or TOML, so
      that reading a stranger's checkpoint runs none of his code."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file

from phage import model_folder as files
from phage.adapter import corrections
from phage.adapter import write as write_adapter
from phage.errors import PhageError
from phage.model_card import write_card
from phage.storage import atomic_folder, read_json, settle, sha256, write_json, write_text
from phage.training import optimiser as adamw
from phage.training.recipe import RELATION_NAMES, Recipe
from phage.training.recipe_file import to_toml
from phage.training.start import average, start_state

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from phage.training.model import Phage

RELATIONS = "relations.safetensors"
RECIPE = "recipe.toml"
PROVENANCE = "provenance.json"
STATE = "trainer/state.json"
OPTIMISER = "trainer/optimizer.safetensors"
KEPT = 2
"""The number of checkpoints that a run keeps."""


@dataclass(frozen=True)
class Run:
    """Facts shared by all checkpoints of a run."""

    place: Path
    recipe: Recipe
    tokenizer: PreTrainedTokenizerBase
    data: str
    """Digest of the training set, and of a teacher's vectors."""
    origin: dict[str, Any]
    """Provenance, as JSON values."""

    def save(self, model: Phage, optimiser: torch.optim.Optimizer, step: int) -> Path:
        """Write a checkpoint; it gets its name once it is complete. Delete the oldest ones."""
        target = self.place / "checkpoints" / f"step-{step:06d}"
        if (target / STATE).is_file():  # stopped again before another step was done
            return target
        with atomic_folder(target) as partial:
            self.write_model(partial, model)
            (partial / OPTIMISER).parent.mkdir(exist_ok=True)
            save_file(adamw.tensors(model, optimiser), partial / OPTIMISER)
            state = {"step": step, "data": self.data, "files": _hashes(partial)}
            write_json(partial / STATE, state)
            _flush(partial)
            partial.replace(target)
        for old in checkpoints(self.place)[:-KEPT]:
            shutil.rmtree(old)
        return target

    def publish(self, model: Phage) -> None:
        """Write the finished model into the run's own folder."""
        with atomic_folder(self.place / "model") as partial:
            self.write_model(partial, model, self.recipe.train.average)
            write_card(partial)
            _flush(partial)
            files.publish(partial, self.place)

    def write_model(self, target: Path, model: Phage, first: float = 0.0) -> None:
        """Write the stock model, and beside it the files that only training needs.

        ``first`` is the share of the first weights in it. If the model has an adapter, only the
        adapter is written.
        """
        how, adapted = self.recipe.input, self.recipe.backbone.adapter
        state = {} if adapted else model.plain_state()
        if first and not adapted:
            state = average(state, start_state(self.recipe), first)
        learned = model.relation_tensors()
        for name, value in {**state, **learned, **corrections(model.backbone)}.items():
            if not torch.isfinite(value).all():
                raise PhageError(
                    f"{name} has values that are not finite, so the model is not saved",
                    place=str(self.place),
                    remedy="lower train.learning_rate; --resume continues from the last checkpoint",
                )
        section = "whole" if how.section == "varied" else how.section
        pooling = self.recipe.backbone.pooling
        reads = files.Reading(how.window, pooling, section=section, fit=how.fit)
        files.write(target, model.backbone, self.tokenizer, reads, state)
        if adapted:
            write_adapter(target, model.backbone, self.recipe.backbone.model, 1 - first)
        save_file(learned, target / RELATIONS, COLUMNS)
        write_text(target / RECIPE, to_toml(self.recipe))
        write_json(target / PROVENANCE, {**self.origin, "data_digest": self.data})


COLUMNS = {"names": json.dumps({"bias": ["self", *RELATION_NAMES], "weights": [*RELATION_NAMES]})}
"""Names of the columns of relation parameters, stored beside them."""


def checkpoints(place: Path) -> list[Path]:
    """Return the checkpoints of a run, oldest first."""
    found = {int(path.name[5:]): path for path in place.glob("checkpoints/step-[0-9]*")
             if path.name[5:].isdecimal() and path.is_dir()}  # fmt: skip
    return [found[step] for step in sorted(found)]


def verify(found: Path) -> dict[str, Any]:
    """Read a checkpoint's state; none of its files may have changed."""
    state: dict[str, Any] = read_json(found / STATE)
    if found.name != f"step-{int(state['step']):06d}":
        raise ValueError(f"{STATE} belongs to step {state['step']}")
    for name, saved in state["files"].items():
        if sha256(found / name) != saved:
            raise ValueError(f"{name} has changed since it was saved")
    return state


def restore(found: Path, model: Phage, optimiser: torch.optim.Optimizer) -> None:
    """Restore the relation parameters and the optimiser's state."""
    for name in (RELATIONS, OPTIMISER):
        if not all(torch.isfinite(value).all() for value in load_file(found / name).values()):
            raise ValueError(f"{name} has values that are not finite")
    model.restore_relations(load_file(found / RELATIONS))
    adamw.restore(load_file(found / OPTIMISER), model, optimiser)


def _hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _flush(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            settle(path)

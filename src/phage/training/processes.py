"""One process or many: which processes take part in a run, and which of them reports.

In:   a recipe and the options of a run; the environment set by ``torchrun``.
Out:  the Accelerator that places the model and joins the processes.
Why:  the loop should read as if it ran alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from phage.errors import PhageError
from phage.extras import require
from phage.storage import alone
from phage.training.checkpoint import checkpoints
from phage.training.recipe import Recipe
from phage.training.resume import check_recipe
from phage.training.steps import share
from phage.training.teacher import teacher_files

if TYPE_CHECKING:
    from accelerate import Accelerator

TRACKERS = ("tensorboard", "wandb")


@dataclass(frozen=True, slots=True)
class Options:
    """Options that do not change what is learned."""

    resume: bool = False
    """Resume from the last checkpoint, if there is one."""
    trackers: tuple[str, ...] = ()
    """``tensorboard``, ``wandb``."""
    pack: bool = False
    """Fill long rows with several patents, so that there is almost no padding; for the kernel."""


@contextlib.contextmanager
def only_run(place: Path) -> Iterator[None]:
    """Become the only run that writes a folder; the first of several processes holds the lock."""
    if int(os.environ.get("RANK", "0")):
        yield
        return
    with alone(place, place / ".lock"):
        yield


def shared_by_cpus() -> bool:
    """Return whether several processes share the work without a GPU, for Accelerate."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and not torch.cuda.is_available()


def check_start(recipe: Recipe, place: Path, options: Options) -> None:
    """Refuse an impossible run before hours go into preparing its patents."""
    if options.pack and not recipe.guided:
        raise PhageError(
            "packed rows need guided attention, which keeps their patents apart",
            place=f"recipe {recipe.name}", remedy="leave --pack out",
        )  # fmt: skip
    if options.pack and recipe.backbone.pooling == "mean":
        raise PhageError("mean pooling needs one patent per row", remedy="leave --pack out")
    known = checkpoints(place)
    if known and not options.resume:
        raise PhageError(
            "this folder already holds a run",
            place=str(place), remedy="add --resume to continue, or choose another -o",
        )  # fmt: skip
    if known:
        check_recipe(known[-1], recipe)
    for name in options.trackers:  # Accelerate would leave out in silence what is not installed
        if name not in TRACKERS:
            raise PhageError(f"unknown tracker '{name}'", remedy=f"use {' or '.join(TRACKERS)}")
        require(name, extra="train")
    share(recipe.train.accumulation, 0, int(os.environ.get("WORLD_SIZE", "1")))
    if recipe.loss.teacher:
        teacher_files(recipe.loss.teacher)


def join_processes(recipe: Recipe, place: Path, options: Options) -> Accelerator:
    """Connect to the other processes, if any, and to the trackers."""
    accelerate = require("accelerate", extra="train")
    place.mkdir(parents=True, exist_ok=True)
    # Accelerate keeps its settings per process; a second run may have another precision.
    accelerate.state.AcceleratorState._reset_state()
    ddp = accelerate.DistributedDataParallelKwargs(gradient_as_bucket_view=True)
    accelerator = accelerate.Accelerator(
        cpu=shared_by_cpus(),
        mixed_precision="bf16" if recipe.train.precision == "bf16" else "no",
        log_with=list(options.trackers) or None,
        project_dir=str(place),
        kwargs_handlers=[ddp],
    )
    if options.trackers:
        accelerator.init_trackers(recipe.name)
    return accelerator


def part(accelerator: Accelerator) -> None:
    """Leave together, when the main process has written everything.

    If a process ends while gloo's own thread still releases the last sum, gloo aborts it
    ("terminate called without an active exception"). The monitored barrier runs in this thread, and
    gloo's thread is idle by then.
    """
    if accelerator.num_processes > 1 and torch.distributed.get_backend() == "gloo":
        torch.distributed.monitored_barrier()
    else:
        accelerator.wait_for_everyone()
    accelerator.end_training()

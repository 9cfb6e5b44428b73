"""One process or many: which processes take part in a run, and which of them reports.

In:   a recipe and the options of a run; what ``torchrun`` put into the environment.
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
    """What does not change what is learned."""

    resume: bool = False
    """Go on from the last checkpoint, if there is one."""
    trackers: tuple[str, ...] = ()
    """``tensorboard``, ``wandb``."""
    pack: bool = False
    """Fill long rows with several patents, so that hardly a token is padding; for the kernel."""


@contextlib.contextmanager
def only_run(place: Path) -> Iterator[None]:
    """Be the only run that writes a folder; of several processes the first one holds the lock."""
    if int(os.environ.get("RANK", "0")):
        yield
        return
    with alone(place, place / ".lock"):
        yield


def shared_by_cpus() -> bool:
    """Say whether several processes share the work without a GPU: Accelerate must know."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1 and not torch.cuda.is_available()


def check_start(recipe: Recipe, place: Path, options: Options) -> None:
    """Refuse a run that cannot be, before hours go into preparing its patents."""
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
    """Meet the other processes, if there are any, and the trackers."""
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

    A process that ends while gloo's own thread still lets go of the last sum is aborted by it
    ("terminate called without an active exception"). The monitored barrier runs in this thread,
    and by then the other has long been idle.
    """
    if accelerator.num_processes > 1 and torch.distributed.get_backend() == "gloo":
        torch.distributed.monitored_barrier()
    else:
        accelerator.wait_for_everyone()
    accelerator.end_training()

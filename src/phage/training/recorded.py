"""Small passes, recorded: one launch instead of thousands.

In:   a pass (forward and backward), batches of few shapes.
Out:  the same gradients and numbers.
Why:  a GPU computes a small batch faster than Python launches it. A CUDA graph, recorded once per
      shape, launches all of it at once."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

from phage.attention.batch import Batch
from phage.training.batches import Triplets
from phage.training.recipe import Recipe

SMALL = 32_768
"""Tokens of a pass up to which launching is what takes the time."""
SHAPES = 32
"""Most recordings; further shapes are launched one by one."""

Pass = Callable[[Triplets, bool], Tensor]
"""Takes triplets on the device and whether to guide; adds to the gradients, gives the terms."""


@dataclass(frozen=True)
class _Recording:
    graph: Any
    places: list[Tensor]
    """Where the graph reads its batch."""
    found: Tensor
    """Where it leaves the terms."""

    def replay(self, triplets: Triplets) -> Tensor:
        for place, fresh in zip(self.places, tensors(triplets), strict=True):
            place.copy_(fresh, non_blocking=True)
        self.graph.replay()
        return self.found.clone()


class Recorder:
    """Runs a pass: as it is when a shape is new, recorded from then on.

    Gradients must exist before the first pass and stay where they are.
    """

    def __init__(self, run: Pass, device: torch.device) -> None:
        """Record ``run`` on its own stream, as CUDA asks for."""
        self._run = run
        self._device = device
        self._stream: Any = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self._memory: Any = torch.cuda.graph_pool_handle()  # one for all: they never run together
        self._made: dict[object, _Recording | None] = {}
        self._able = True

    def __call__(self, triplets: Triplets, guided: bool) -> Tensor:
        """Add to the gradients; give the terms."""
        key = guided, form(triplets)
        if self._able and key in self._made:
            recording = self._made[key] or self._tried(triplets, guided)
            if recording is not None:
                self._made[key] = recording
                return recording.replay(triplets)
        elif self._able and len(self._made) < SHAPES:
            self._made[key] = None
        return self._launched(triplets, guided)

    def _tried(self, triplets: Triplets, guided: bool) -> _Recording | None:
        now, chance = torch.cuda.current_stream(self._device), torch.get_rng_state()
        try:
            return self._recorded(triplets, guided)
        except RuntimeError as error:  # something waits for the device, which a graph cannot
            warnings.warn(
                f"passes cannot be recorded, and are launched one by one: {error}", stacklevel=2
            )
        self._give_up()
        torch.cuda.set_stream(now)
        torch.set_rng_state(chance)
        return None

    def _give_up(self) -> None:
        """Undo what torch leaves of a broken recording: its stream, its memory, its generator."""
        self._able = False
        self._made.clear()
        index = torch.cuda.current_device() if self._device.index is None else self._device.index
        torch.cuda.set_stream(torch.cuda.default_stream(self._device))
        with contextlib.suppress(RuntimeError):  # torch has done so itself, if it came so far
            torch._C._cuda_endAllocateToPool(index, self._memory)
        generator: Any = torch.cuda.default_generators[index]
        generator.graphsafe_set_state(generator.clone_state())

    def _launched(self, triplets: Triplets, guided: bool) -> Tensor:
        now: Any = torch.cuda.current_stream(self._device)
        self._stream.wait_stream(now)
        with torch.cuda.stream(self._stream):
            found = self._run(triplets.to(self._device), guided)
        now.wait_stream(self._stream)
        found.record_stream(now)
        return found

    def _recorded(self, triplets: Triplets, guided: bool) -> _Recording:
        given = triplets.to(self._device)
        places = list(tensors(given))  # before the run, which may add plans
        graph: Any = torch.cuda.CUDAGraph()
        # of this thread alone: another one makes the next batches meanwhile
        with torch.cuda.graph(
            graph, pool=self._memory, stream=self._stream, capture_error_mode="thread_local"
        ):
            found = self._run(given, guided)
        return _Recording(graph, places, found)


def sides(recipe: Recipe, triplets: Triplets, guided: bool) -> list[tuple[Batch, bool]]:
    """Say which readings are guided: the second ones if the first is not."""
    other = recipe.guided and not guided
    return [(triplets.batch, guided), *((view, other) for view in triplets.views)]


def recordable(recipe: Recipe, triplets: Triplets, guided: bool) -> bool:
    """Say whether a pass is small, and asks the device nothing while it runs."""
    found = sides(recipe, triplets, guided)
    # the other claim loss asks how many claims there are
    able = recipe.loss.claim_negatives == "own" or not recipe.aligned
    # without a plan the kernel does not attend, and who does may ask
    ready = all(b.guidance.plans if on else b.position_ids is None for b, on in found)
    small = sum(batch.input_ids.numel() for batch, _ in found) <= SMALL
    return recipe.train.compile and able and ready and small


def tensors(part: object) -> Iterator[Tensor]:
    """Go through all tensors of a batch, plans too, in a fixed order."""
    if isinstance(part, Tensor):
        yield part
    elif is_dataclass(part):
        for field in fields(part):
            yield from tensors(getattr(part, field.name))
    elif isinstance(part, dict):
        for value in part.values():
            yield from tensors(value)
    elif isinstance(part, tuple):
        for value in part:
            yield from tensors(value)


def form(part: object) -> object:
    """Return what two batches must share to be run by one recording: all but the numbers."""
    if isinstance(part, Tensor):
        return part.shape, part.dtype
    if is_dataclass(part):
        return tuple(form(getattr(part, field.name)) for field in fields(part))
    if isinstance(part, dict):
        return tuple((key, form(value)) for key, value in part.items())
    if isinstance(part, tuple):
        return tuple(map(form, part))
    return part

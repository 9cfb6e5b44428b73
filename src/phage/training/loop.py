"""The training loop.

In:   a recipe, a training set, a folder.
Out:  the trained model in that folder, with checkpoints, history and a plot of the loss.
Why:  short enough to be read whole. Accelerate places the model and joins the processes. The result
      depends only on the recipe and the data. Each micro-batch has its own seed, so neither
      stopping nor sharing the work changes a number (except for the order of sums)."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import torch
from torch import Tensor

from phage.attention.batch import Layout
from phage.attention.guided_model import plan_ahead
from phage.compiled import compile_layers
from phage.errors import PhageError
from phage.provenance import provenance
from phage.storage import write_json
from phage.training.batches import Maker, Triplets, check_edges
from phage.training.checkpoint import Run, checkpoints, restore
from phage.training.controls import controlled
from phage.training.data import TrainingSet
from phage.training.model import Phage, build, load_tokenizer
from phage.training.optimiser import clip, make_optimiser, set_rate
from phage.training.prefetch import Prefetch
from phage.training.processes import Options, check_start, join_processes, only_run, part
from phage.training.recipe import Recipe
from phage.training.recorded import Recorder, recordable, sides
from phage.training.repeatable import repeatable
from phage.training.report import TERMS, StepRow, TrainingReport, plot
from phage.training.resume import check_data, data_digest, sound
from phage.training.sampling import labels_of
from phage.training.start import inputs
from phage.training.steps import Steps, rate, share
from phage.training.stopping import Stopped, out_of_memory, stop_signals
from phage.training.teacher import teacher_vectors

if TYPE_CHECKING:
    from accelerate import Accelerator

__all__ = ["Loop", "Numbers", "Options", "train"]


def train(recipe: Recipe, data: TrainingSet, place: Path, options: Options | None = None) -> Path:
    """Train a model into a folder; return the folder."""
    with repeatable(recipe.train.repeatable), only_run(place):
        return _train(recipe, data, place, options or Options())


def _train(recipe: Recipe, data: TrainingSet, place: Path, options: Options) -> Path:
    check_start(recipe, place, options)
    found = next(reversed(checkpoints(place)), None)
    accelerator = join_processes(recipe, place, options)
    teacher = None
    if recipe.loss.teacher:
        vectors, known = teacher_vectors(recipe.loss.teacher, data)
        teacher = vectors.to(accelerator.device), known.to(accelerator.device)
    steps = Steps.of(data.codes, recipe, teacher)
    digest = data_digest(data, recipe)  # of the true graphs: controls follow from them
    data, pairs = controlled(data, recipe)
    check_edges(data, recipe)
    tokenizer = load_tokenizer(recipe)
    origin = provenance(
        recipe=recipe.name, seed=recipe.train.seed, patents=len(data), steps=steps.count,
        inputs=inputs(recipe, data), **data.origin,
    )  # fmt: skip
    run = Run(place, recipe, tokenizer, digest, origin)
    done = check_data(found, run.data) if found else 0
    with sound(found) if found else contextlib.nullcontext():
        classes = int(labels_of(data.codes).max()) + 1
        whole = found and not recipe.backbone.adapter  # an adapter starts from its base again
        model = build(recipe, str(found) if whole else None, classes)
    if recipe.train.compile:
        compile_layers(model.backbone)
    row = 4 * recipe.input.window if options.pack else None
    # a compiler wants few shapes, and each recording serves one
    few = {"multiple": row or 64, "nodes": 32} if recipe.train.compile else {}
    layout = Layout.of(model.backbone, tokenizer, row=row, **few)
    if teacher is not None:
        model.teacher, model.known = teacher
    wrapped = accelerator.prepare(model)
    optimiser = make_optimiser(model, recipe)
    if found:
        with sound(found):
            restore(found, model, optimiser)
    report = TrainingReport(place, accelerator, steps.size)
    make = Maker(data, steps.labels, recipe, layout, None if pairs is data else pairs)
    loop = Loop(accelerator, wrapped, model, optimiser, steps, run, report, make)
    with report.live(recipe.name, done, steps.count), stop_signals() as stop, out_of_memory(recipe):
        loop.run_steps(done, stop)
    if accelerator.is_main_process:
        run.publish(model)
        plot(place)
    part(accelerator)
    return place


@dataclass
class Loop:
    """The state of a run."""

    accelerator: Accelerator
    wrapped: torch.nn.Module
    """The model as Accelerate runs it."""
    model: Phage
    """The model itself."""
    optimiser: torch.optim.Optimizer
    steps: Steps
    run: Run
    report: TrainingReport
    make: Maker
    pending: Numbers | None = None
    """Of the step before: read one step late, so that the device never waits for us."""
    recorder: Recorder | None = None

    def run_steps(self, done: int, stop: list[int]) -> None:
        """Take all steps that are left."""
        train, world = self.steps.recipe.train, self.accelerator.num_processes
        mine = share(train.accumulation, self.accelerator.process_index, world)
        with Prefetch(self._batches(done, mine)) as batches, contextlib.ExitStack() as left:
            for step in range(done, self.steps.count):
                if step == done + 2:  # what loading and compiling left need not be searched again
                    gc.collect()
                    gc.freeze()
                    left.callback(gc.unfreeze)
                if world > 1 and self._anyone(stop):
                    self._stop(step)
                numbers = self._accumulate(step, mine, batches, stop if world == 1 else [])
                self._update(step, numbers)
                self._settle()
                self.pending = numbers.sent(self.accelerator)
                last = step + 1 == self.steps.count
                if last or (train.save_every and (step + 1) % train.save_every == 0):
                    self._save(step + 1)

    def _batches(self, done: int, mine: range) -> Iterator[Triplets]:
        pin = self.accelerator.device.type == "cuda"
        dtype = torch.bfloat16 if self.steps.recipe.train.precision == "bf16" else torch.float32
        for step in range(done, self.steps.count):
            for index in mine:
                made = self.make(self.steps.micro_batch(step, index), self.steps.seed(step, index))
                guided = self.steps.guided(step, index)
                for batch, on in sides(self.steps.recipe, made, guided):
                    if pin and on:
                        plan_ahead(self.model.backbone, batch.guidance, dtype)
                yield made.pin_memory() if pin else made

    def _accumulate(
        self, step: int, mine: range, batches: Iterator[Triplets], stop: list[int]
    ) -> Numbers:
        """Add up the gradients of one step."""
        device = self.accelerator.device
        terms = torch.zeros(self.steps.recipe.train.accumulation, len(TERMS), device=device)
        tokens = 0
        for index in mine:
            if stop:  # the half step is dropped, and taken again on resume
                self._stop(step)
            triplets = next(batches)
            tokens += int(triplets.batch.attention_mask.sum())
            torch.manual_seed(self.steps.seed(step, index))
            # Gradients meet once per step, with the last micro-batch of each process.
            last = index == mine[-1]
            with contextlib.nullcontext() if last else self.accelerator.no_sync(self.wrapped):
                terms[index] = self._pass(triplets, self.steps.guided(step, index), len(mine))
        # filled, not copied: a copy would wait until the device has done all of the step
        counted = torch.full((), tokens, device=device)
        return Numbers(step, terms, terms.new_zeros(()), counted)

    def _pass(self, triplets: Triplets, guided: bool, passes: int) -> Tensor:
        """Add to the gradients; give the terms."""

        def run(given: Triplets, guided: bool) -> Tensor:
            found: Tensor = self.wrapped(given, guided)
            self.accelerator.backward(found[0] / passes)
            return found.detach()

        device = self.accelerator.device
        alone = device.type == "cuda" and self.accelerator.num_processes == 1
        if not (alone and recordable(self.steps.recipe, triplets, guided)):
            return run(triplets.to(device), guided)
        if self.recorder is None:
            for parameter in self.model.parameters():
                if parameter.requires_grad and parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
            self.recorder = Recorder(run, device)
        return self.recorder(triplets, guided)

    def _update(self, step: int, numbers: Numbers) -> None:
        numbers.norm = clip(self.optimiser)
        set_rate(self.optimiser, rate(step, self.steps.count, self.steps.recipe.train))
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=self.recorder is None)

    def _settle(self) -> None:
        """Read the numbers of the previous step; stop if they are not finite."""
        if self.pending is None:
            return
        numbers, self.pending = self.pending.read(), None
        step, train = numbers.step, self.steps.recipe.train
        if not torch.isfinite(numbers.terms).all() or not torch.isfinite(numbers.norm):
            self._refuse(numbers)
        self.report.add(
            StepRow(
                step=step + 1,
                epoch=self.steps.epoch(step + 1),
                **dict(zip(TERMS, numbers.terms.mean(0).tolist(), strict=True)),
                norm=float(numbers.norm),
                rate=rate(step, self.steps.count, train) * train.learning_rate,
                tokens=int(numbers.tokens),
                seconds=self.report.seconds(numbers.stamp),
            )
        )

    def _save(self, step: int) -> None:
        self._settle()  # never save what is not finite
        if self.accelerator.is_main_process:
            self.run.save(self.model, self.optimiser, step)
        self.accelerator.wait_for_everyone()

    def _anyone(self, stop: list[int]) -> bool:
        """Agree on stopping: all processes or none."""
        asked = torch.tensor(len(stop), device=self.accelerator.device)
        return bool(self.accelerator.reduce(asked, "sum") > 0)

    def _stop(self, step: int) -> NoReturn:
        self._save(step)
        raise Stopped(
            f"stopped after step {step} of {self.steps.count}; everything is saved",
            place=str(self.run.place),
            remedy="the same command with --resume continues from there",
        )

    def _refuse(self, numbers: Numbers) -> NoReturn:
        """Report which micro-batch was not finite, and keep it."""
        wrong = (~torch.isfinite(numbers.terms).all(1)).nonzero().flatten().tolist()
        wrong = wrong or list(range(len(numbers.terms)))  # only the gradient was not
        path = self.run.place / f"not-finite-step-{numbers.step + 1}.json"
        if self.accelerator.is_main_process:
            self._keep(path, numbers.step, wrong)
        seen = zip(TERMS, numbers.terms[wrong[0]].tolist(), strict=True)
        last = checkpoints(self.run.place)
        raise PhageError(
            f"the loss is not finite in step {numbers.step + 1}, micro-batch {wrong[0]}: "
            + ", ".join(f"{name} {value:.4g}" for name, value in seen),
            place=f"{path} lists the patents; the file beside it holds their tokens",
            remedy="lower train.learning_rate or raise the temperatures"
            + (f"; {last[-1].name} is still intact" if last else ""),
        )

    def _keep(self, path: Path, step: int, wrong: list[int]) -> None:
        data, batches = self.make.data, {}
        for index in wrong:
            patents = self.steps.micro_batch(step, index)
            batches[str(index)] = {
                "seed": self.steps.seed(step, index),
                "guided": self.steps.guided(step, index),
                "triplets": [[data.numbers[i] for i in triplet] for triplet in patents],
            }
        write_json(path, {"step": step + 1, "micro_batches": batches})
        first = self.steps.micro_batch(step, wrong[0]).reshape(-1)
        data.take(first).save(path.with_suffix(".safetensors"))


@dataclass
class Numbers:
    """The numbers of a step; on the device until they are read."""

    step: int
    terms: Tensor
    """(accumulation, 6), zero in the rows of other processes."""
    norm: Tensor
    tokens: Tensor
    stamp: float = 0.0
    """When it was sent."""
    ready: Any = None

    def sent(self, accelerator: Accelerator) -> Numbers:
        """Sum over the processes and start the copy to the CPU, without waiting for it."""
        terms, tokens = (accelerator.reduce(part, "sum") for part in (self.terms, self.tokens))
        here = [part.to("cpu", non_blocking=True) for part in (terms, self.norm, tokens)]
        ready: Any = torch.cuda.current_stream().record_event() if terms.is_cuda else None
        return Numbers(self.step, here[0], here[1], here[2], time.monotonic(), ready)

    def read(self) -> Numbers:
        """Wait until the copy has arrived."""
        if self.ready is not None:
            self.ready.synchronize()
        return self

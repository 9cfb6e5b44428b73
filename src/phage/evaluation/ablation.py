"""Run an ablation: every row of a plan with every seed.

In:   a plan's prepared inputs and a folder for results.
Out:  the finished runs in that folder (``ablation_run``); the names of those that are still to do.
Why:  one command that can be stopped and started again. What is finished is never repeated; several
      runs share a GPU or the cores, and one that fails does not end the others."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from phage.errors import PhageError
from phage.evaluation.ablation_inputs import Inputs, forget
from phage.evaluation.ablation_run import Job, run
from phage.storage import alone, write_json, write_text
from phage.worker_signals import leave_interrupts_to_parent, starting


@dataclass(frozen=True, slots=True)
class How:
    """How runs are computed; no score depends on it."""

    jobs: int = 1
    """Trainings at once."""
    deadline: float | None = None
    """Seconds after which no new run starts."""
    keep_models: bool = False


def run_all(inputs: Inputs, output: Path, how: How, *, only_prepare: bool = False) -> list[str]:
    """Run what is not done yet; return the runs that are still to do, each with the reason."""
    end = time.monotonic() + how.deadline if how.deadline is not None else None
    rows = inputs.plan.rows
    # Seed by seed: a call that is cut short has a table of all rows.
    order = sorted({seed for row in rows for seed in row.seeds})
    todo = [Job(row, seed, inputs, output, how.keep_models) for seed in order
            for row in rows if seed in row.seeds]  # fmt: skip
    todo = [job for job in todo if not job.finished()]
    # Those with a graph first: their training sets serve No Graph as well, not the reverse.
    for job in sorted(todo, key=lambda job: not job.row.load(job.seed).graph.relations):
        job.prepare()
    forget()
    if only_prepare:
        return [job.name for job in todo]
    if how.jobs > 1 and len(todo) > 1:
        _side_by_side(todo, how.jobs, end)
    else:
        _work(todo, end)
    return [f"{job.name}: {_reason(job)}" for job in todo if not job.finished()]


def _work(todo: Sequence[Job], end: float | None, free: Any = None) -> None:  # noqa: ANN401
    """Do every run that nobody else does; ``free`` is the semaphore of trainings."""
    for job in todo:
        if end is not None and time.monotonic() > end:
            return
        if free is None:
            run(job, contextlib.nullcontext())
            continue
        try:
            with alone(job.place):
                if not job.finished():
                    run(job, free)
        except PhageError as error:
            if getattr(error, "code", 2) != 2:  # stopped by a signal
                return
            if "another run is writing" not in error.message:
                write_text(job.error, f"{error}\n")
        except Exception as error:  # noqa: BLE001  (one run must not end the others)
            write_text(job.error, f"{type(error).__name__}: {error}\n")


def _reason(job: Job) -> str:
    return job.error.read_text("utf-8").strip() if job.error.is_file() else "not begun"


def _side_by_side(todo: Sequence[Job], jobs: int, end: float | None) -> None:
    """Share the runs among processes: each takes the first that is neither done nor taken."""
    context = multiprocessing.get_context("spawn")
    cores = os.cpu_count() or 1
    # While one scores on a core, another may train: more processes than trainings.
    count = min(len(todo), max(jobs, min(2 * jobs, cores)) if torch.cuda.is_available() else jobs)
    free, left = context.Semaphore(jobs), None if end is None else end - time.monotonic()
    with _one_core_each(max(1, cores // count)), starting():
        workers = [
            context.Process(target=_follow, args=(list(todo), left, free, os.getpid()), daemon=True)
            for _ in range(count)
        ]
        for worker in workers:
            worker.start()
    try:
        for worker in workers:
            worker.join()
    except BaseException:
        for worker in workers:
            worker.terminate()  # a training saves a checkpoint first
        for worker in workers:
            worker.join()
        raise


def _follow(todo: list[Job], left: float | None, free: Any, parent: int) -> None:  # noqa: ANN401
    """Work until nothing is left, quietly; end with the parent, even if that was killed."""
    leave_interrupts_to_parent()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    log = todo[0].output / "logs" / f"{os.getpid()}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", buffering=1) as out:  # progress lines of many would fight for one line
        os.dup2(out.fileno(), sys.stderr.fileno())
        os.dup2(out.fileno(), sys.stdout.fileno())
    _work(todo, None if left is None else time.monotonic() + left, free)


@contextlib.contextmanager
def _one_core_each(threads: int) -> Iterator[None]:
    """Let processes started inside share the cores: torch reads this when it is imported."""
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = str(threads)
    try:
        yield
    finally:
        os.environ.pop(name) if before is None else os.environ.__setitem__(name, before)


def write_outputs(output: Path, row: Mapping[str, Any], markdown: str, latex: str) -> None:
    """Write the table in three forms."""
    write_json(output / "ablation.json", row)
    write_text(output / "ablation.md", markdown)
    write_text(output / "ablation.tex", latex)

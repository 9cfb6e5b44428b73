"""Many runs on one GPU, against the clock.

In:   jobs, a deadline, how many processes train and how many score.
Out:  ``STAGE.jsonl``, a row per model and corpus as soon as it is scored; ``samples-STAGE.tar`` with
      what comparisons need; kept models in parts.
Why:  imports take 25 s, a run takes 20: one parent imports everything and never touches the GPU;
      its forks train (several at once keep the GPU busy while others make batches) or score on CPU
      cores, where a probe of thousands of tiny steps belongs. No run starts that cannot end in time."""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import shutil
import sys
import tarfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from benchmarks.mini import corpora
from benchmarks.mini.plan import RATE, Job
from benchmarks.mini.work import Made, Worker, peak

from phage.evaluation.results import save_samples
from phage.evaluation.scoring import score_vectors
from phage.evaluation.tasks import Part, TaskData
from phage.provenance import commit, versions
from phage.storage import atomic
from phage.training.recipe_file import to_toml

MARGIN = 30.0
"""Seconds kept for scoring and packing after the last run."""
SCORED = {"week": 4_973, "a61b5": 12_500}
"""Documents encoded to score a model."""
Known = Mapping[str, corpora.Prepared]
PART = 15 << 20
"""Bytes of one part of a kept model."""


@dataclass(frozen=True)
class Call:
    """One call of the device machine."""

    folder: Path
    """The prepared corpora."""
    out: Path
    scratch: Path
    trainers: int = 4
    scorers: int = 8
    deadline: float = 540.0
    """Seconds from now after which nothing may still run."""
    rate: float = RATE
    """Sequences per second of all trainers together."""
    leave: Path | None = None
    """Where every trained model is left, to be averaged."""
    startup: float = 12.0
    """Seconds a run takes beside its sequences."""

    def expected(self, job: Job, patents: dict[str, int]) -> float:
        """Guess the seconds of a job while all trainers are busy."""
        scored = sum(SCORED.get(name, SCORED["week"]) for name in job.score)
        encoded = scored * (len(job.averages) + job.guided) / 3  # forward only
        whole = job.sequences(corpora.counted(job.data, patents)) + encoded
        length = max(1.0, job.recipe.input.window / 512)
        return self.startup + whole * length * self.trainers / self.rate


def run(jobs: Sequence[Job], call: Call, method: str = "fork") -> int:
    """Run what can be run in time; give the number of jobs that were not begun."""
    call.out.mkdir(parents=True, exist_ok=True)
    call.scratch.mkdir(parents=True, exist_ok=True)
    context: Any = multiprocessing.get_context(method)
    end = time.monotonic() + call.deadline - MARGIN
    preload()
    todo, made, told, begun = (context.Queue() for _ in range(4))
    known = {name: corpora.load(call.folder, name) for name in needed(jobs)}
    trainers = [
        context.Process(target=_train, args=(call, known, (todo, made, told, begun), end, index))
        for index in range(min(call.trainers, len(jobs)))
    ]
    asked = {name: corpus.tasks for name, corpus in known.items()}
    scorers = [
        context.Process(target=_score, args=(call, asked, (made, told), index))
        for index in range(call.scorers)
    ]
    for process in (*trainers, *scorers):
        process.start()
    for job in jobs:  # only now: a queue in use has a thread, which a fork would not take along
        todo.put(job)
    lost = _watch(trainers, told, call)
    for _ in scorers:
        made.put(None)
    lost += _watch(scorers, told, call)
    started = _count(begun)
    if not started and method == "fork" and _count(todo):  # taken by nobody, not even refused
        print("no trainer started; once more without forking", flush=True)
        return run(jobs, replace(call, deadline=end + MARGIN - time.monotonic()), "spawn")
    for stage in {job.stage for job in jobs}:
        pack(call, stage)
    print(f"{started} of {len(jobs)} runs were begun", *lost, sep="\n", flush=True)
    return len(jobs) - started


def preload() -> None:
    """Import what forks need, so that each does not import it again; the GPU stays untouched."""
    import accelerate
    import sklearn.cluster
    import sklearn.metrics
    import torch
    import torch._dynamo
    from transformers import AutoModel, AutoTokenizer, BertModel

    assert accelerate and sklearn and AutoModel and AutoTokenizer and BertModel
    commit()  # asked once, known to all forks
    if torch.cuda.is_initialized():
        raise RuntimeError("the parent has touched the GPU; its forks cannot use it")


def _count(filled: Any) -> int:
    """Empty a queue and count."""
    count = 0
    while True:
        try:
            filled.get(timeout=0.2)
            count += 1
        except queue.Empty:
            return count


def needed(jobs: Sequence[Job]) -> tuple[str, ...]:
    """Name the corpora that jobs train on or are scored by."""
    return tuple(
        sorted({name for job in jobs for name in (*corpora.members(job.data), *job.score)})
    )


def _watch(processes: Sequence[Any], told: Any, call: Call) -> list[str]:
    """Print what is told until all have ended; give what went wrong, to be said once more."""
    packed = time.monotonic()
    lost: list[str] = []
    while any(process.is_alive() for process in processes) or not told.empty():
        try:
            line: str = told.get(timeout=0.5)
        except queue.Empty:
            continue
        print(line, flush=True)
        if " failed: " in line or " was not scored: " in line:
            parts = line.strip().split("\n")
            lost.append(f"{parts[0]} … {parts[-1]}")
        if time.monotonic() - packed > 60:  # a killed call still brings back what was done
            for path in call.out.glob("*.jsonl"):
                pack(call, path.stem)
            packed = time.monotonic()
    for process in processes:
        process.join()
        if process.exitcode:
            lost.append(f"{process.name} ended with {process.exitcode}")
    return lost


def _train(
    call: Call, known: Known, queues: tuple[Any, Any, Any, Any], end: float, index: int
) -> None:
    todo, made, told, begun = queues
    _quiet(call, f"trainer-{index}")
    try:
        worker = Worker(known, call.scratch)
    except Exception:  # noqa: BLE001  (told to whoever watches)
        told.put(f"trainer {index} did not start: {traceback.format_exc()}")
        return
    patents = {name: len(corpus.train) for name, corpus in known.items()}
    slow, failed = 1.0, 0  # how much longer runs take than expected; how many failed in a row
    while failed < 2:  # a GPU in disorder fails every run: better none than all of them
        try:
            job = todo.get(timeout=3.0)
        except queue.Empty:
            return
        guess = call.expected(job, patents)
        if time.monotonic() + slow * guess > end:
            told.put(f"{job.name} is left: it would take {slow * guess:.0f} s")
            continue  # a shorter one may still fit
        begun.put(job.name)
        start = time.monotonic()
        try:
            took = _one(worker, job, made, call)
            failed = 0
        except Exception:  # noqa: BLE001  (one run must not end the others)
            told.put(f"{job.name} failed: {traceback.format_exc()}")
            failed += 1
            continue
        finally:
            worker.rest()
        spent = time.monotonic() - start
        slow = 0.5 * slow + 0.5 * spent / guess
        told.put(f"{job.name}: {spent:.0f} s of {guess:.0f} s, {json.dumps(took)}")


def _one(worker: Worker, job: Job, made: Any, call: Call) -> dict[str, Any]:
    """Do one job; what is not scored is written here."""
    place, took = worker.train(job)
    took = {**took, **peak(worker.device)}
    for one in worker.vectors(job, place, took):
        made.put(one)
    if job.keep:
        keep(place, call.out, job)
    if call.leave is not None:
        shutil.copytree(place, call.leave / place.name, dirs_exist_ok=True)
    if not job.score:
        rows = job.sequences(job.recipe.train.batch) / job.recipe.train.epochs
        append(call.out / f"{job.stage}.jsonl", {**about(job), "rows": rows, "seconds": took})
    return took


def _score(call: Call, asked: Mapping[str, TaskData], queues: tuple[Any, Any], index: int) -> None:
    made, told = queues
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # never asked before in this process, so it holds
    os.nice(10)  # training comes first
    _quiet(call, f"scorer-{index}")
    while (one := made.get()) is not None:
        try:
            row = scored(one, asked[one.corpus], call.scratch)
            append(call.out / f"{one.job.stage}.jsonl", row)
            told.put(brief(row))
        except Exception:  # noqa: BLE001  (one row must not end the others)
            told.put(f"{one.job.name} was not scored: {traceback.format_exc()}")
        one.path.unlink(missing_ok=True)


def scored(one: Made, asked: TaskData, scratch: Path) -> dict[str, Any]:
    """Score vectors as `phage evaluate` does; write the samples of what is reported."""
    part = Part(one.job.part)
    tasks = asked.choose([part])
    start = time.monotonic()
    scores = score_vectors(np.load(one.path), tasks, one.job.runs)
    row = {
        **about(one.job), "corpus": one.corpus, "attention": one.label, "share": one.share,
        "seconds": {**one.seconds, "score": round(time.monotonic() - start, 2)},
        "tasks": {score.task: score.to_json() for score in scores},
    }  # fmt: skip
    if part is Part.TEST:
        save_samples(scratch / "samples" / sample_name(row), scores)
    return row


def about(job: Job) -> dict[str, Any]:
    """Say which run it was."""
    return {
        "job": job.name, "stage": job.stage, "variant": job.variant, "data": job.data,
        "size": job.size, "seed": job.seed, "recipe": to_toml(job.recipe), "versions": versions(), "commit": commit(),
    }  # fmt: skip


def sample_name(row: dict[str, Any]) -> str:
    """Name the file of a row's samples."""
    return f"{row['job']}/{row['corpus']}-{row['attention']}-{row['share']}.npz".replace("/", "_")


def brief(row: dict[str, Any]) -> str:
    """Give the headline of a row."""
    shown = {"micro_f1", "macro_f1", "nmi", "ndcg@100"}
    words = [
        f"{task.split('-')[0][:5]} {name} {value['mean']:.3f}"
        for task, about in row["tasks"].items()
        for name, value in about["measures"].items()
        if name in shown
    ]
    return f"{row['job']} {row['corpus']} {row['attention']} {row['share']}: {', '.join(words)}"


def append(path: Path, row: dict[str, Any]) -> None:
    """Add a row to a file that several processes write: one write, whole or absent."""
    line = json.dumps(row, ensure_ascii=False) + "\n"
    with path.open("ab", buffering=0) as out:
        out.write(line.encode())


def pack(call: Call, stage: str) -> None:
    """Put the samples of a stage into one file: only a few files come back."""
    found = sorted((call.scratch / "samples").glob(f"{stage}_*.npz"))
    if found:
        with (
            atomic(call.out / f"samples-{stage}.tar") as partial,
            tarfile.open(partial, "w") as tar,
        ):
            for path in found:
                tar.add(path, path.name)


def keep(place: Path, out: Path, job: Job) -> None:
    """Keep a model as parts small enough to come back: fp16 weights, and all its small files."""
    from safetensors.torch import load_file, save

    state = {name: value.half() for name, value in load_file(place / "model.safetensors").items()}
    whole = save(state, {"format": "pt"})
    name = job.name.replace("/", "_")
    for index in range(0, len(whole), PART):
        (out / f"{name}.safetensors.{index // PART}").write_bytes(whole[index : index + PART])
    with tarfile.open(out / f"{name}.tar", "w") as tar:
        for path in sorted(path for path in place.rglob("*") if path.is_file()):
            if path.name != "model.safetensors":
                tar.add(path, path.relative_to(place))


def _quiet(call: Call, name: str) -> None:
    """Send what a process prints to a file; progress bars of many would fight for one line."""
    log = (call.scratch / f"{name}.log").open("a", buffering=1)
    threading.Thread(target=_tell, args=(log, threading.main_thread().ident), daemon=True).start()
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    sys.stdout.flush()


def _tell(log: TextIO, thread: int) -> None:
    """Write from time to time where a process is, should it hang.

    ``faulthandler`` reads the frames of a running thread without the interpreter's lock: it has
    ended processes by a segmentation fault, and their rows were lost.
    """
    while True:
        time.sleep(150)
        log.write("Timeout: still here\n")
        traceback.print_stack(sys._current_frames()[thread], file=log)

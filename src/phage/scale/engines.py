"""Who does the work: this process, several, or a Ray cluster.

In:   a job's function and numbered chunks.
Out:  numbered parts, as they are finished, in any order.
Why:  each engine keeps only a few chunks under way, so memory does not grow with the corpus."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import Any

from phage.errors import PhageError
from phage.extras import require
from phage.scale.job import Part
from phage.worker_signals import leave_interrupts_to_parent, starting

Work = Callable[[Any], Part]
Chunks = Iterator[tuple[int, list[Any]]]
Parts = Iterator[tuple[int, Part]]


@dataclass(frozen=True, slots=True)
class Where:
    """Where a run does its work."""

    engine: str = "local"
    """``local`` or ``ray``."""
    workers: int = 1
    """Processes, for ``local`` and for a Ray that is started here."""
    address: str = ""
    """Address of a running Ray cluster (``auto``, ``ray://host:10001``), whose nodes all have phage
    installed. If empty, ``RAY_ADDRESS`` is used, or a new Ray is started on this machine."""
    gpu: bool = False
    """Whether the work runs a model: on a cluster with GPUs, each part then gets a GPU to
    itself."""


def work_on(where: Where, work: Work, chunks: Chunks) -> Parts:
    """Send chunks to the engine and yield parts as they are finished."""
    if where.engine not in ENGINES:
        raise PhageError(f"unknown engine '{where.engine}'", remedy=f"use {' or '.join(ENGINES)}")
    if where.workers < 1:
        raise PhageError("a run needs at least one worker", remedy="use --workers 1 or more")
    return ENGINES[where.engine](where, work, chunks)


def _local(where: Where, work: Work, chunks: Chunks) -> Parts:
    if where.workers > 1:
        yield from _processes(where.workers, work, chunks)
        return
    for index, chunk in chunks:
        yield index, work(chunk)


def _processes(workers: int, work: Work, chunks: Chunks) -> Parts:
    others = set(active_children())
    # Spawned, not forked: the caller may hold threads (Arrow, torch) that a fork would break.
    pool = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_follow, initargs=(os.getpid(), workers)
    )
    pending: dict[Future[Part], int] = {}
    try:
        for index, chunk in chunks:
            with starting():  # it may start a process
                pending[pool.submit(work, chunk)] = index
            while len(pending) >= 4 * workers:  # one at work, some waiting: nobody runs dry
                yield from _finished(pending)
        while pending:
            yield from _finished(pending)
    except BaseException as error:
        _end(pool, set(active_children()) - others)
        if isinstance(error, BrokenProcessPool):
            raise PhageError(
                "a worker process died; it may have run out of memory",
                remedy="give the same command again to resume, with fewer --workers",
            ) from error
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _end(pool: ProcessPoolExecutor, workers: set[BaseProcess]) -> None:
    """Stop workers at once: their unfinished chunks are discarded anyway."""
    # Else the pool's threads would wait for ever: one to hand a chunk to the dead (seen with
    # Python 3.11.2), one for the rest of an answer that a worker was about to give. A newer pool
    # closes the first itself when a worker is gone, perhaps in this very moment.
    for pipe in (pool._call_queue._reader, pool._result_queue._writer):  # type: ignore[attr-defined]
        with contextlib.suppress(OSError):
            pipe.close()
    for worker in workers:
        worker.terminate()


def _finished(pending: dict[Future[Part], int]) -> Parts:
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        yield pending.pop(future), future.result()


def _follow(parent: int, workers: int) -> None:
    """Leave Ctrl-C to the parent process, and exit when the parent exits or is killed."""
    leave_interrupts_to_parent()
    # read when torch is first imported: together the workers use the cores once, not each all of them
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _ray(where: Where, work: Work, chunks: Chunks) -> Parts:
    ray = require("ray", extra="cluster")
    started = not ray.is_initialized()
    if started:
        address = where.address or os.environ.get("RAY_ADDRESS", "")
        place = {"address": address} if address else {"num_cpus": where.workers}
        ray.init(**place, include_dashboard=False, log_to_driver=False, logging_level="warning")
    try:
        yield from _tasks(ray, work, chunks, gpu=where.gpu)
    finally:
        if started:
            ray.shutdown()


def _tasks(ray: Any, work: Work, chunks: Chunks, *, gpu: bool) -> Parts:  # noqa: ANN401  (the module)
    found = ray.cluster_resources()
    gpus = int(found.get("GPU", 0)) if gpu else 0
    # A lost node is not an error of the work: its chunks are done again elsewhere. Ray hides GPUs
    # from tasks that ask for none; workers are used again, so a model is loaded once in each.
    task = ray.remote(max_retries=-1, num_gpus=min(gpus, 1))(_call)
    shared = ray.put(work)
    pending: dict[Any, int] = {}
    most = 2 * max(1, gpus or int(found.get("CPU", 1)))
    for index, chunk in chunks:
        pending[task.remote(shared, chunk)] = index
        while len(pending) >= most:
            yield from _returned(ray, pending)
    while pending:
        yield from _returned(ray, pending)


def _call(work: Work, chunk: list[Any]) -> Part:
    return work(chunk)


def _returned(ray: Any, pending: dict[Any, int]) -> Parts:  # noqa: ANN401  (the module)
    ready, _ = ray.wait(list(pending), num_returns=1)
    for reference in ready:
        index = pending.pop(reference)
        try:
            yield index, ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, PhageError):
                raise error.cause from None
            raise


ENGINES: dict[str, Callable[[Where, Work, Chunks], Parts]] = {"local": _local, "ray": _ray}

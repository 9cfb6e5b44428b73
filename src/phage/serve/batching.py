"""One thread that encodes the texts of many requests together.

In:   single jobs, from any thread.
Out:  a future each.
Why:  a model is fastest on batches, and one thread keeps torch from competing with itself for the
      cores. The first job waits a few milliseconds so that others can join. A thread cannot be
      killed, so an encoding that nobody waits for ends between two batches."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from phage.serve.problems import Stop, too_late
from phage.serve.settings import Settings

Work = Callable[[Sequence[Any], Callable[[int], None]], Sequence[Any]]
"""Takes jobs of one kind, and a function to call after each batch."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One waiting job."""

    kind: str
    job: Any
    size: int
    """Characters."""
    deadline: float
    future: Future[Any]


class _Abandoned(Exception):
    """Nobody is waiting for this job."""


class Batcher:
    """Gathers jobs of several kinds; ``work[kind]`` does a batch of one kind."""

    def __init__(self, work: dict[str, Work], settings: Settings) -> None:
        """Start the thread."""
        self.work, self.settings = work, settings
        self.batches = self.jobs = 0
        self._closed = threading.Event()
        self._queue: queue.Queue[_Asked | None] = queue.Queue(settings.waiting)
        self._thread = threading.Thread(target=self._run, name="phage-encode", daemon=True)
        self._thread.start()

    def submit(self, kind: str, job: Any, size: int = 0) -> Future[Any]:  # noqa: ANN401
        """Queue one job of ``size`` characters."""
        if self._closed.is_set():
            raise Stop(503, "the server is stopping")
        deadline = time.monotonic() + self.settings.answer_seconds
        asked = _Asked(kind, job, size, deadline, Future())
        try:
            self._queue.put_nowait(asked)
        except queue.Full:
            raise Stop(503, "too many requests are waiting", remedy="try again soon") from None
        return asked.future

    def close(self) -> None:
        """Stop: every caller has been answered, and remaining work ends with the process."""
        if not self._closed.is_set():
            self._closed.set()
            with contextlib.suppress(queue.Empty):
                while (asked := self._queue.get_nowait()) is None or asked.future.cancel():
                    pass
            self._queue.put(None)
            self._thread.join(timeout=2)

    def _run(self) -> None:
        following: _Asked | None = None
        while (first := following or self._queue.get()) is not None:
            gathered, following, last = self._gather(first)
            self._do(gathered)
            if last:
                return

    def _gather(self, first: _Asked) -> tuple[list[_Asked], _Asked | None, bool]:
        """Return the jobs to do together, one that was too large for them, and whether to end."""
        gathered, size = [first], first.size
        end = time.monotonic() + self.settings.gather_seconds
        while len(gathered) < self.settings.gather_texts:
            try:
                following = self._queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            if following is None:
                return gathered, None, True
            size += following.size
            if size > self.settings.gather_characters:
                return gathered, following, False
            gathered.append(following)
        return gathered, None, False

    def _do(self, gathered: list[_Asked]) -> None:
        for kind, work in self.work.items():
            # requests whose client has disconnected, or was asked to retry, are dropped
            mine = [
                asked
                for asked in gathered
                if asked.kind == kind and asked.future.set_running_or_notify_cancel()
            ]
            if mine:
                self.batches += 1
                self.jobs += len(mine)
                self._settle(work, mine)

    def _settle(self, work: Work, mine: list[_Asked]) -> None:
        deadline = max(asked.deadline for asked in mine)

        def check(_done: int) -> None:
            if self._closed.is_set() or time.monotonic() > deadline:
                raise _Abandoned

        try:
            check(0)
            done = work([asked.job for asked in mine], check)
        except _Abandoned:
            for asked in mine:
                asked.future.set_exception(too_late(self.settings.answer_seconds))
            return
        except Exception as error:  # noqa: BLE001  (the caller must get an answer, whatever it is)
            if len(mine) == 1:
                mine[0].future.set_exception(error)
                return
            for one in mine:  # one bad job must not fail its neighbours
                self._settle(work, [one])
            return
        for asked, result in zip(mine, done, strict=True):
            asked.future.set_result(result)

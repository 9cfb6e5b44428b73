"""One thread that encodes what many requests ask for, together.

In:   single jobs, from any thread.
Out:  a future each.
Why:  a model is fastest on batches, and one thread keeps torch from fighting itself for the cores;
      the first job waits a few milliseconds so that its neighbours can join."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from phage.serve.problems import Stop
from phage.serve.settings import Settings

Work = Callable[[Sequence[Any]], Sequence[Any]]


class Batcher:
    """Gathers jobs of several kinds; ``work[kind]`` does a batch of one kind."""

    def __init__(self, work: dict[str, Work], settings: Settings) -> None:
        """Start the thread."""
        self.work, self.settings = work, settings
        self.batches = self.jobs = 0
        self._closed = threading.Event()
        self._queue: queue.Queue[tuple[str, Any, Future[Any]] | None] = queue.Queue(
            settings.waiting
        )
        self._thread = threading.Thread(target=self._run, name="phage-encode", daemon=True)
        self._thread.start()

    def submit(self, kind: str, job: Any) -> Future[Any]:  # noqa: ANN401
        """Put one job in line."""
        future: Future[Any] = Future()
        if self._closed.is_set():
            raise Stop(503, "the server is stopping")
        try:
            self._queue.put_nowait((kind, job, future))
        except queue.Full:
            raise Stop(503, "too many requests are waiting", remedy="try again soon") from None
        return future

    def close(self) -> None:
        """Finish what is in line, then stop."""
        if not self._closed.is_set():
            self._closed.set()
            self._queue.put(None)
            self._thread.join(timeout=30)

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            gathered = [first]
            end = time.monotonic() + self.settings.gather_seconds
            last = False
            while len(gathered) < self.settings.gather_texts:
                try:
                    following = self._queue.get(timeout=max(0.0, end - time.monotonic()))
                except queue.Empty:
                    break
                if following is None:
                    last = True
                    break
                gathered.append(following)
            self._do(gathered)
            if last:
                return

    def _do(self, gathered: list[tuple[str, Any, Future[Any]]]) -> None:
        for kind, work in self.work.items():
            # a caller who has gone away is not worked for
            mine = [
                (job, future)
                for what, job, future in gathered
                if what == kind and future.set_running_or_notify_cancel()
            ]
            if mine:
                self.batches += 1
                self.jobs += len(mine)
                _settle(work, mine)


def _settle(work: Work, mine: list[tuple[Any, Future[Any]]]) -> None:
    try:
        done = work([job for job, _ in mine])
    except Exception as error:  # noqa: BLE001  (whoever asked must be told, whatever it is)
        if len(mine) == 1:
            mine[0][1].set_exception(error)
            return
        for one in mine:  # one bad job must not fail its neighbours
            _settle(work, [one])
        return
    for (_, future), result in zip(mine, done, strict=True):
        future.set_result(result)

"""Processes for work that holds the interpreter lock.

In:   a function that can be imported, its arguments, and the time by which it must be done.
Out:  a future with what it returned, or a Stop.
Why:  nothing interrupts a regular expression in a thread, and it stops every other thread of its
      process. A process can be killed, so a bad request harms no other."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from phage.errors import PhageError
from phage.serve.problems import Stop, too_late
from phage.serve.settings import Settings

_CODE = "from phage.serve.workers import attend; attend({}, {}, {})"
_LOST = "the process that worked on this died; it may have run out of memory"
_SMALLER = "send a shorter text, or fewer claims"


def check_system() -> None:
    """Refuse a system on which workers cannot be started and ended in this way."""
    if os.name != "posix":
        raise PhageError(
            "the service runs on Linux and macOS only",
            remedy="on Windows, run `phage serve` inside WSL; the other commands need no WSL",
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One waiting job."""

    work: bytes
    deadline: float
    future: Future[Any]


class Workers:
    """A few processes, each with a thread here that sends it one job at a time."""

    def __init__(self, settings: Settings) -> None:
        """Start them; they get ready while the service does."""
        self.settings = settings
        self.replaced = 0
        self._closed = threading.Event()
        self._queue: queue.Queue[_Asked | None] = queue.Queue(settings.waiting)
        self._processes: set[_Process] = set()
        self._lock = threading.Lock()
        for place in range(settings.workers):
            threading.Thread(target=self._attend, name=f"phage-worker-{place}", daemon=True).start()

    async def run(self, job: Callable[..., Any], *arguments: Any) -> Any:  # noqa: ANN401
        """Let a worker do a job; its process is killed when the time limit is over."""
        return await asyncio.wrap_future(self.submit(job, *arguments))

    def submit(self, job: Callable[..., Any], *arguments: Any) -> Future[Any]:  # noqa: ANN401
        """Queue one job."""
        if self._closed.is_set():
            raise Stop(503, "the server is stopping")
        asked = _Asked(
            pickle.dumps((job, arguments)),
            time.monotonic() + self.settings.answer_seconds,
            Future(),
        )
        try:
            self._queue.put_nowait(asked)
        except queue.Full:
            raise Stop(503, "too many requests are waiting", remedy="try again soon") from None
        return asked.future

    def close(self) -> None:
        """End the processes at once: every caller has been answered."""
        with self._lock:
            self._closed.set()
            for process in self._processes:
                process.kill()
        with contextlib.suppress(queue.Empty):
            while (asked := self._queue.get_nowait()) is None or asked.future.cancel():
                pass
        for _ in range(self.settings.workers):
            with contextlib.suppress(queue.Full):
                self._queue.put_nowait(None)

    def _attend(self) -> None:
        process = self._start()
        while process and (asked := self._queue.get()) is not None:
            if not asked.future.set_running_or_notify_cancel():
                continue
            try:
                _settle(asked.future, process.do(asked))
                continue
            except TimeoutError:
                error = too_late(self.settings.answer_seconds)
            except (OSError, EOFError):
                error = Stop(503, _LOST, remedy=_SMALLER)
            self._drop(process)
            self.replaced += 1
            asked.future.set_exception(error)
            process = self._start()
        if process:
            self._drop(process)

    def _start(self) -> _Process | None:
        with self._lock:  # none is started behind the back of close
            if self._closed.is_set():
                return None
            process = _Process(self.settings)
            self._processes.add(process)
            return process

    def _drop(self, process: _Process) -> None:
        with self._lock:
            self._processes.discard(process)
        process.kill()
        process.forget()


class _Process:
    """One worker process and the connection to it."""

    def __init__(self, settings: Settings) -> None:
        ours, theirs = socket.socketpair()
        # not multiprocessing.Process: that would run the caller's own script again
        code = _CODE.format(theirs.fileno(), settings.worker_bytes, settings.answer_bytes)
        paths = os.pathsep.join(str(Path(entry or ".").resolve()) for entry in sys.path)
        alone = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, **alone},
                start_new_session=True,  # Ctrl-C is for the service, which then ends its workers
            )
        self.line = Connection(ours.detach())

    def do(self, asked: _Asked) -> tuple[bool, Any]:
        """Send a job and wait for its result; raise TimeoutError if it comes too late."""
        left = asked.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.line.send_bytes(pickle.dumps((asked.work, left)))
        if not self.line.poll(max(0.0, asked.deadline - time.monotonic())):
            raise TimeoutError
        said: tuple[bool, Any] = pickle.loads(self.line.recv_bytes())
        return said

    def kill(self) -> None:
        with contextlib.suppress(OSError):
            self.process.kill()

    def forget(self) -> None:
        self.line.close()
        self.process.wait()


def _settle(future: Future[Any], said: tuple[bool, Any]) -> None:
    good, value = said
    if good:
        future.set_result(value)
    else:
        status, detail, remedy, place = value
        future.set_exception(Stop(status, detail, remedy=remedy, place=place))


def attend(line: int, spare: int, largest: int) -> None:
    """Work as a worker process: do one job after another until the service is gone.

    A job may use ``spare`` bytes of memory beyond what a ready worker has.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a service manager signals all processes
    from phage.serve.jobs import warm

    warm()
    _limit_memory(spare)
    orders = Connection(line)
    for _ in itertools.count():
        try:
            work, seconds = pickle.loads(orders.recv_bytes())
        except (EOFError, OSError):
            return
        # The service kills a late worker. Where the service itself was killed, the kernel does.
        signal.setitimer(signal.ITIMER_REAL, seconds + 5)
        reply = _reply(work, largest)
        signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            orders.send_bytes(reply)
        except OSError:
            return


def _reply(work: bytes, largest: int) -> bytes:
    from phage.serve.jobs import described

    try:
        job, arguments = pickle.loads(work)
        reply = pickle.dumps((True, job(*arguments)))
    except MemoryError:
        error: Exception = Stop(503, "this takes more memory than allowed", remedy=_SMALLER)
        return pickle.dumps((False, described(error)))
    except Exception as found:  # noqa: BLE001  (the request must be answered, whatever it is)
        return pickle.dumps((False, described(found)))
    if len(reply) > largest:
        large = f"the answer is larger than {largest / (1 << 20):g} MiB"
        return pickle.dumps((False, described(PhageError(large, remedy=_SMALLER))))
    return reply


def _limit_memory(spare: int) -> None:
    """Make allocations beyond the limit fail, if the system enforces such limits (Linux does)."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + spare
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

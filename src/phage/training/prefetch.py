"""Prefetching: the next batches are made while the device computes.

In:   an iterator.
Out:  the same items in the same order, made by a thread.
Why:  making a batch takes a few milliseconds of NumPy; a step takes hundreds. One thread and a
      short queue hide it entirely, without worker processes, their memory and their seeds."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class _End:
    error: BaseException | None = None


class Prefetch(Generic[Item]):
    """Iterate ``source`` in a thread; close it by leaving the ``with`` block.

    >>> with Prefetch(iter([1, 2, 3])) as items:
    ...     list(items)
    [1, 2, 3]
    """

    def __init__(self, source: Iterator[Item], depth: int = 4) -> None:
        """Start making items at once, at most ``depth`` ahead."""
        self._queue: queue.Queue[Item | _End] = queue.Queue(depth)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._fill, args=(source,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Iterator[Item]:
        """Return the items."""
        return self._items()

    def __exit__(self, *_: object) -> None:
        """Stop the thread, whether or not all items were taken."""
        self._stop.set()
        while self._thread.is_alive():
            try:
                self._queue.get(timeout=0.05)
            except queue.Empty:
                continue

    def _items(self) -> Iterator[Item]:
        while True:
            item = self._queue.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def _fill(self, source: Iterator[Item]) -> None:
        try:
            for item in source:
                self._queue.put(item)
                if self._stop.is_set():
                    return
            self._queue.put(_End())
        except BaseException as error:  # noqa: BLE001  (handed to the thread that waits)
            self._queue.put(_End(error))

"""Token ids → batches.

In:   items in chunks, windows of different length.
Out:  chunks that are prepared ahead of the model, batches with hardly a padded token.
Why:  padding and waiting for the tokenizer would take most of the time of encoding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Chunk = TypeVar("Chunk")
Made = TypeVar("Made")


def chunk_starts(count: int, first: int, most: int) -> list[int]:
    """Return where chunks of texts begin; each is twice as long as the last, up to a maximum.

    >>> chunk_starts(30, 4, 8)
    [0, 4, 12, 20, 28]
    """
    starts, at, size = [], 0, first
    while at < count:
        starts.append(at)
        at, size = at + size, min(2 * size, most)
    return starts


def one_ahead(
    chunks: Iterable[Chunk], make: Callable[[Chunk], Made]
) -> Iterator[tuple[Chunk, Made]]:
    """Yield each chunk and what was made of it, while a thread makes the next.

    >>> list(one_ahead([[1, 2], [3]], len))
    [([1, 2], 2), ([3], 1)]
    """
    with ThreadPoolExecutor(1) as ahead:
        before = None
        for chunk in chunks:
            coming = chunk, ahead.submit(make, chunk)
            if before is not None:
                yield before[0], before[1].result()
            before = coming
        if before is not None:
            yield before[0], before[1].result()


def by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group rows of like length, longest first, up to a budget of tokens.

    >>> list(by_length([3, 9, 3, 8], budget=18))
    [[1, 3], [0, 2]]
    """
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def sentence_transformers_order(lengths: Iterable[int]) -> list[int]:
    """Sort texts by their characters as ``SentenceTransformer.encode`` does.

    >>> sentence_transformers_order([1, 8, 3])
    [1, 2, 0]
    """
    return [int(row) for row in np.argsort([-length for length in lengths])]


def sentence_transformers_batches(rows: Sequence[int], size: int = 32) -> Iterator[list[int]]:
    """Group sorted texts as ``SentenceTransformer.encode`` does: the same shapes, the same bits.

    >>> list(sentence_transformers_batches([0, 1, 2], size=2))
    [[0, 1], [2]]
    """
    for start in range(0, len(rows), size):
        yield list(rows[start : start + size])


def rounded(length: int, window: int, step: int = 32) -> int:
    """Round a length up to a step within the window: few shapes, so that few programs are kept.

    >>> rounded(3, 512), rounded(33, 512), rounded(510, 511)
    (32, 64, 511)
    """
    return min(-(-length // step) * step, window)


def pad(
    rows: Sequence[NDArray[np.int32]], filler: int, device: torch.device, length: int = 0
) -> tuple[Tensor, Tensor]:
    """Stack token ids of different length: ids and mask (B, T), on their way to the device.

    >>> ids, mask = pad([np.int32([5, 6]), np.int32([7])], 0, torch.device("cpu"))
    >>> ids.tolist(), mask.tolist()
    ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    """
    lengths = np.array([len(row) for row in rows])
    inside = np.arange(max(length, lengths.max())) < lengths[:, None]  # (B, T)
    laid = np.full(inside.shape, filler, dtype=np.int64)
    laid[inside] = np.concatenate(rows)
    ids, mask = torch.from_numpy(laid), torch.from_numpy(inside.astype(np.int64))
    if device.type == "cuda":  # from pinned memory a GPU fetches while it computes
        ids, mask = ids.pin_memory(), mask.pin_memory()
    return ids.to(device, non_blocking=True), mask.to(device, non_blocking=True)

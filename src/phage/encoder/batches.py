"""Texts → token ids → batches.

In:   texts, a tokenizer, a window.
Out:  token ids within the window, how many texts were cut, batches with hardly a padded token.
Why:  most of the time of encoding is lost in padding and in tokenising what is cut off anyway."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

GLANCE = 8
"""Characters per token looked at first: patents have about 4.5, so the window is nearly sure."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of texts, with special tokens, none longer than the window."""

    ids: list[list[int]]
    cut: int
    """How many texts were longer than the window."""


def tokenise(texts: Sequence[str], tokenizer: Any, window: int) -> Tokens:  # noqa: ANN401
    """Tokenise and cut to the window.

    A long text is first read only as far as the window surely reaches; the tokens of a prefix that
    ends at a blank are the prefix of the tokens, so the result is the same as for the whole text.
    """
    glance = GLANCE * window
    short = [_prefix(text, glance) for text in texts]
    ids = _ids(short, tokenizer, window + 1)
    again = [
        row
        for row, text in enumerate(texts)
        if len(short[row]) < len(text) and len(ids[row]) <= window
    ]
    for row, whole in zip(
        again, _ids([texts[r] for r in again], tokenizer, window + 1), strict=True
    ):
        ids[row] = whole
    long = [row for row, tokens in enumerate(ids) if len(tokens) > window]
    for row in long:
        # one token more was asked for, to see the cut; [SEP] stays last
        ids[row] = [*ids[row][: window - 1], ids[row][-1]]
    return Tokens(ids, len(long))


def _prefix(text: str, size: int) -> str:
    if len(text) <= size:
        return text
    end = text.rfind(" ", 0, size)
    return text[:end] if end > 0 else text


def _ids(texts: Sequence[str], tokenizer: Any, limit: int) -> list[list[int]]:  # noqa: ANN401
    if not texts:
        return []
    encoded = tokenizer(
        list(texts),
        truncation=True,
        max_length=limit,
        add_special_tokens=True,
        return_attention_mask=False,
        return_token_type_ids=False,
    )
    return list(encoded["input_ids"])


def in_windows(
    texts: Sequence[str],
    tokenizer: Any,  # noqa: ANN401
    window: int,
) -> tuple[list[list[int]], list[int]]:
    """Cut each text into consecutive windows: their token ids, and the text each belongs to."""
    size = window - 2
    before, after = tokenizer.cls_token_id, tokenizer.sep_token_id
    encoded = tokenizer(
        list(texts), add_special_tokens=False, return_attention_mask=False, verbose=False
    )
    pieces: list[list[int]] = []
    owners: list[int] = []
    for row, ids in enumerate(encoded["input_ids"]):
        for start in range(0, max(1, len(ids)), size):
            pieces.append([before, *ids[start : start + size], after])
            owners.append(row)
    return pieces, owners


def chunk_starts(count: int, first: int, most: int) -> list[int]:
    """Say where chunks of texts begin: each twice as long as the last, up to the most.

    >>> chunk_starts(30, 4, 8)
    [0, 4, 12, 20, 28]
    """
    starts, at, size = [], 0, first
    while at < count:
        starts.append(at)
        at, size = at + size, min(2 * size, most)
    return starts


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


def sentence_transformers_order(texts: Iterable[str]) -> list[int]:
    """Sort all texts as ``SentenceTransformer.encode`` does.

    >>> sentence_transformers_order(["a", "long one", "mid"])
    [1, 2, 0]
    """
    return [int(row) for row in np.argsort([-len(text) for text in texts])]


def sentence_transformers_batches(count: int, size: int = 32) -> Iterator[list[int]]:
    """Group sorted texts as ``SentenceTransformer.encode`` does: the same shapes, the same bits.

    >>> list(sentence_transformers_batches(3, size=2))
    [[0, 1], [2]]
    """
    for start in range(0, count, size):
        yield list(range(start, min(start + size, count)))


def rounded(length: int, window: int, step: int = 32) -> int:
    """Round a length up to a step within the window: few shapes, so that few programs are kept.

    >>> rounded(3, 512), rounded(33, 512), rounded(510, 511)
    (32, 64, 511)
    """
    return min(-(-length // step) * step, window)


def pad(
    rows: Sequence[Sequence[int]], filler: int, device: torch.device, length: int = 0
) -> tuple[Tensor, Tensor]:
    """Stack token ids of different length: ids and mask (B, T), on their way to the device.

    >>> ids, mask = pad([[5, 6], [7]], 0, torch.device("cpu"))
    >>> ids.tolist(), mask.tolist()
    ([[5, 6], [7, 0]], [[1, 1], [1, 0]])
    """
    ids = torch.full((len(rows), max(length, *map(len, rows))), filler, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        mask[row, : len(tokens)] = 1
    if device.type == "cuda":  # from pinned memory a GPU fetches while it computes
        ids, mask = ids.pin_memory(), mask.pin_memory()
    return ids.to(device, non_blocking=True), mask.to(device, non_blocking=True)

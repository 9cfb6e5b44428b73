"""A claim set in windows, so that every claim gets a vector from one pass.

In:   the claims of a patent, the tokenizer, the window.
Out:  ClaimWindow: token ids, and for each claim in it the stretch of its tokens.
Why:  the first window is the very input of ``encode``, so the patent's own vector comes for free;
      the claim it cuts is read again, whole, in the next."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import joined
from phage.claims.types import Claim


@dataclass(frozen=True, slots=True)
class ClaimVectors:
    """One vector per claim of a patent, and the patent's own from the same pass."""

    numbers: tuple[int, ...]
    vectors: NDArray[np.float32]
    """(n, D), in the order of ``numbers``."""
    patent: NDArray[np.float32]
    """(D,): what ``encode`` gives for the claims."""


@dataclass(frozen=True, slots=True)
class ClaimWindow:
    """Some consecutive claims as the model reads them."""

    row: int
    """Which patent."""
    first: bool
    """Whether it is the patent's first window, the one ``encode`` sees."""
    ids: list[int]
    claims: list[tuple[int, int, int]]
    """(index of the claim, first token, end) in ``ids``."""


def claim_windows(
    row: int,
    claims: Sequence[Claim],
    tokenizer: Any,  # noqa: ANN401
    window: int,
) -> list[ClaimWindow]:
    """Lay the claims into as few windows as hold each of them whole."""
    text, starts = joined(claims)
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    tokens, room = encoded["input_ids"], window - 2
    owners = [bisect_right(starts, place) - 1 for place, _ in encoded["offset_mapping"]]
    bounds = _bounds(owners, len(claims))
    before, after = tokenizer.cls_token_id, tokenizer.sep_token_id
    windows: list[ClaimWindow] = []
    claim = 0
    while claim < len(claims):
        start = bounds[claim][0] if windows else 0
        end = min(start + room, len(tokens))
        last = claim + 1  # a claim that alone overflows is cut, and that is all of this window
        while last < len(claims) and bounds[last][1] <= end:
            last += 1
        kept = end if not windows else bounds[last - 1][1]
        stretches = [
            (index, bounds[index][0] - start + 1, min(bounds[index][1], end) - start + 1)
            for index in range(claim, last)
        ]
        ids = [before, *tokens[start : min(kept, end)], after]
        windows.append(ClaimWindow(row, not windows, ids, stretches))
        claim = last
    return windows


def _bounds(owners: Sequence[int], count: int) -> list[tuple[int, int]]:
    """Give the token stretch of each claim; a claim without tokens borrows its neighbour's.

    >>> _bounds([0, 0, 1, 1, 1], 2)
    [(0, 2), (2, 5)]
    """
    ends = [0] * count
    for place, owner in enumerate(owners):
        ends[owner] = place + 1
    bounds: list[tuple[int, int]] = []
    for end in ends:
        start = bounds[-1][1] if bounds else 0
        bounds.append((start, max(end, start + 1)))
    return bounds

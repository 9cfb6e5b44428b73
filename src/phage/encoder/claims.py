"""A claim set in windows, so that every claim gets a vector from one pass.

In:   the claims of a patent, the tokenizer, its window and prompt.
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

from phage.claims.normal import sound
from phage.claims.text import joined
from phage.claims.types import Claim
from phage.encoder.settings import EncoderSettings


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
    cut: bool
    """Whether its claim, then the only one, is longer than the window."""


def claim_windows(
    row: int,
    claims: Sequence[Claim],
    tokenizer: Any,  # noqa: ANN401
    settings: EncoderSettings,
) -> list[ClaimWindow]:
    """Lay the claims into as few windows as hold each of them whole, each behind the prompt."""
    text, starts = joined(claims)
    encoded = tokenizer(
        settings.prompt + sound(text),
        add_special_tokens=False,
        return_offsets_mapping=True,
        verbose=False,
    )
    places = [place - len(settings.prompt) for place, _ in encoded["offset_mapping"]]
    lead = sum(place < 0 for place in places)  # tokens of the prompt
    before = [tokenizer.cls_token_id, *encoded["input_ids"][:lead]]
    tokens, after = encoded["input_ids"][lead:], tokenizer.sep_token_id
    room = max(1, settings.window - len(before) - 1)
    bounds = _bounds([bisect_right(starts, at) - 1 for at in places[lead:]], len(claims))
    windows: list[ClaimWindow] = []
    claim = 0
    while claim < len(claims):
        start = bounds[claim][0] if windows else 0
        end = min(start + room, len(tokens))
        last = claim + 1  # a claim that alone overflows is cut, and that is all of this window
        while last < len(claims) and bounds[last][1] <= end:
            last += 1
        kept = end if not windows else bounds[last - 1][1]
        shift = len(before) - start
        stretches = [
            (index, bounds[index][0] + shift, min(bounds[index][1], end) + shift)
            for index in range(claim, last)
        ]
        ids = [*before, *tokens[start : min(kept, end)], after]
        windows.append(ClaimWindow(row, not windows, ids, stretches, bounds[claim][1] > end))
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

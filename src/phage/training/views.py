"""Two readings of one patent.

In:   a patent as the training set holds it: [CLS] title abstract claims [SEP].
Out:  pieces of it, with the claims and edges that they keep.
Why:  title, abstract and claims describe the same invention. A model that matches them has learned
      what it is about. Beyond the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from phage.projection import Kept, Projection

Mask = NDArray[np.bool_]

TITLE_LEFT_OUT, ABSTRACT_LEFT_OUT, CLAIMS_ALONE = 0.15, 0.075, 0.25
"""How often ``input.section = "varied"`` omits a title or an abstract; or both, if a patent is read
once. If it is read twice, one reading has claims alone anyway."""
SHORT = 48
"""The fewest tokens of a reading of later claims."""
ABSTRACT, LATER = 0.5, 0.3
"""How often the two readings are (1) title with abstract, and the claims from a random one on; (2)
title, abstract and the claims that fit, and the claims after these. The rest are the two halves of
the claims."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Draws readings of patents; the same ones from the same generator."""

    chance: np.random.Generator
    varied: bool
    """Whether title and abstract are sometimes omitted."""

    def heads(self, projection: Projection, title: int, luck: tuple[float, float]) -> Mask:
        """Choose the tokens of title and abstract that are read: (T,)."""
        head = projection.claims < 0
        head[0] = head[-1] = False  # [CLS]; [SEP] where there is no claim
        if self.varied:
            lost_title, lost_abstract = luck[0] < TITLE_LEFT_OUT, luck[1] < ABSTRACT_LEFT_OUT
            if lost_abstract:
                head[1 + title :] = False
            elif lost_title:
                head[1 : 1 + title] = False
        return head

    def whole(self, projection: Projection, title: int) -> Projection:
        """Read everything, perhaps without title or abstract or both."""
        claims = projection.claims >= 0
        alone, *luck = self.chance.random(3).tolist()
        if self.varied and alone < CLAIMS_ALONE and claims.any():
            return piece(projection, claims)
        return piece(projection, self.heads(projection, title, (luck[0], luck[1])) | claims)

    def pair(self, projection: Projection, title: int, room: int) -> tuple[Projection, Projection]:
        """Read claims, and another part of the same patent; each within ``room`` tokens."""
        room -= 2  # [CLS] and [SEP]
        which, *luck = self.chance.random(5).tolist()
        head = _first(self.heads(projection, title, (luck[0], luck[1])), room)
        end = len(projection) - 1
        start = end - int(np.count_nonzero(projection.claims[1:end] >= 0))
        rest = room - int(np.count_nonzero(head))
        behind, half = start + min(rest, end - start), start + min((end - start) // 2, room)
        if ABSTRACT <= which < ABSTRACT + LATER and end - behind > SHORT:
            head[start:behind] = True
            claims = _span(projection, behind, room)
        elif which >= ABSTRACT + LATER and end - start > 2 * SHORT:
            head = _span(projection, start, half - start)
            claims = _span(projection, half, room)
        else:
            claims = _span(projection, _late(projection, start, (luck[2], luck[3])), room)
        if np.count_nonzero(head) < 2:  # no title, no abstract
            head = _span(projection, 1, room)
        if start == end:  # no claim within what is stored
            claims = head
        return piece(projection, claims), piece(projection, head)


def _late(projection: Projection, start: int, luck: tuple[float, float]) -> int:
    """Choose the token to start reading claims from: claim 1 in half of the cases."""
    end = len(projection) - 1
    if luck[0] < 0.5:
        return start
    at = int(np.searchsorted(projection.claims[:end], int(luck[1] * len(projection.numbers))))
    return at if end - at >= SHORT else start


def piece(projection: Projection, tokens: Mask) -> Projection:
    """Keep some tokens of a patent, with [CLS], [SEP] and the edges that remain."""
    tokens[0] = tokens[-1] = True
    if tokens.all():
        return projection
    owners = projection.claims[tokens]
    owners[-1] = owners[-2]  # [SEP] goes with the last claim kept
    place = np.full(len(projection.numbers) + 1, -1, dtype=np.int32)  # the last entry serves −1
    present = np.zeros(len(place), dtype=np.bool_)
    present[owners] = True
    kept = np.flatnonzero(present[:-1])
    place[kept] = np.arange(len(kept))
    relations = projection.relations[kept][:, kept]
    edges = int(np.count_nonzero(relations))
    numbers = tuple(projection.numbers[index] for index in kept.tolist())
    left = Kept(len(kept), len(kept), edges, edges, int(edges == 0))
    return Projection(
        projection.patent, projection.ids[tokens], place[owners], numbers, relations, left
    )


def some_claims(projection: Projection, kind: str, chance: np.random.Generator) -> Projection:
    """Read the ``first`` claim, or a random ``half`` (rounded up), after the preceding text."""
    count = len(projection.numbers)
    kept = np.zeros(count, dtype=np.bool_)
    kept[slice(1) if kind == "first" else chance.permutation(count)[: -(-count // 2)]] = True
    if kept.all():  # also where title and abstract left room for no claim at all
        return projection
    return piece(projection, (projection.claims < 0) | kept[projection.claims])


def _first(mask: Mask, count: int) -> Mask:
    """Keep the first tokens of a mask."""
    return mask & (np.cumsum(mask) <= count)


def _span(projection: Projection, start: int, count: int) -> Mask:
    mask = np.zeros(len(projection), dtype=np.bool_)
    mask[start : min(start + count, len(projection) - 1)] = True
    return mask

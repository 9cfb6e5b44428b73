"""Two readings of one patent.

In:   a patent as the training set holds it: [CLS] title abstract claims [SEP].
Out:  pieces of it, with the claims and edges that they keep.
Why:  what a title and an abstract say and what the claims say is the same invention; a model that
      finds one by the other has learned what it is about. Beyond the paper."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phage.projection import Kept, Projection

Mask = NDArray[np.bool_]

TITLE_LEFT_OUT, ABSTRACT_LEFT_OUT, CLAIMS_ALONE = 0.15, 0.075, 0.25
"""How often ``input.section = "varied"`` leaves out a title or an abstract; or both, where a patent
is read once. Where it is read twice, one reading is of claims alone anyway."""
SHORT = 48
"""Tokens that a reading of later claims has at least."""
KINDS = {"abstract": 0.5, "later": 0.3, "halves": 0.2}
"""How two readings divide a patent, and how often:

abstract
    title and abstract; claims from a random one on
later
    title, abstract and the claims that still fit; the claims behind these
halves
    the first half of the claims; the second half
"""


@dataclass(frozen=True, slots=True)
class Reader:
    """Draws readings of patents; the same ones from the same generator."""

    chance: np.random.Generator
    varied: bool
    """Whether title and abstract are left out at times."""

    def heads(self, projection: Projection, title: int) -> Mask:
        """Choose the tokens of title and abstract that are read: (T,)."""
        head = projection.claims < 0
        head[0] = head[-1] = False  # [CLS]; [SEP] where there is no claim
        if self.varied and head.any():
            lost_title, lost_abstract = self.chance.random(2) < (TITLE_LEFT_OUT, ABSTRACT_LEFT_OUT)
            if lost_title and not lost_abstract:
                head[1 : 1 + title] = False
            elif lost_abstract:
                head[1 + title :] = False
        return head

    def whole(self, projection: Projection, title: int) -> Projection:
        """Read everything, perhaps without title or abstract or both."""
        claims = projection.claims >= 0
        if self.varied and claims.any() and self.chance.random() < CLAIMS_ALONE:
            return piece(projection, claims)
        return piece(projection, self.heads(projection, title) | claims)

    def pair(self, projection: Projection, title: int, room: int) -> tuple[Projection, Projection]:
        """Read claims, and something else of the same patent; both within ``room`` tokens."""
        room -= 2  # [CLS] and [SEP]
        kind = str(self.chance.choice(list(KINDS), p=list(KINDS.values())))
        head = _first(self.heads(projection, title), room)
        end = len(projection) - 1
        start = end - int(np.count_nonzero(projection.claims[1:end] >= 0))
        rest = room - int(np.count_nonzero(head))
        behind, half = start + min(rest, end - start), start + min((end - start) // 2, room)
        if kind == "later" and end - behind > SHORT:
            head[start:behind] = True
            claims = _span(projection, behind, room)
        elif kind == "halves" and end - start > 2 * SHORT:
            head = _span(projection, start, half - start)
            claims = _span(projection, half, room)
        else:
            claims = _span(projection, self._late(projection, start, end), room)
        if np.count_nonzero(head) < 2:  # no title, no abstract
            head = _span(projection, 1, room)
        if start == end:  # no claim within what is stored
            claims = head
        return piece(projection, claims), piece(projection, head)

    def _late(self, projection: Projection, start: int, end: int) -> int:
        """Choose the first token of a claim to read from: claim 1 in half of the cases."""
        first = self.chance.random() < 0.5
        chosen = self.chance.integers(max(1, len(projection.numbers)))
        if first:
            return start
        at = int(np.searchsorted(projection.claims[:end], chosen))
        return at if end - at >= SHORT else start


def piece(projection: Projection, tokens: Mask) -> Projection:
    """Keep some tokens of a patent, [CLS] and [SEP], with the edges between the claims they leave."""
    tokens = tokens.copy()
    tokens[0] = tokens[-1] = True
    if tokens.all():
        return projection
    owners = projection.claims[tokens]
    owners[-1] = owners[-2]  # [SEP] goes with the last claim kept
    kept = np.unique(owners[owners >= 0])
    place = np.full(len(projection.numbers) + 1, -1, dtype=np.int32)  # the last entry serves −1
    place[kept] = np.arange(len(kept))
    relations = projection.relations[np.ix_(kept, kept)]
    edges = int(np.count_nonzero(relations))
    return replace(
        projection,
        ids=projection.ids[tokens],
        claims=place[owners],
        numbers=tuple(projection.numbers[index] for index in kept),
        relations=relations,
        kept=Kept(len(kept), len(kept), edges, edges, int(edges == 0)),
    )


def some_claims(projection: Projection, kind: str, chance: np.random.Generator) -> Projection:
    """Read the ``first`` claim, or a random ``half`` of them (rounded up), behind what precedes them."""
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

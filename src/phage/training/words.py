"""Vectors of the words of patents, alone or combined with a model's: what a teacher knows.

In:   patents and a tokenizer; perhaps vectors of the same patents by a large model.
Out:  one dense vector per patent; its products are sums of both similarities.
Why:  patents that share rare words are similar, whatever a model says; a model finds those that use
      other words. Descriptions count if a file has them: a teacher may read what the encoder will
      not. Numbers do not count as words, so no citation of another patent is learned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.claims.text import Section, section_text
from phage.claims.types import Patent
from phage.errors import PhageError
from phage.worker_signals import mapped

BUCKETS = 1 << 16
"""Columns for hashed pairs of neighbouring pieces; single pieces come before them."""
PAIR = 0.7
"""Weight of a pair; a single piece counts 1."""
DESCRIPTION = 3_000
"""The most tokens read of a description."""
SATURATION, LENGTH = 1.5, 0.75
"""k1 and b of BM25."""
_BLOCK, _SLICE = 1_024, 256
"""Patents and directions that are projected at once."""

Sparse = tuple[Tensor, Tensor, Tensor]
"""Rows of a sparse matrix: column and value of each entry, and where each row begins."""


@dataclass
class WordCounter:
    """Counts the pieces, and the pairs of pieces, of one patent; worker processes have one each."""

    tokenizer: Any
    """A fast tokenizer of ``transformers``."""

    def __post_init__(self) -> None:
        """Find out which pieces are words."""
        pieces = self.tokenizer.get_vocab()
        self.words = np.zeros(max(pieces.values()) + 1, dtype=np.bool_)
        for piece, place in pieces.items():
            letters = [sign.isalpha() for sign in piece.removeprefix("##")]
            self.words[place] = bool(letters) and all(letters)

    def __call__(self, patent: Patent) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return columns and counts; title and abstract count twice."""
        head = section_text(patent, Section.TA)
        texts = (section_text(patent, Section.TAC), head, patent.description[: 8 * DESCRIPTION])
        found = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        places, weights = [], []
        for ids in (np.array(row[:limit], dtype=np.int64) for row, limit in
                    zip(found, (None, None, DESCRIPTION), strict=True)):  # fmt: skip
            word = self.words[ids]
            pair = (ids[:-1] * 7_919 + ids[1:] * 104_729) % BUCKETS + len(self.words)
            both = word[:-1] & word[1:]
            places += [ids[word], pair[both]]
            weights += [np.ones(word.sum()), np.full(both.sum(), PAIR)]
        unique, back = np.unique(np.concatenate(places), return_inverse=True)
        counts = np.bincount(back, np.concatenate(weights))
        return unique.astype(np.int32), counts.astype(np.float32)


@dataclass
class WordCounts:
    """The counts of many patents, and vectors made of them."""

    counter: WordCounter
    numbers: list[str] = field(default_factory=list)
    _places: list[NDArray[np.int32]] = field(default_factory=list)
    _counts: list[NDArray[np.float32]] = field(default_factory=list)

    def add(
        self,
        patents: Iterable[Patent],
        workers: int = 1,
        advance: Callable[..., None] | None = None,
    ) -> None:
        """Count patents, in so many processes."""
        for patent, (places, counts) in mapped(self.counter, patents, workers):
            self.numbers.append(patent.number)
            self._places.append(places)
            self._counts.append(counts)
            if advance is not None:
                advance()

    def vectors(self, width: int, advance: Callable[..., None] | None = None) -> Tensor:
        """Weigh the counts as BM25 does and project them: (P, width), cosines nearly kept.

        The directions are random signs from fixed seeds: nothing is fitted.
        """
        blocks, parts = self.weighed(), []
        for start in range(0, width, _SLICE):  # all directions at once would take too much memory
            chance = torch.Generator().manual_seed(start)
            some = (self._total, min(_SLICE, width - start))
            signs = torch.randint(0, 2, some, generator=chance, dtype=torch.int8)
            axes = (2.0 * signs - 1.0) / width**0.5
            parts.append(torch.cat([_product(block, axes) for block in blocks]))
            if advance is not None:
                advance(some[1])
        return torch.cat(parts, dim=1)

    def spread(self) -> float:
        """Return σ of the cosines before projection, which adds noise to it."""
        blocks = self.weighed()
        rows = range(0, len(self.numbers), max(1, len(self.numbers) // _SLICE))
        some = torch.zeros(self._total, len(rows))
        for column, row in enumerate(rows):
            places, values, starts = blocks[row // _BLOCK]
            ends = [*starts.tolist(), len(places)][row % _BLOCK :]
            some[places[ends[0] : ends[1]].long(), column] = values[ends[0] : ends[1]]
        cosines = torch.cat([_product(block, some) for block in blocks])  # (P, some)
        return float(cosines.std(0, correction=0).mean())

    @property
    def _total(self) -> int:
        return len(self.counter.words) + BUCKETS

    def weighed(self) -> list[Sparse]:
        """Return BM25's weights, at unit length, in blocks of patents."""
        if not self.numbers:
            raise PhageError("the input holds no patents, so no words can be counted")
        return list(self._weighed(self._total))

    def _weighed(self, total: int) -> Iterator[Sparse]:
        seen = np.bincount(np.concatenate(self._places), minlength=total)
        rare = np.log((len(self.numbers) + 0.5) / (seen + 0.5)).clip(min=0).astype(np.float32)
        sizes = np.array([counts.sum() for counts in self._counts])
        lengths = 1 - LENGTH + LENGTH * sizes / max(1.0, float(sizes.mean()))
        for at in range(0, len(self.numbers), _BLOCK):
            places, counts = self._places[at : at + _BLOCK], self._counts[at : at + _BLOCK]
            values = []
            for place, count, length in zip(places, counts, lengths[at:], strict=False):
                weights = rare[place] * count / (count + SATURATION * np.float32(length))
                values.append(weights / max(1e-9, float(np.linalg.norm(weights))))
            starts = np.cumsum([0, *map(len, values[:-1])], dtype=np.int32)
            columns, flat = np.concatenate(places), np.concatenate(values)
            yield torch.from_numpy(columns), torch.from_numpy(flat), torch.from_numpy(starts)


def _product(rows: Sparse, axes: Tensor) -> Tensor:
    """Multiply sparse rows with (total, n): a weighted sum of directions per patent."""
    places, values, starts = rows
    total = torch.nn.functional.embedding_bag
    return total(places, axes, starts, mode="sum", per_sample_weights=values)


def joined(parts: Iterable[tuple[Tensor, float | None]]) -> tuple[Tensor, float]:
    """Concatenate vectors so that each part is weighted by the spread of its similarities.

    Each part is scaled to unit length and divided by the root of σ, the standard deviation of its
    similarities. σ is measured if it is not given. A product of the results is then the sum of all
    similarities, each in units of its own σ. Also returns the largest possible product, Σ 1/σ,
    which ``temperature`` needs.

    >>> both, most = joined([(torch.eye(3), None), (torch.eye(3), 0.5)])
    >>> both.shape, round(most, 2), [round(float(x), 2) for x in both[0]]
    (torch.Size([3, 6]), 4.12, [1.46, 0.0, 0.0, 1.41, 0.0, 0.0])
    """
    scaled, most = [], 0.0
    for part, spread in parts:
        unit = torch.nn.functional.normalize(part.float(), dim=1)
        some = unit[:: max(1, len(unit) // 2_000)]
        found = spread or float((some @ unit.T).std(1, correction=0).mean())
        sigma = max(1e-3, found)
        scaled.append(unit / sigma**0.5)
        most += 1 / sigma
    return torch.cat(scaled, dim=1), most


def rounded(vectors: Tensor) -> Tensor:
    """Round vectors to 8 bits by one factor: products keep their order; files shrink to a quarter.

    >>> rounded(torch.tensor([[0.5, -1.0], [0.25, 0.0]])).tolist()
    [[64, -127], [32, 0]]
    """
    most = min(float(vectors.abs().max()), 8 * float(vectors.square().mean().sqrt()))
    return (vectors * (127 / max(most, 1e-9))).round().clamp(-127, 127).to(torch.int8)


def temperature(most: float, sharpness: float = 0.7) -> float:
    """Return the ``loss.teacher_temperature`` at which one σ of the joined similarities counts 0.7.

    >>> round(temperature(84.5), 4)
    0.0169
    """
    return 1 / (sharpness * most)

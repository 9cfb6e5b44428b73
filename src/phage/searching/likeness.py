"""How similar texts are by their words.

In:   the words of some patents as stored in an index, how rare each word is, and a query.
Out:  one similarity per patent: a cosine of weighted words.
Why:  BM25 asks how well a patent fits a few words. A patent as a query has hundreds of words, so
      both sides must be weighted alike (docs/decisions.md)."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.searching.words import FILE, Frequencies, load, stem, words

_BITS = 12
"""Bits of a packed word that hold its count. The other twenty are a hash of its stem."""
_PLACES, _MOST = 1 << (32 - _BITS), (1 << _BITS) - 1
_K, _B = 3.0, 0.75
"""BM25's k1 and b: how soon repetition stops counting, and how much the text's length matters."""
_PIVOT = 0.3
"""Share of a patent's own length in its norm; the mean length makes up the rest and protects short
patents."""


def packed(text: str) -> NDArray[np.uint32]:
    """Pack the words of a text; one number holds a word and its count.

    >>> [int(one) & 4095 for one in packed("A pump, two pumps and a valve")]
    [2, 1]
    """
    found = Counter(map(stem, words(text)))
    return np.array([_place(w) << _BITS | min(n, _MOST) for w, n in found.items()], np.uint32)


def _place(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "replace")) % _PLACES


@dataclass(frozen=True, slots=True)
class Wording:
    """The weights of an index's words."""

    rarity: NDArray[np.float32]
    """A weight for each hash."""
    length: float
    """Mean number of words in a patent."""

    @classmethod
    def of(cls, known: Frequencies) -> Wording:
        """Assign the weights of words to their hashes; if two collide, the lower weight counts."""
        rarity = np.full(_PLACES, known.weight(""), np.float32)
        places = np.fromiter(map(_place, known.counts), np.int64, len(known.counts))
        weights = np.fromiter(map(known.weight, known.counts), np.float32, len(known.counts))
        np.minimum.at(rarity, places, weights)
        return cls(rarity, known.length or 1.0)

    def alike(self, text: str, held: Any) -> NDArray[np.float64]:  # noqa: ANN401
        """Compare a text with the packed words of patents, an Arrow list for each: (N,)."""
        asked = packed(text)
        wanted = np.zeros(_PLACES, np.float32)
        wanted[asked >> _BITS] = self._weighed(asked, np.zeros(len(asked), np.int64), 1)
        flat = held.flatten().to_numpy()
        count = len(held)
        rows = np.repeat(np.arange(count), held.value_lengths().to_numpy())
        weights = self._weighed(flat, rows, count)
        sizes = np.sqrt(np.bincount(rows, weights**2, count))
        scales = (1 - _PIVOT) * sizes.mean() + _PIVOT * sizes
        dots = np.bincount(rows, weights * wanted[flat >> _BITS], count)
        alike: NDArray[np.float64] = dots / (np.linalg.norm(wanted) * scales + 1e-12)
        return alike

    def _weighed(
        self, found: NDArray[np.uint32], rows: NDArray[np.int64], count: int
    ) -> NDArray[np.float32]:
        times = (found & _MOST).astype(np.float32)
        lengths = np.bincount(rows, times, count) / self.length
        full = times + _K * (1 - _B + _B * lengths[rows])
        weighed: NDArray[np.float32] = times * (_K + 1) / full * self.rarity[found >> _BITS]
        return weighed


def known(path: Path) -> tuple[Frequencies, Wording]:
    """Return the words of an index; they are read again when another process has recounted them."""
    file = path / FILE
    return _known(path, file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _known(path: Path, _: int) -> tuple[Frequencies, Wording]:
    found = load(path)
    return found, Wording.of(found)

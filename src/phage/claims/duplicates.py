"""Claim sets that are nearly the same words.

In:   claim texts.
Out:  pairs whose sets of word runs overlap by at least a threshold (Jaccard).
Why:  continuations and re-filings repeat each other's claims under other numbers; a model that
      has read one has read the other. MinHash finds candidates, exact overlap decides."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.extras import require

RUN = 5
"""Words in a shingle."""
LEAST = 30
"""Shingles a text must have. A design claim ("The ornamental design for a chair, as shown and
described.") is word for word the same for unrelated chairs and proves nothing."""
THRESHOLD = 0.5
"""Overlap from which two claim sets count as the same: about one word in thirteen changed. Of the
12 million pairs of a grant week 17 are above it: families and sister varieties (docs/log.md)."""
_WORD = re.compile(r"\w+")


def shingles(text: str) -> NDArray[np.uint32]:
    """Hash every run of five words; sorted, each once.

    >>> len(shingles("one two three four five six")), len(shingles("too short"))
    (2, 0)
    """
    words = _WORD.findall(text.lower())
    runs = {" ".join(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}
    return np.array(sorted(zlib.crc32(run.encode()) for run in runs), dtype=np.uint32)


def overlap(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> float:
    """Return the Jaccard overlap of two shingle sets.

    >>> overlap(shingles("a b c d e f"), shingles("a b c d e g"))
    0.3333333333333333
    """
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / max(1, len(one) + len(other) - shared)


@dataclass(slots=True)
class NearDuplicates:
    """An index of claim sets that can be asked for near-copies of another."""

    threshold: float = THRESHOLD
    _sets: dict[str, NDArray[np.uint32]] = field(default_factory=dict)
    _index: Any = None
    _last: tuple[str, NDArray[np.uint32], Any] | None = None

    def add(self, key: str, text: str) -> None:
        """Remember a claim set; one too short to prove anything is passed over."""
        runs, signature = self._hashed(text)
        if signature is None or key in self._sets:
            return
        if self._index is None:
            # 42 bands of 3 miss an overlap of 0.5 once in 270, one of 0.6 once in 27,000; what
            # they propose is decided by the exact overlap.
            module = require("datasketch", extra="eval")
            self._index = module.MinHashLSH(num_perm=128, params=(42, 3))
        self._sets[key] = runs
        self._index.insert(key, signature, check_duplication=False)

    def like(self, text: str) -> Iterator[tuple[str, float]]:
        """Yield each remembered key whose claim set is nearly this one, and the overlap."""
        if self._index is None:
            return  # nothing to compare with: nothing is hashed
        runs, signature = self._hashed(text)
        if signature is None:
            return
        for key in sorted(self._index.query(signature)):
            share = overlap(runs, self._sets[key])
            if share >= self.threshold:
                yield key, share

    def _hashed(self, text: str) -> tuple[NDArray[np.uint32], Any]:
        """Return runs and signature, none for a short text; the last text is asked, then added."""
        if self._last is None or self._last[0] != text:
            runs = shingles(text)
            self._last = (text, runs, _signature(runs) if len(runs) >= LEAST else None)
        return self._last[1:]


def claim_words(patent: Patent) -> str:
    """Join the claims without their numbers, which a re-filing changes."""
    return " ".join(claim.text for claim in patent.claims)


def groups(keys: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join keys that any pair connects; each key gets the smallest of its group.

    >>> groups("abcde", [("b", "c"), ("c", "e")])
    {'a': 'a', 'b': 'b', 'c': 'b', 'd': 'd', 'e': 'b'}
    """
    parent = {key: key for key in keys}

    def root(key: str) -> str:
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for one, other in pairs:
        first, second = sorted((root(one), root(other)))
        parent[second] = first
    return {key: root(key) for key in parent}


def _signature(runs: NDArray[np.uint32]) -> Any:  # noqa: ANN401  (datasketch's own type)
    signature = _blank().copy()
    signature.update_batch(runs.tolist())
    return signature


@cache
def _blank() -> Any:  # noqa: ANN401
    """Draw the permutations once; all signatures share them."""
    module = require("datasketch", extra="eval")
    return module.MinHash(num_perm=128, hashfunc=int)  # the runs are hashes already

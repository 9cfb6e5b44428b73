"""Train, validation and test, once and for all.

In:   patents.
Out:  a Split per number: sha256 of the number modulo 100, 70 / 10 / 20.
Why:  no list of numbers has to travel with a result, and nobody can pick a lucky split. Patents
      that are one invention (application, family, continuation, near-identical claims) go where
      the smallest number among them goes, so none is learnt from its own twin."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from phage.claims.copies import identities
from phage.claims.duplicates import NearDuplicates, claim_words, groups
from phage.claims.types import Patent
from phage.evaluation.tasks import Split

TRAIN, VALIDATION = 70, 10
RECIPE = (
    "sha256(number) as a big-endian integer modulo 100: below 70 train, below 80 validation, "
    "else test; patents of one application, family, continuation or with claims whose five-word "
    "runs overlap by 0.5 or more follow the smallest number among them"
)
"""Goes into every result."""


def hash_split(key: str) -> Split:
    """Split one key.

    >>> [hash_split(key).name for key in ("US8621662B2", "US8621663B2", "US8621664B2")]
    ['TEST', 'TRAIN', 'TRAIN']
    """
    place = int.from_bytes(hashlib.sha256(key.encode()).digest(), "big") % 100
    if place < TRAIN:
        return Split.TRAIN
    return Split.VALIDATION if place < TRAIN + VALIDATION else Split.TEST


def split_patents(patents: Sequence[Patent], *, titles: bool = False) -> dict[str, Split]:
    """Split patents so that one invention is never on two sides."""
    numbers = [patent.number for patent in patents]
    found = groups(numbers, twins(patents, titles=titles))
    return {number: hash_split(key) for number, key in found.items()}


def twins(patents: Iterable[Patent], *, titles: bool = False) -> Iterator[tuple[str, str]]:
    """Yield pairs of numbers that are one invention.

    ``titles`` also joins those of one title and filing date: an application and its grant, in
    sources that give no application number.
    """
    met: dict[tuple[str, str], str] = {}
    words = NearDuplicates()
    for patent in patents:
        keys: set[tuple[str, str]] = set(identities(patent))
        if titles and patent.title and patent.filing_date:
            keys.add(("title", f"{patent.title.casefold()} {patent.filing_date}"))
        for key in keys:
            yield met.setdefault(key, patent.number), patent.number
        text = claim_words(patent)
        for number, _ in words.like(text):
            yield number, patent.number
        words.add(patent.number, text)

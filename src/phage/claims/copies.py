"""Other forms of one invention among patents.

In:   patents that are kept apart: an evaluation set.
Out:  for any other patent, which of them it is a copy of, and what gives it away.
Why:  the paper compares application numbers only; a family member, a continuation or a near-copy
      under another number teaches the answer just as well. Training leaves copies out, the leakage
      report names them, the split keeps them on one side: all three ask here."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from phage.claims.duplicates import THRESHOLD, NearDuplicates, claim_words
from phage.claims.normal import parts
from phage.claims.types import Patent


class Leak(StrEnum):
    """What connects an evaluation patent to a training patent."""

    PUBLICATION = "publication"
    """The same document."""
    APPLICATION = "application"
    """Two publications of one application."""
    FAMILY = "family"
    """The same family number."""
    CONTINUATION = "continuation"
    """One continues or divides the other, or both the same parent."""
    NEAR_DUPLICATE = "near-duplicate"
    """Claims, or an abstract, of nearly the same words."""
    TITLE = "title"
    """Title and filing date: an application and its grant where no number joins them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One evaluation patent and the training patent that gives it away."""

    evaluated: str
    trained: str
    leak: Leak
    evidence: str
    """The shared number, or the overlap of the texts."""


class Copies:
    """Patents, indexed by everything that could reveal a copy of them."""

    def __init__(
        self, patents: Iterable[Patent] = (), threshold: float = THRESHOLD, *, titles: bool = False
    ) -> None:
        """Index patents; ``titles`` also compares title and filing date.

        A title such as "Display device" proves little: good enough to leave a patent out of
        training, not to accuse a model of having seen it.
        """
        self.count = 0
        self._titles = titles
        self._keys: dict[tuple[Leak, str], set[str]] = defaultdict(set)
        self._claims, self._abstracts = NearDuplicates(threshold), NearDuplicates(threshold)
        self._applications: dict[str, str] = {}
        for patent in patents:
            self.add(patent)

    def add(self, patent: Patent) -> None:
        """Remember one patent."""
        self.count += 1
        for key in self._all(patent):
            self._keys[key].add(patent.number)
        self._applications[patent.number] = plain(patent.application)
        self._claims.add(patent.number, claim_words(patent))
        self._abstracts.add(patent.number, patent.abstract)

    def find(self, patent: Patent, *, texts: bool = True) -> Iterator[Finding]:
        """Yield each remembered patent that this one is a copy of, numbers before texts."""
        if not self.count:
            return
        for leak, value in sorted(self._all(patent)):
            for number in sorted(self._keys.get((leak, value), ())):
                one = value == plain(patent.application) == self._applications[number]
                if leak is Leak.CONTINUATION and one:
                    continue  # one application, reported already
                yield Finding(number, patent.number, leak, value)
        if not texts:
            return
        for index, text, what in (
            (self._claims, claim_words(patent), "words of the claims"),
            (self._abstracts, patent.abstract, "words of the abstract"),
        ):
            for number, share in index.like(text):
                evidence = f"{share:.2f} of the {what}"
                yield Finding(number, patent.number, Leak.NEAR_DUPLICATE, evidence)

    def _all(self, patent: Patent) -> set[tuple[Leak, str]]:
        keys = identities(patent)
        if self._titles and patent.title and patent.filing_date:
            keys.add((Leak.TITLE, f"{patent.title.casefold()} {patent.filing_date}"))
        return keys


def identities(patent: Patent) -> set[tuple[Leak, str]]:
    """Return everything under which another patent could be the same invention."""
    keys = {(Leak.PUBLICATION, document(n)) for n in (patent.number, *patent.publications)}
    if patent.application:
        keys.add((Leak.APPLICATION, plain(patent.application)))
    if patent.named_family:
        keys.add((Leak.FAMILY, plain(patent.named_family)))
    # A patent and its parent meet under the parent's number, two children of it as well.
    relatives = {plain(number) for number in patent.related}
    if patent.application:
        relatives.add(plain(patent.application))
    keys.update((Leak.CONTINUATION, number) for number in relatives if number)
    return keys


_REUSED = ("JP", "KR", "TW")
"""Offices that count applications and grants from the same first number."""


def document(number: str) -> str:
    """Write a publication's number without its kind, which some collections leave out.

    >>> document("US9123456B2"), document("EP-0166996-A1"), document("JP5123456B2")
    ('US9123456', 'EP0166996', 'JP5123456B2')
    """
    office, digits, _ = parts(number)
    return plain(f"{office}{digits}" if office and office not in _REUSED else number)


def plain(number: str) -> str:
    """Write a number one way: ``US13/123,456`` is ``US13123456``.

    >>> plain("us 13/123,456")
    'US13123456'
    """
    return re.sub(r"[^0-9A-Z]", "", number.upper())

"""Training patents inside an evaluation set.

In:   two streams of patents: trained on, evaluated on.
Out:  every evaluation patent that training has seen in some form, with what gives it away; and
      how many were filed before training ended.
Why:  the paper compares application numbers only and names family members, continuations and
      time as open; a near-copy under another number teaches the answer just as well."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.duplicates import THRESHOLD, NearDuplicates, claim_words


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
    """Claims of nearly the same words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One evaluation patent and the training patent that gives it away."""

    evaluated: str
    trained: str
    leak: Leak
    evidence: str
    """The shared number, or the overlap of the claims."""


@dataclass(frozen=True, slots=True)
class LeakageReport:
    """All findings of one comparison."""

    trained: int
    evaluated: int
    findings: tuple[Finding, ...]
    trained_until: str
    """Last filing date in training; empty where none is known."""
    filed_before: int
    """Evaluation patents filed on or before that date: not seen, but not from the future."""
    dated: int
    """Evaluation patents whose filing date is known."""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def leaked(self) -> int:
        """How many evaluation patents are affected."""
        return len({finding.evaluated for finding in self.findings})

    @property
    def counts(self) -> dict[str, int]:
        """Evaluation patents per kind of leak."""
        seen = {(finding.evaluated, finding.leak) for finding in self.findings}
        found = Counter(leak for _, leak in seen)
        return {str(leak): found[leak] for leak in Leak}

    def to_json(self) -> dict[str, Any]:
        """Give the JSON form."""
        return {**asdict(self), "leaked": self.leaked, "counts": self.counts}

    def refuse(self) -> None:
        """Raise unless the pair is clean."""
        if self.leaked:
            kinds = ", ".join(f"{count} by {kind}" for kind, count in self.counts.items() if count)
            raise PhageError(
                f"{self.leaked} of {self.evaluated} evaluation patents were seen in training: "
                f"{kinds}",
                remedy="train without them (phage leakage lists them), or say --allow-leakage",
            )


def find_leaks(
    trained: Iterable[Patent], evaluated: Iterable[Patent], threshold: float = THRESHOLD
) -> LeakageReport:
    """Compare training patents, streamed, with an evaluation set, held in memory."""
    index = _Index(threshold)
    count = 0
    for patent in evaluated:
        index.add(patent)
        count += 1
    findings: set[Finding] = set()
    seen, until = 0, ""
    for patent in trained:
        findings.update(index.leaks(patent))
        seen, until = seen + 1, max(until, patent.filing_date)
    order = list(Leak)
    before = sum(date <= until for date in index.dates) if until else 0
    return LeakageReport(
        seen,
        count,
        tuple(sorted(findings, key=lambda f: (f.evaluated, order.index(f.leak), f.trained))),
        until,
        before,
        len(index.dates),
        {"threshold": threshold},
    )


def later_than(report: LeakageReport, evaluated: Iterable[Patent]) -> Iterator[Patent]:
    """Give the evaluation patents that are clean and from after the training: a temporal split."""
    leaked = {finding.evaluated for finding in report.findings}
    for patent in evaluated:
        if patent.number not in leaked and patent.filing_date > report.trained_until:
            yield patent


class _Index:
    """The evaluation set, by everything that could give a patent away."""

    def __init__(self, threshold: float) -> None:
        self.keys: dict[tuple[Leak, str], set[str]] = defaultdict(set)
        self.words = NearDuplicates(threshold)
        self.dates: list[str] = []
        self.applications: dict[str, str] = {}

    def add(self, patent: Patent) -> None:
        for key in identities(patent):
            self.keys[key].add(patent.number)
        self.applications[patent.number] = plain(patent.application)
        self.words.add(patent.number, claim_words(patent))
        if patent.filing_date:
            self.dates.append(patent.filing_date)

    def leaks(self, patent: Patent) -> Iterable[Finding]:
        for leak, value in identities(patent):
            for number in self.keys.get((leak, value), ()):
                one = value == plain(patent.application) == self.applications[number]
                if leak is Leak.CONTINUATION and one:
                    continue  # one application, said already
                yield Finding(number, patent.number, leak, value)
        for number, share in self.words.like(claim_words(patent)):
            yield Finding(number, patent.number, Leak.NEAR_DUPLICATE, f"{share:.2f} of the words")


def identities(patent: Patent) -> set[tuple[Leak, str]]:
    """Give everything under which another patent could be the same invention."""
    keys = {(Leak.PUBLICATION, plain(patent.number))}
    if patent.application:
        keys.add((Leak.APPLICATION, plain(patent.application)))
    if patent.family:
        keys.add((Leak.FAMILY, plain(patent.family)))
    # A patent and its parent meet under the parent's number, two children of it as well.
    relatives = {plain(number) for number in patent.related}
    if patent.application:
        relatives.add(plain(patent.application))
    keys.update((Leak.CONTINUATION, number) for number in relatives if number)
    return keys


def plain(number: str) -> str:
    """Write a number one way: ``US13/123,456`` is ``US13123456``.

    >>> plain("us 13/123,456")
    'US13123456'
    """
    return re.sub(r"[^0-9A-Z]", "", number.upper())

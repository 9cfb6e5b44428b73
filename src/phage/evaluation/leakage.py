"""Training patents inside an evaluation set.

In:   two streams of patents: trained on, evaluated on.
Out:  every evaluation patent that training has seen in some form, with what gives it away; and
      how many were filed before training ended.
Why:  the paper compares application numbers only and names family members, continuations and
      time as open; a near-copy under another number teaches the answer just as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from phage.claims.copies import Copies, Finding, Leak
from phage.claims.duplicates import THRESHOLD
from phage.claims.types import Patent
from phage.errors import PhageError


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
        return {str(leak): found[leak] for leak in Leak if leak is not Leak.TITLE}

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**asdict(self), "leaked": self.leaked, "counts": self.counts}

    def refuse(self) -> None:
        """Raise unless the pair is clean."""
        if self.leaked:
            kinds = ", ".join(f"{count} by {kind}" for kind, count in self.counts.items() if count)
            first = self.findings[0]
            raise PhageError(
                f"{self.leaked} of {self.evaluated} evaluation patents were seen in training: "
                f"{kinds}; {first.evaluated} is the first, by {first.leak} of {first.trained}",
                remedy="train without them (phage train --exclude; phage leakage lists them), or "
                "give --allow-leakage",
            )


def find_leaks(
    trained: Iterable[Patent], evaluated: Iterable[Patent], threshold: float = THRESHOLD
) -> LeakageReport:
    """Compare training patents, streamed, with an evaluation set, held in memory."""
    index = Copies(threshold=threshold)
    dates: list[str] = []
    for patent in evaluated:
        index.add(patent)
        if patent.filing_date:
            dates.append(patent.filing_date)
    findings: set[Finding] = set()
    seen, until = 0, ""
    for patent in trained:
        findings.update(index.find(patent))
        seen, until = seen + 1, max(until, patent.filing_date)
    order = list(Leak)
    before = sum(date <= until for date in dates) if until else 0
    return LeakageReport(
        seen,
        index.count,
        tuple(sorted(findings, key=lambda f: (f.evaluated, order.index(f.leak), f.trained))),
        until,
        before,
        len(dates),
        {"threshold": threshold},
    )


def later_than(report: LeakageReport, evaluated: Iterable[Patent]) -> Iterator[Patent]:
    """Yield the evaluation patents that are clean and from after the training: a temporal split."""
    leaked = {finding.evaluated for finding in report.findings}
    for patent in evaluated:
        if patent.number not in leaked and patent.filing_date > report.trained_until:
            yield patent

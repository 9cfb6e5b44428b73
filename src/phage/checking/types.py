"""Findings, and the report that holds them.

In:   what the rules found.
Out:  Finding, CheckReport, frozen; one JSON form.
Why:  terminal, page, SARIF, Word and scripts must all say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from phage.errors import chosen

DISCLAIMER = "Drafting aid, not legal advice."


_OWN = re.compile(r"\Aclaim \d+(?: \(again\))?: ")


class Severity(StrEnum):
    """How much a finding weighs, the heaviest first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def weight(self) -> int:
        """Return 3 for an error, 1 for a note."""
        return 3 - list(Severity).index(self)


class Office(StrEnum):
    """Patent offices whose rules are known."""

    US = "US"
    EP = "EP"
    WO = "WO"
    CN = "CN"
    JP = "JP"
    KR = "KR"


class Step(StrEnum):
    """How far the ladder went for an antecedent; the first step that holds counts."""

    EXACT = "exact"
    NUMBER = "number"
    """Singular against plural, or another spelling."""
    CLAIMED = "claimed"
    """The claimed thing itself."""
    SHORTER = "shorter"
    """A unique shorter name."""
    ABBREVIATION = "abbreviation"
    DERIVED = "derived"
    """"The measured pressure" after "measuring a pressure"."""
    INHERENT = "inherent"
    """"The outer surface of the sphere"."""
    NOT_NEEDED = "not-needed"
    """"The group consisting of"."""
    QUALIFIED = "qualified"
    """A qualifier is new: "the aluminium lever" after "a lever"."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a claim; ``claim.text[start:end] == text``."""

    claim: int
    start: int
    end: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"claim": self.claim, "start": self.start, "end": self.end, "text": self.text}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at: where, why, and what to do."""

    rule: str
    severity: Severity
    place: Place
    message: str
    suggestion: str = ""
    related: tuple[Place, ...] = ()
    match: Step | None = None
    """For antecedents: the step of the ladder that was reached."""
    term: str = ""
    """What the finding is about, in normal form; part of the key of a baseline."""
    offices: tuple[str, ...] = ()
    source: str = ""

    @property
    def claim(self) -> int:
        """The claim number, as printed."""
        return self.place.claim

    @property
    def reason(self) -> str:
        """The message, where the claim is named already."""
        return _OWN.sub("", self.message)

    @property
    def key(self) -> tuple[str, int, str]:
        """Rule, claim, term: what a baseline remembers."""
        return self.rule, self.place.claim, self.term or self.place.text

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        row: dict[str, Any] = {"rule": self.rule, "severity": str(self.severity)}
        row |= self.place.to_json()
        row |= {"message": self.message, "suggestion": self.suggestion}
        if self.match is not None:
            row["match"] = str(self.match)
        row["term"] = self.term
        row["related"] = [place.to_json() for place in self.related]
        return row | {"offices": list(self.offices), "source": self.source}


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What two reports must share to be comparable."""

    office: Office = Office.US
    select: tuple[str, ...] = ()
    """Apply only these rules; if empty, all rules of the office."""
    ignore: tuple[str, ...] = ()
    strict: bool = False
    """Report the later steps of the ladder, too, as notes."""

    def __post_init__(self) -> None:
        """Take an office and a single rule by name, too.

        >>> CheckSettings("ep", select="omnibus")
        CheckSettings(office=<Office.EP: 'EP'>, select=('omnibus',), ignore=(), strict=False)
        """
        object.__setattr__(self, "office", chosen(Office, self.office))
        for name in ("select", "ignore"):
            rules = getattr(self, name)
            object.__setattr__(self, name, (rules,) if isinstance(rules, str) else tuple(rules))


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings of one patent."""

    number: str
    language: str
    findings: tuple[Finding, ...]
    settings: CheckSettings = field(default_factory=CheckSettings)
    edition: str = ""
    """Edition of the rules."""
    unchecked: Mapping[int, str] = field(default_factory=dict)
    """Claim → why its antecedents were not checked."""
    suppressed: int = 0
    """Findings that a baseline already knows."""
    again: Mapping[int, int] = field(default_factory=dict)
    """Claim → its printed number, if another claim has the same one."""

    def __repr__(self) -> str:
        """Describe it in one line."""
        counts = ", ".join(f"{n} {name}" for name, n in self.counts().items() if n)
        return f"CheckReport({self.number!r}, {counts or 'no findings'})"

    def _repr_html_(self) -> str:
        """Show the findings in a notebook."""
        from phage.checking.report.notebook import report_html

        return report_html(self)

    def named(self, claim: int) -> str:
        """Return the number of a claim as the draft prints it.

        >>> report = CheckReport("draft", "en", (), again={7: 3})
        >>> report.named(3), report.named(7)
        ('3', '3 (again)')
        """
        return f"{self.again[claim]} (again)" if claim in self.again else str(claim)

    def counts(self) -> dict[str, int]:
        """Count the findings by severity."""
        return {
            str(severity): sum(finding.severity is severity for finding in self.findings)
            for severity in Severity
        }

    def worst(self) -> int:
        """Return the weight of the heaviest finding; 0 where there is none."""
        return max((finding.severity.weight for finding in self.findings), default=0)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "number": self.number,
            "language": self.language,
            "offices": [str(self.settings.office)],
            "settings": {
                "select": list(self.settings.select),
                "ignore": list(self.settings.ignore),
                "strict": self.settings.strict,
            },
            "rules": self.edition,
            "notice": DISCLAIMER,
            "findings": [finding.to_json() for finding in self.findings],
            "counts": self.counts(),
            "unchecked": [{"claim": n, "why": why} for n, why in self.unchecked.items()],
            "suppressed": self.suppressed,
        }

"""Patent → findings: the examiner's eye on a claim set."""

from phage.checking.reading import LegalReading, read_legally
from phage.checking.run import check
from phage.checking.types import CheckReport, CheckSettings, Finding, Office, Severity

__all__ = [
    "CheckReport",
    "CheckSettings",
    "Finding",
    "LegalReading",
    "Office",
    "Severity",
    "check",
    "read_legally",
]

"""Patent → findings: the examiner's eye on a claim set."""

from phage.check.reading import LegalReading, read_legally
from phage.check.run import check
from phage.check.types import CheckReport, CheckSettings, Finding, Office, Severity

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

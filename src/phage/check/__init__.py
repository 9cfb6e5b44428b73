"""Patent → findings: the examiner's eye on a claim set."""

from phage.check.reading import LegalReading, read_legally
from phage.check.run import check
from phage.check.types import CheckSettings, Finding, Office, Report, Severity

__all__ = [
    "CheckSettings",
    "Finding",
    "LegalReading",
    "Office",
    "Report",
    "Severity",
    "check",
    "read_legally",
]

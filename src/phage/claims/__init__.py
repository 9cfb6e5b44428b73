"""Step 1: files and text → Patent, with numbered claims."""

from phage.claims.readers import read
from phage.claims.report import Problem, Report
from phage.claims.tables import write
from phage.claims.types import Citation, Claim, Patent

__all__ = ["Citation", "Claim", "Patent", "Problem", "Report", "read", "write"]

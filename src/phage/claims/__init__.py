"""Step 1: files and text → Patent, with numbered claims."""

from phage.claims.types import Citation, Claim, Patent

__all__ = ["Citation", "Claim", "Patent"]

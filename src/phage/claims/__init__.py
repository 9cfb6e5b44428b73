"""Step 1: files and text → Patent, with numbered claims.

The readers and all their formats are loaded when first used: training and encoding need only the
types."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phage.claims.report import ReadProblem, ReadReport
from phage.claims.types import Citation, Claim, Patent

if TYPE_CHECKING:
    from phage.claims.readers import read, read_some
    from phage.claims.tables import write

_HOMES = {
    "read": "phage.claims.readers",
    "read_some": "phage.claims.readers",
    "write": "phage.claims.tables",
}

__all__ = ["Citation", "Claim", "Patent", "ReadProblem", "ReadReport", "read", "read_some", "write"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (whatever the home module holds)
    """Load a reader or writer the first time it is asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'phage.claims' has no attribute {name!r}")

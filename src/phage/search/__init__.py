"""Step 8a: vectors and metadata → an index on disk, and hits with their matching claims.

What needs the model or the index is loaded when first used: understanding a query needs neither."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phage.search.filters import parse
from phage.search.types import Hit, Level, NotIndexed, Query, Rank, Search

if TYPE_CHECKING:
    from phage.search.hits import find
    from phage.search.index import Index
    from phage.search.queries import from_index, from_patent, from_text

_HOMES = {
    "find": "phage.search.hits",
    "Index": "phage.search.index",
    **dict.fromkeys(("from_index", "from_patent", "from_text"), "phage.search.queries"),
}

__all__ = [
    "Hit",
    "Index",
    "Level",
    "NotIndexed",
    "Query",
    "Rank",
    "Search",
    "find",
    "from_index",
    "from_patent",
    "from_text",
    "parse",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (whatever the home module holds)
    """Load what needs the model or the index the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'phage.search' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return getattr(home, name)

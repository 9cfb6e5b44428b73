"""Step 8a: vectors and metadata → an index on disk, and hits with their matching claims.

Parts that need the model or the index are loaded when first used; understanding a query needs
neither."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phage.searching.filters import parse
from phage.searching.types import Hit, Level, NotIndexed, Query, Rank, Search

if TYPE_CHECKING:
    from phage.searching.hits import find
    from phage.searching.index import Index
    from phage.searching.queries import from_index, from_patent, from_text

_HOMES = {
    "find": "phage.searching.hits",
    "Index": "phage.searching.index",
    **dict.fromkeys(("from_index", "from_patent", "from_text"), "phage.searching.queries"),
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
    """Load a part that needs the model or the index when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'phage.searching' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return getattr(home, name)

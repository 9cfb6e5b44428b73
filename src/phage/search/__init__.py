"""Step 8a: vectors and metadata → an index on disk, and hits with their matching claims.

What needs the model or the index is loaded when first used: reading filters needs neither."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phage.search.filters import Filters, parse

if TYPE_CHECKING:
    from phage.search.find import Search, find, from_index, from_patent, from_text, queries
    from phage.search.index import Index
    from phage.search.types import ClaimMatch, Hit, Query

_HOMES = {
    **dict.fromkeys(
        ("Search", "find", "from_index", "from_patent", "from_text", "queries"),
        "phage.search.find",
    ),
    "Index": "phage.search.index",
    **dict.fromkeys(("ClaimMatch", "Hit", "Query"), "phage.search.types"),
}

__all__ = [
    "ClaimMatch",
    "Filters",
    "Hit",
    "Index",
    "Query",
    "Search",
    "find",
    "from_index",
    "from_patent",
    "from_text",
    "parse",
    "queries",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (whatever the home module holds)
    """Load what needs the model or the index the first time it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'phage.search' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    # all of its names at once: loading the module 'find' put it where its function belongs
    globals().update(
        {known: getattr(home, known) for known, at in _HOMES.items() if at == _HOMES[name]}
    )
    return globals()[name]

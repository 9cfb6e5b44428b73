"""Step 8a: vectors and metadata → an index on disk, and hits with their matching claims."""

from phage.search.filters import Filters, parse
from phage.search.find import Search, find, from_index, from_patent, from_text, queries
from phage.search.index import Index
from phage.search.types import ClaimMatch, Hit, Query

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

"""Patents with vectors → a map.

In:   entries and their vectors.
Out:  Map.
Why:  the one place where layout and names meet."""

from __future__ import annotations

from collections.abc import Sequence

from phage.map.clusters import clusters
from phage.map.layout import layout
from phage.map.types import Entry, Floats, Map


def build(
    entries: Sequence[Entry], vectors: Floats, title: str, *, seed: int = 0, threads: int = 1
) -> Map:
    """Lay patents out and name their regions; the same seed gives the same map."""
    places = layout(vectors, seed, threads)
    return Map(title, tuple(entries), places, clusters(places, entries))

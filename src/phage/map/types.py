"""What a map is made of.

In:   the rows of an index, or any patents with vectors.
Out:  Entry, Cluster, Map: frozen.
Why:  layout, names and page each need a part of it, and none needs the index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Entry:
    """One patent of a map."""

    number: str
    title: str
    subclass: str = ""
    """Main IPC subclass, ``H02M``."""
    assignee: str = ""
    year: str = ""
    claim: str = ""
    """Its first claim, from which clusters take their names."""
    language: str = "en"

    @classmethod
    def of(cls, row: dict[str, Any]) -> Entry:
        """Take what a map needs from a row of an index."""
        return cls(
            row["number"],
            row["title"] or "",
            row["ipc"][0].split(" ")[0] if row["ipc"] else "",
            row["assignees"][0] if row["assignees"] else "",
            (row["publication_date"] or "")[:4],
            row["claims"][0]["text"] if row["claims"] else "",
            row["language"],
        )


@dataclass(frozen=True, slots=True)
class Cluster:
    """A dense region of a map."""

    x: float
    y: float
    size: int
    terms: tuple[str, ...]
    """Terms that its claims use more often than others, the most telling first."""
    level: int
    """0 is shown from afar, 1 from close up."""


@dataclass(frozen=True, slots=True)
class Map:
    """Patents in two dimensions; places lie between 0 and 1."""

    title: str
    entries: tuple[Entry, ...]
    places: Floats
    clusters: tuple[Cluster, ...]


def indexed(index: Any) -> Iterator[tuple[Entry, Floats]]:  # noqa: ANN401  (phage.searching.index.Index)
    """Read an index: each patent with its vector."""
    columns = ["number", "title", "ipc", "assignees", "publication_date", "claims", "language"]
    for batch in index.table.search().select([*columns, "vector"]).to_batches(1_024):
        for row in batch.to_pylist():
            yield Entry.of(row), np.asarray(row["vector"], dtype=np.float32)

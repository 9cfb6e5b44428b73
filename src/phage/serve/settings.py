"""What the service allows.

Out:  Settings, frozen: every limit in one place.
Why:  a stranger's request must stay within known limits; all of them are here."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

LOCAL = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
"""Names of this machine for itself."""
TEXT = 400_000
"""Characters of one text; the longest claim sets of a grant week have a tenth of it."""
CLAIMS = 600
"""Claims of one set; a graph has up to their square in edges."""
BATCH = 128
"""Texts of one encode request."""
TOP = 200
"""Hits of one search."""
SHOWN = 2_000
"""Characters of a claim that a hit shows; a query of one long claim is not repeated in every hit."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs."""

    token: str = ""
    """When set, every request but the page itself must carry it."""
    hosts: frozenset[str] = LOCAL
    """Host names we answer to, beside plain addresses; empty for any. A foreign page can rebind its
    name to this machine, but not an address."""
    body_bytes: int = 8 << 20
    held_bytes: int = 256 << 20
    """Of the bodies of all requests in flight."""
    body_seconds: float = 10.0
    """Within which the whole body must have come."""
    answer_seconds: float = 60.0
    """Within which an answer must begin."""
    answer_bytes: int = 32 << 20
    """Of one answer."""
    header_seconds: float = 10.0
    """Within which the first line and the headers of a request must have come."""
    connections: int = 512
    """Open at once; beyond them the one that has waited longest without a request is closed."""
    workers: int = field(default_factory=lambda: max(2, min(4, os.cpu_count() or 1)))
    """Processes that read texts and build graphs."""
    worker_bytes: int = 1 << 30
    """Memory that a worker may take beyond its own 100 MB, where the system keeps such limits."""
    gather_seconds: float = 0.004
    """How long the first of several requests waits for others to be encoded with it."""
    gather_texts: int = 64
    """Requests encoded at once."""
    gather_characters: int = 200_000
    """Of the requests encoded at once; a larger one is encoded alone, so that it delays no answer
    but its own."""
    waiting: int = 512
    """Requests that may wait for the model or for a worker; more are turned away."""

    @property
    def grace_seconds(self) -> int:
        """How long requests in flight have after SIGTERM: as long as a request may take."""
        return math.ceil(self.header_seconds + self.body_seconds + self.answer_seconds) + 5

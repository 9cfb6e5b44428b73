"""The limits of the service.

Out:  Settings, frozen.
Why:  a stranger's request must stay within known limits; all limits are here."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field

LOCAL = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
"""Names by which this machine calls itself."""
TEXT = 400_000
"""The most characters of one text; the longest claim sets of a grant week have a tenth of it."""
CLAIMS = 600
"""The most claims of one set; a graph may have as many edges as their square."""
BATCH = 128
"""The most texts of one encode request."""
TOP = 200
"""The most hits of one search."""
SHOWN = 2_000
"""Characters of a claim that a hit shows; a query of one long claim is not repeated in every hit."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs."""

    token: str = ""
    """If set, every request except the page itself must carry it."""
    hosts: frozenset[str] = LOCAL
    """Accepted host names, besides plain addresses; empty accepts any. A foreign page can rebind
    its name to this machine, but not an address."""
    body_bytes: int = 8 << 20
    held_bytes: int = 256 << 20
    """Size of the bodies of all requests in flight."""
    body_seconds: float = 10.0
    """Time within which the whole body must arrive."""
    answer_seconds: float = 60.0
    """Time within which an answer must begin."""
    answer_bytes: int = 32 << 20
    """Size of one answer."""
    header_seconds: float = 10.0
    """Time within which the first line and the headers of a request must arrive."""
    connections: int = 512
    """The most open connections; beyond, the one that has been idle longest is closed."""
    workers: int = field(default_factory=lambda: max(2, min(4, os.cpu_count() or 1)))
    """Processes that read texts and build graphs."""
    worker_bytes: int = 1 << 30
    """Memory that a worker may use beyond its own 100 MB, if the system enforces such limits."""
    gather_seconds: float = 0.004
    """How long the first of several requests waits for others to be encoded with it."""
    gather_texts: int = 64
    """The most requests encoded at once."""
    gather_characters: int = 200_000
    """The most characters of the requests encoded at once; a larger request is encoded alone, so
    that it delays only its own answer."""
    waiting: int = 512
    """Requests that may wait for the model or for a worker; more are turned away."""

    @property
    def grace_seconds(self) -> int:
        """How long requests in flight have after SIGTERM: as long as a request may take."""
        return math.ceil(self.header_seconds + self.body_seconds + self.answer_seconds) + 5

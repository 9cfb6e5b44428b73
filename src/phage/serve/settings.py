"""What the service allows.

In:   nothing.
Out:  Settings, frozen: every limit in one place.
Why:  a stranger's request must cost no more than we said; a limit nobody can find is no limit."""

from __future__ import annotations

from dataclasses import dataclass

LOCAL = frozenset({"127.0.0.1", "localhost", "::1", "[::1]"})
"""Names of this machine for itself."""
TRANSPORT = {
    "http": "h11",  # the parser that limits headers
    "h11_max_incomplete_event_size": 64 << 10,
    "timeout_keep_alive": 15,
    "timeout_graceful_shutdown": 10,
    "server_header": False,
}
"""How uvicorn is run."""
TEXT = 400_000
"""Characters of one text; the longest claim sets of a grant week have a tenth of it."""
CLAIMS = 600
"""Claims of one set; a graph has up to their square in edges."""
BATCH = 128
"""Texts of one encode request."""
TOP = 200
"""Hits of one search."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How one server runs."""

    token: str = ""
    """When set, every request but the page itself must carry it."""
    hosts: frozenset[str] = LOCAL
    """Host names we answer to; empty for any. Keeps a foreign page from rebinding its name to us."""
    body_bytes: int = 8 << 20
    body_seconds: float = 10.0
    """Within which the whole body must have come."""
    answer_seconds: float = 60.0
    """Within which an answer must begin."""
    gather_seconds: float = 0.004
    """How long the first of several requests waits for others to be encoded with it."""
    gather_texts: int = 64
    """Requests encoded at once."""
    waiting: int = 512
    """Requests that may wait to be encoded; more are turned away."""

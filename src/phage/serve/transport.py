"""The connections below the requests.

In:   the Settings.
Out:  options for uvicorn: an h11 protocol that closes connections which send or read nothing.
Why:  uvicorn waits for ever for the rest of a header, and for a client that does not read. Each
      such connection takes a file descriptor, and a process has only about a thousand."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from phage.serve.problems import MEDIA, problem
from phage.serve.settings import Settings


def transport(settings: Settings) -> dict[str, Any]:
    """Return uvicorn's options."""
    return {
        "http": type("Patient", (_Patient,), {"settings": settings}),
        "ws": "none",
        "h11_max_incomplete_event_size": 64 << 10,
        "timeout_keep_alive": 15,
        "timeout_graceful_shutdown": settings.grace_seconds,
        "server_header": False,
    }


class _Patient(H11Protocol):  # type: ignore[misc]  # mypy skips uvicorn
    """An HTTP/1.1 connection in which every wait has a limit."""

    settings: Settings

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Expect headers from now on."""
        super().connection_made(transport)
        self.late: asyncio.TimerHandle | None = None
        self.since = self.loop.time()
        self._expect()
        if len(self.connections) > self.settings.connections:
            idle = [cast(_Patient, one) for one in self.connections if one.waits]
            min(idle, key=lambda one: one.since).transport.abort()

    @property
    def waits(self) -> bool:
        """Whether no request is being read or answered."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def data_received(self, data: bytes) -> None:
        """Take bytes; an incomplete header must be completed in time."""
        super().data_received(data)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._disarm()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to read this answer."""
        super().on_response_complete()
        self.since = self.loop.time()
        if self.transport.is_closing():
            self._abort_later()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, even one whose client never reads."""
        super().timeout_keep_alive_handler()
        self._abort_later()

    def _abort_later(self) -> None:
        # closing waits until all is read; for a client that reads nothing that is never
        self._disarm()
        self.late = self.loop.call_later(self.settings.answer_seconds, self.transport.abort)

    def _expect(self) -> None:
        if not self.waits:
            self._disarm()
        elif self.late is None and not self.transport.is_closing():
            self.late = self.loop.call_later(self.settings.header_seconds, self._give_up)

    def _disarm(self) -> None:
        if self.late is not None:
            self.late.cancel()
            self.late = None

    def _give_up(self) -> None:
        self.late = None
        if not self.waits or self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:  # some of a request has come
            answer = problem(408, "the headers arrived too slowly", remedy="send them in one go")
            head = (
                f"HTTP/1.1 408 Request Timeout\r\ncontent-type: {MEDIA}\r\n"
                f"content-length: {len(answer.body)}\r\nconnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + bytes(answer.body))
        self.transport.close()
        self._abort_later()

"""Checks between the socket and the handlers.

In:   an HTTP request.
Out:  the same request, with a complete body within the limits, or a problem; safe headers on all
      answers.
Why:  handlers may then assume that a body is complete, small, in time and from an allowed
      client."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
from collections.abc import MutableMapping
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from phage.serve.problems import INTERNAL, log_unexpected, problem, too_late
from phage.serve.settings import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline and nothing from elsewhere: even unescaped text could do no harm."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
SHELL = ("/", "/docs", "/favicon.ico")
"""Open to anyone, like the page's own files: they hold no data, and links lead there."""

LINGER = 30.0
"""Seconds for which the rest of a refused body is read, so that its sender sees the answer."""
PAUSE = 1.0
"""After this many seconds without a byte, nothing more is expected."""


class Guards:
    """Middleware: host, origin, token, body size, body time, answer time, headers."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Wrap an app."""
        self.app, self.settings = app, settings
        self.held = 0  # bytes of all bodies in flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        sent = _Sent(send)
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        # whoever says two things about where a request comes from is believed the worse
        origins = {v.decode("latin-1") for k, v in scope["headers"] if k == b"origin"}
        refused = self._refuse(scope["path"], headers, origins)
        if refused is not None:
            await _refused(refused, scope, receive, sent)
            return
        body = bytearray()
        try:
            await self._answer(scope, receive, sent, body)
        finally:
            self.held -= len(body)

    async def _answer(self, scope: Scope, receive: Receive, sent: _Sent, body: bytearray) -> None:
        try:
            refused = await asyncio.wait_for(self._whole(receive, body), self.settings.body_seconds)
        except TimeoutError:
            late = problem(408, "the body arrived too slowly", remedy="send it in one go")
            late.headers["connection"] = "close"
            await late(scope, receive, sent)
            return
        if refused is not None:
            await _refused(refused, scope, receive, sent)
            return
        try:
            await asyncio.wait_for(
                self.app(scope, _replay(bytes(body), receive), sent), self.settings.answer_seconds
            )
        except TimeoutError:
            if not sent.started:
                over = too_late(self.settings.answer_seconds)
                busy = problem(503, over.detail, remedy=over.remedy)
                await busy(scope, receive, sent)
        except Exception as error:  # noqa: BLE001  (the server would log its message)
            log_unexpected(scope["path"], error)
            if not sent.started:
                await problem(500, INTERNAL[0], remedy=INTERNAL[1])(scope, receive, sent)

    async def _whole(self, receive: Receive, body: bytearray) -> Response | None:
        """Read a body to its end, or return the problem with it."""
        while True:
            message: MutableMapping[str, Any] = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            self.held += len(message.get("body", b""))
            if len(body) > self.settings.body_bytes:
                return self._too_large()
            if self.held > self.settings.held_bytes:
                full = problem(503, "too many large requests at once", remedy="try again soon")
                full.headers["connection"] = "close"
                return full
            if not message.get("more_body"):
                return None

    def _refuse(self, path: str, headers: dict[str, str], origins: set[str]) -> Any:  # noqa: ANN401
        host = headers.get("host", "")
        if self.settings.hosts and not _is_known(host, self.settings.hosts):
            return problem(
                421,
                "this server does not answer to that name",
                remedy="use 127.0.0.1, or start the server with --allow-host NAME",
            )
        shell = path in SHELL or path.startswith("/page/")
        if not shell and _is_foreign(host, headers.get("sec-fetch-site", ""), origins):
            return problem(
                403,
                "this request comes from a page of another origin",
                remedy="use the page of this server, or a client that is not a browser",
            )
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length[:20]) > self.settings.body_bytes:
            return self._too_large()
        if self.settings.token and not shell and path != "/health":
            given = headers.get("authorization", "").encode()
            if not hmac.compare_digest(given, f"Bearer {self.settings.token}".encode()):
                return problem(
                    401,
                    "this server requires its token",
                    remedy="send the header 'Authorization: Bearer TOKEN'",
                    headers={"WWW-Authenticate": "Bearer"},
                )
        return None

    def _too_large(self) -> Response:
        limit = self.settings.body_bytes / (1 << 20)
        refused = problem(
            413, f"the body is larger than {limit:g} MiB", remedy="send fewer or shorter texts"
        )
        refused.headers["connection"] = "close"
        return refused


def _is_known(host: str, names: frozenset[str]) -> bool:
    """Whether a Host header is an allowed name, or an address, which nobody can rebind.

    >>> [_is_known(h, frozenset({"localhost"})) for h in ("localhost:80", "10.0.0.7", "x.example")]
    [True, True, False]
    """
    name = host.rsplit(":", 1)[0] if host.rsplit(":", 1)[-1].isdecimal() else host
    if name.lower().removesuffix(".") in names:
        return True
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        return True
    return False


def _is_foreign(host: str, site: str, origins: set[str]) -> bool:
    """Whether the headers show that a page of another origin makes this request.

    >>> _is_foreign("127.0.0.1:8000", "cross-site", set())
    True
    >>> _is_foreign("127.0.0.1:8000", "same-origin", {"http://127.0.0.1:8000"})
    False
    """
    # scheme aside: behind a proxy that speaks TLS, ours is http where the browser's is https
    own = {f"{scheme}://{host.lower()}" for scheme in ("http", "https")}
    return site.lower() not in ("", "none", "same-origin") or any(
        origin.lower() not in own for origin in origins
    )


class _Sent:
    """Adds the headers, and knows whether an answer has begun."""

    def __init__(self, send: Send) -> None:
        self.send, self.started = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            held: list[tuple[bytes, bytes]] = list(message.get("headers", []))
            names = {name.lower() for name, _ in held}
            held += [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in names
            ]
            message = {**message, "headers": held}
        await self.send(message)


async def _refused(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer; if the socket closes afterwards, first read what is still arriving.

    A socket closed on unread bytes would be reset, and the answer would be lost.
    """
    if answer.headers.get("connection") != "close":
        await answer(scope, receive, send)
        return

    async def unended(message: Message) -> None:
        more = {"more_body": True} if message["type"] == "http.response.body" else {}
        await send({**message, **more})

    await answer(scope, receive, unended)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(_drained(receive), LINGER)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drained(receive: Receive) -> None:
    """Read to the end of a body, or until its sender pauses."""
    more = True
    while more:
        message = await asyncio.wait_for(receive(), PAUSE)
        more = message["type"] == "http.request" and message.get("more_body", False)


def _replay(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again

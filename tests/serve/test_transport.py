"""Connections below the requests: half a header, a header in drops, connections that do nothing."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import httpx

from phage.serve import Settings, create_app

from .conftest import serving


def test_half_sent_headers_time_out(encoder):
    settings = Settings(header_seconds=1.0)
    for address in serving(create_app(None, encoder, settings), settings):
        there = urlsplit(address)
        place = (there.hostname, there.port)
        begun = [socket.create_connection(place, timeout=60) for _ in range(3)]
        begun[0].sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A")
        begun[1].sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        answers = [line.recv(65536) for line in begun]
        assert answers[0].startswith(b"HTTP/1.1 408 ")
        assert b"application/problem+json" in answers[0]
        assert answers[1].startswith(b"HTTP/1.1 200 ")
        assert answers[2] == b""  # it sent nothing, and is told nothing
        begun[1].sendall(b"GET /health HTTP/1.1\r\nHost:")  # a second request on the same line
        assert begun[1].recv(65536).startswith(b"HTTP/1.1 408 ")
        assert begun[1].recv(65536) == b""
        for line in begun:
            line.close()


def test_a_header_that_trickles_in_times_out_too(encoder):
    settings = Settings(header_seconds=1.0)
    for address in serving(create_app(None, encoder, settings), settings):
        there = urlsplit(address)
        with socket.create_connection((there.hostname, there.port), timeout=60) as line:
            line.settimeout(0.1)
            said = b""
            for sign in b"GET /" + b"a" * 600:
                try:
                    line.sendall(bytes([sign]))
                    said = line.recv(4096)
                    break
                except TimeoutError:
                    continue
        assert said.startswith(b"HTTP/1.1 408 ")


def test_idle_connections_give_way(encoder):
    settings = Settings(connections=20)
    for address in serving(create_app(None, encoder, settings), settings):
        there = urlsplit(address)
        lines = [
            socket.create_connection((there.hostname, there.port), timeout=60) for _ in range(60)
        ]
        assert httpx.get(f"{address}/health", timeout=60).is_success
        assert lines[0].recv(1) == b""  # the first to come is the first to go
        for line in lines:
            line.close()


def test_bodies_in_flight_have_a_limit_together(encoder):
    settings = Settings(held_bytes=5000, body_seconds=3.0)
    for address in serving(create_app(None, encoder, settings), settings):
        there = urlsplit(address)
        half = [
            socket.create_connection((there.hostname, there.port), timeout=60) for _ in range(4)
        ]
        head = f"POST /encode HTTP/1.1\r\nHost: {there.netloc}\r\nContent-Length: 9000\r\n\r\n"
        for line in half:
            line.sendall(head.encode() + b" " * 2000)
        statuses = sorted(line.recv(4096).split(b" ")[1] for line in half)
        assert statuses == [b"408", b"408", b"503", b"503"]
        for line in half:
            line.close()
        good = httpx.post(f"{address}/encode", json={"texts": ["a " * 2000]}, timeout=60)
        assert good.is_success  # what they held was given back

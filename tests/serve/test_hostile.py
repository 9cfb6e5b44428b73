"""Strangers' requests on loopback: whatever comes, it goes on serving."""

from __future__ import annotations

import json
import random
import socket
import time
from urllib.parse import urlsplit

import httpx
import pytest

from .conftest import HOSTILE

SLOW = b"POST /encode HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def raw(address: str, data: bytes, wait: float = 0.0) -> bytes:
    """Send bytes as they are; give the first line of what comes back."""
    there = urlsplit(address)
    with socket.create_connection((there.hostname, there.port), timeout=10) as line:
        try:
            line.sendall(data)
            if wait:
                time.sleep(wait)
            line.settimeout(5)
            return line.recv(4096).split(b"\r\n")[0]
        except (TimeoutError, ConnectionError):
            return b""


def texts(chance: random.Random) -> str:
    kinds = [
        lambda: HOSTILE * chance.randint(1, 50),
        lambda: "'; DROP TABLE patents; --",
        lambda: "../" * 20 + "etc/passwd",
        lambda: "".join(chr(chance.randint(1, 0xD7FF)) for _ in range(chance.randint(1, 300))),
        lambda: "1. " * 500,
        lambda: "claim " * 2000,
        lambda: "\n".join(f"{n}. The pump of claim {n}." for n in range(1, 300)),
        lambda: "ipc:' date:.. office:%s language:\x00",
        lambda: "\u202e\u0000\ufeff\ud83d" + "ﷺ" * 40,
        lambda: "((((((((((a+)+)+)+)+)+)+)+)+)+)+" + "a" * 5000,
        lambda: '"unclosed AND OR NOT ~ ^ * ? : field:value',
    ]
    return chance.choice(kinds)()


def shapes(chance: random.Random) -> object:
    text = texts(chance)
    path = chance.choice(["/search", "/graph", "/encode", "/split"])
    good = {
        "/search": {"query": text, "rank": chance.choice(["hybrid", "vector", "words"])},
        "/encode": {"texts": [text]},
    }
    body = chance.choice(
        [
            good.get(path, {"text": text}),
            {"claims": [{"number": chance.choice([0, -1, 1, 1 << 70]), "text": text}]},
            {"number": text[:100]},
            {"query": text, "filter": text[:300], "top": chance.choice([0, 5, 1e9, "x", None])},
            [[[[]]]],
            {"texts": [text] * chance.choice([1, 200])},
            text,
            {"text": {"$ref": text}},
        ]
    )
    return path, body


def test_two_hundred_hostile_requests_leave_it_serving(running):
    chance = random.Random(7)
    seen: dict[int, int] = {}
    with httpx.Client(base_url=running, timeout=60) as client:

        def note(answer):
            seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
            assert answer.status_code < 500, (answer.status_code, answer.text)
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json"

        for _ in range(110):
            path, body = shapes(chance)
            data = json.dumps(body).encode()
            note(client.post(path, content=data, headers={"Content-Type": "application/json"}))
        for _ in range(20):  # not JSON, or not said to be
            data = chance.choice(
                [b"", b"{", b"\xff\xfe", b"[" * 3000, b'{"query":NaN}', b"1e999999"]
            )
            kind = chance.choice(["application/json", "text/plain", "x/y", "multipart/form-data"])
            path = chance.choice(["/search", "/read", "/graph"])
            note(client.post(path, content=data, headers={"Content-Type": kind}))
        for _ in range(20):  # paths
            path = chance.choice(
                ["/page/../app.py", "/page/%2e%2e%2fapp.py", "//etc/passwd", "/patents/%00",
                 "/patents/" + "A" * 3000, "/patents/..%2f..%2f", "/page/" + "%F0" * 10,
                 "/search?q=%ff%fe", "/search?q=" + "a" * 5000, "/search?top=9"]
            )  # fmt: skip
            note(client.get(path))
        for _ in range(12):  # oversized, said and unsaid
            note(client.post("/graph", content=b"x" * (9 << 20)))
        for place in range(18):  # broken or strange files
            data = chance.choice(
                [b"PK\x03\x04" + b"\x00" * 99, b"\x89PNG\r\n", HOSTILE.encode(), b""]
            )
            note(client.post("/read", files={"file": (f"../{place}\x00.docx", data)}))
    lines = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"GET / HTTP/9.9\r\n\r\n",
        b"BREW /pot HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
        b"POST /graph HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"POST /graph HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        SLOW + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\n",
    ]
    for place in range(20):
        answer = raw(running, lines[place % len(lines)])
        assert b" 200 " not in answer
        assert b" 500 " not in answer
    assert httpx.get(f"{running}/health", timeout=60).json()["status"] == "ok"
    assert seen[413] == 12
    assert httpx.post(f"{running}/search", json={"query": "a pump"}, timeout=60).json()["hits"]


def test_a_slow_body_is_given_up_and_others_are_served_meanwhile(running):
    there = urlsplit(running)
    lines = [socket.create_connection((there.hostname, there.port), timeout=60) for _ in range(12)]
    try:
        for line in lines:
            line.sendall(SLOW + b'Content-Length: 5000\r\n\r\n{"texts"')
        assert httpx.post(f"{running}/encode", json={"texts": ["a pump"]}, timeout=60).is_success
        answers = [line.recv(4096).split(b"\r\n")[0] for line in lines]
    finally:
        for line in lines:
            line.close()
    assert answers == [b"HTTP/1.1 408 Request Timeout"] * 12


def test_schemathesis_finds_no_server_error(running):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error

    described = schemathesis.openapi.from_url(f"{running}/openapi.json")
    seen = 0
    for found in described.get_all_operations():
        operation = found.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=60,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def no_server_error(case):
            nonlocal seen
            seen += 1
            case.call_and_validate(checks=[not_a_server_error], timeout=60)

        no_server_error()
    assert seen > 200
    assert httpx.get(f"{running}/health", timeout=60).json()["status"] == "ok"

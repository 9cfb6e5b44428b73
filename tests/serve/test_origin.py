"""Who may ask: pages of another origin, names of this machine, odd requests."""

from __future__ import annotations

import io
import socket
import zipfile
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from phage.claims import Claim, Patent
from phage.cli import app as command
from phage.searching import Index
from phage.serve import Settings, create_app

HOST = "http://127.0.0.1"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def works(client, **headers):
    """Send one request to every route that works; give the statuses."""
    file = {"file": ("d.txt", b"1. A pump.\n2. The pump of claim 1.")}
    return {
        client.get("/search", params={"q": "pump"}, headers=headers).status_code,
        client.get("/patents/US1000003B2", headers=headers).status_code,
        client.get("/openapi.json", headers=headers).status_code,
        client.get("/health", headers=headers).status_code,
        client.post("/search", json={"query": "a pump"}, headers=headers).status_code,
        client.post("/graph", json={"text": "1. A pump."}, headers=headers).status_code,
        client.post("/split", json={"text": "1. A pump."}, headers=headers).status_code,
        client.post("/encode", json={"texts": ["a pump"]}, headers=headers).status_code,
        client.post("/read", files=file, headers=headers).status_code,
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:3000"},
        {"Origin": "http://127.0.0.1.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    ],
)
def test_pages_of_another_origin_are_refused(client, headers):
    assert works(client, **headers) == {403}
    said = client.get("/search", params={"q": "pump"}, headers=headers).json()
    assert said["remedy"]
    for path in ("/", "/page/main.js", "/favicon.ico"):  # a link may lead to the page
        assert client.get(path, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": HOST, "Sec-Fetch-Site": "same-origin"},
        {"Origin": "https://127.0.0.1"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_the_page_itself_and_clients_without_an_origin_are_answered(client, headers):
    assert works(client, **headers) == {200}


def test_two_origins_are_believed_the_worse(running):
    there = urlsplit(running)
    lines = [f"Origin: {running}", "Origin: http://evil.example"]
    for both in (lines, lines[::-1]):
        head = ["GET /health HTTP/1.1", f"Host: {there.netloc}", *both, "", ""]
        with socket.create_connection((there.hostname, there.port), timeout=60) as line:
            line.sendall("\r\n".join(head).encode())
            assert line.recv(4096).startswith(b"HTTP/1.1 403 ")


def test_names_are_allowed_one_by_one(encoder):
    settings = Settings(hosts=frozenset({"localhost", "patents.example"}))
    with TestClient(create_app(None, encoder, settings), base_url=HOST) as client:
        for name in ("patents.example", "Patents.Example:8000", "10.1.2.3:8000", "[fe80::1]:80"):
            assert client.get("/health", headers={"Host": name}).status_code == 200, name
        for name in ("evil.example", "patents.example.evil.example", "10.1.2.3.evil.example", ""):
            assert client.get("/health", headers={"Host": name}).status_code == 421, name


def test_the_command_hands_the_names_over(monkeypatch, tiny):
    import uvicorn

    seen = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, **_: seen.append(self.config))
    words = ["serve", "--model", str(tiny), "--host", "0.0.0.0", "--port", "0"]
    run = CliRunner().invoke(command, [*words, "--allow-host", "a.example", "--allow-host", "B"])
    assert run.exit_code == 0, run.output
    (config,) = seen
    hosts = config.http.settings.hosts
    assert {"a.example", "b", "localhost", "127.0.0.1"} <= hosts
    assert "evil.example" not in hosts
    assert config.timeout_graceful_shutdown >= 70


def test_a_long_query_is_not_repeated_in_every_hit(encoder, tmp_path):
    made = Index.create(tmp_path / "one.index", encoder)
    long = "the housing of steel " * 3000
    made.add([Patent(f"US{n}B2", (Claim(1, long),), title=long) for n in range(20)], encoder)
    made.finish()
    with TestClient(create_app(made.path, encoder), base_url=HOST) as client:
        query = "a pump with a shaft " * 19_000
        answer = client.post("/search", json={"query": query, "top": 200})
        assert len(answer.json()["hits"]) == 20
        assert len(answer.content) < 200_000 < len(query)
        hit = answer.json()["hits"][0]
        assert hit["match"]["query_text"].startswith("a pump with a shaft")
        assert hit["match"]["query_text"].endswith(" …")


def test_a_query_has_only_so_many_filters(client):
    answer = client.post("/search", json={"query": "a pump " + "ipc:F04B " * 20_000})
    assert answer.status_code == 422
    assert "fields" in answer.json()["detail"]


def packed(body: str, prelude: str = "", **others: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'{prelude}<w:d xmlns:w="{WORD}">{body}</w:d>')
        for name, text in others.items():
            archive.writestr(f"word/{name}.xml", text)
    return data.getvalue()


def test_uploads_that_unpack_to_too_much_are_refused(client):
    inner = packed("<w:p/>")
    boxed = io.BytesIO()
    with zipfile.ZipFile(boxed, "w") as archive:
        archive.writestr("inner.docx", inner)
    bombs = {
        "elements": packed("<w:p/>" * 1_000_001),
        "bytes": packed("<w:p>" + " " * (65 << 20) + "</w:p>"),
        "styles": packed("<w:p/>", styles="<a>" + "<b/>" * 1_100_000 + "</a>"),
        "document type": packed("<w:p>&a;</w:p>", prelude='<!DOCTYPE d [<!ENTITY a "aa">]>'),
        "zip in zip": boxed.getvalue(),
    }
    for name, data in bombs.items():
        answer = client.post("/read", files={"file": (f"{name}.docx", data)})
        assert answer.status_code == 422, name
        assert answer.json()["remedy"], name
        assert ("document type" in answer.json()["detail"]) == (name == "document type")
    assert client.get("/health").json()["replaced"] == 0  # refused, not killed


@pytest.mark.parametrize(
    "name",
    ["a\x1b[31mb.txt", "a\tb.txt", "..", "/etc/passwd", "\x7f.txt", "C:\\x\\ab.txt", "é" * 500],
)
def test_names_of_files_are_cleaned(client, name):
    answer = client.post("/read", files={"file": (name, b"1. A pump.\n2. The pump of claim 1.")})
    assert answer.status_code == 200, answer.text
    number = answer.json()["number"]
    assert number.isprintable() and "/" not in number and "\\" not in number
    assert 0 < len(number) <= 80


def test_odd_bodies_are_problems(client):
    kind = {"Content-Type": "application/json"}
    many = b'{"query": "x", ' + b", ".join(b'"k%d": 1' % n for n in range(100_000)) + b"}"
    for body in (
        b"[" * 100_000,
        b'{"query":' + b'{"a":' * 50_000,
        many,
        b'{"query": "pump", "top": 1000000000}',
        b'{"query": "pump", "top": -1}',
        b'{"query": "pump", "top": NaN}',
        b'{"query": "pump", "top": 1e400}',
        b'{"query": ["pump"]}',
        b'{"query": "\xff"}',
        b'{"claims": [' + b"{}," * 100_000 + b"{}]}",
        b"",
        b"null",
    ):
        answer = client.post("/search", content=body, headers=kind)
        assert answer.status_code == 422, body[:40]
        assert len(answer.content) < 3000
    twice = b'{"query": "x", "query": "a pump", "top": 3, "top": 1}'
    assert len(client.post("/search", content=twice, headers=kind).json()["hits"]) == 1
    plain = client.post(
        "/search", content=b'{"query": "a pump"}', headers={"Content-Type": "text/plain"}
    )
    assert plain.status_code == 415


def test_forms_of_many_parts_are_problems(client):
    files = [("file", (f"{n}.txt", b"1. A pump.")) for n in range(2000)]
    assert client.post("/read", files=files).status_code == 422
    fields = {f"f{n}": "x" for n in range(2000)}
    assert client.post("/read", data=fields, files={"x": ("x.txt", b"1. A.")}).status_code == 422
    kind = {"Content-Type": "multipart/form-data; boundary=" + "b" * 300}
    assert client.post("/read", content=b"x" * 100_000, headers=kind).status_code == 422


def test_other_methods_and_addresses(client):
    for path in ("/search", "/health", "/graph", "/"):
        assert client.options(path).status_code == 405
    assert client.head("/health").status_code == 405
    for top in ("-1", "0", "1000000000", "NaN", "1e3", "x"):
        assert client.get("/search", params={"q": "pump", "top": top}).status_code == 422
    assert client.get("/search?q=pump&" + "a&" * 20_000).status_code == 200
    assert client.get("/search?q=a%00b%ff").status_code == 200


def test_upgrades_and_many_headers(running):
    there = urlsplit(running)
    host = there.netloc
    upgrade = (
        f"GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    )
    upgrade += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    many = f"GET /health HTTP/1.1\r\nHost: {host}\r\n" + "a:\r\n" * 14_000 + "\r\n"
    endless = f"POST /encode HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    endless += "1\r\nx\r\n" * 1000
    for said, wanted in ((upgrade, b"200"), (many, b"200"), (endless, b"408")):
        with socket.create_connection((there.hostname, there.port), timeout=60) as line:
            line.sendall(said.encode())
            assert line.recv(4096).split(b" ")[1] == wanted
    assert httpx.get(f"{running}/health", timeout=60).is_success

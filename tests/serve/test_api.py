"""The API, in this process: answers, limits, problems, batching."""

from __future__ import annotations

import io
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient

from phage.graph.drawing.palette import DARK, LIGHT
from phage.searching import Index, Search, find, from_text
from phage.serve import Settings, create_app
from phage.serve.app import PAGE
from phage.serve.batching import Batcher
from phage.serve.problems import Stop

CLAIMS = "1. A pump with a shaft.\n2. The pump of claim 1, wherein the shaft is of steel.\n"


def is_problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said = answer.json()
    assert said["status"] == status
    assert said["title"]
    assert said["detail"]
    return said


def test_search_gives_what_the_library_gives(client, index_path, encoder):
    said = client.post("/search", json={"query": "a pump with steel", "top": 5}).json()
    hits = find(Index.open(index_path), from_text("a pump with steel", encoder), Search(top=5))
    assert [hit["number"] for hit in said["hits"]] == [hit.number for hit in hits]
    assert said["hits"][0]["match"]["text"]
    by_address = client.get("/search", params={"q": "a pump with steel", "top": 5}).json()
    assert by_address["hits"] == said["hits"]


def test_filters_in_the_words_and_beside_them(client):
    for body in ({"query": "a pump ipc:H02M"}, {"query": "a pump", "filter": "ipc:H02M"}):
        said = client.post("/search", json=body).json()
        assert said["filters"] == "ipc:H02M"
        assert {hit["ipc"][0] for hit in said["hits"]} == {"H02M 7/49"}
        assert said["query"] == "a pump"
    bad = is_problem(client.post("/search", json={"query": "pump", "filter": "date:soon"}), 422)
    assert "date:2014" in bad["remedy"]


@pytest.mark.parametrize(
    ("query", "kind"),
    [("us 1,000,003", "number"), (CLAIMS, "claims"), ("a pump", "text"), ("ipc:F04B", "fields")],
)
def test_a_query_is_taken_for_what_it_is(client, query, kind):
    said = client.post("/search", json={"query": query, "families": True, "rank": "words"}).json()
    assert said["kind"] == kind
    if kind == "number":
        assert "US1000003B2" not in [hit["number"] for hit in said["hits"]]


def test_searching_with_claims(client):
    claims = [{"number": 4, "text": "a shaft of steel"}]
    said = client.post("/search", json={"claims": claims, "top": 1}).json()
    assert (said["kind"], said["hits"][0]["match"]["query_claim"]) == ("claims", 4)


def test_graph_of_a_text_of_claims_and_of_a_number(client):
    said = client.post("/graph", json={"text": CLAIMS}).json()
    assert [(e["source"], e["target"], e["relation"]) for e in said["graph"]["edges"]] == [
        (1, 2, "cite")
    ]
    assert said["mask"] == {"numbers": [1, 2], "table": [[0, 0], [1, 0]], "open": False}
    assert said["svg"].startswith("<svg")
    for edge in said["graph"]["edges"]:
        for item in edge["evidence"]:
            text = {c["number"]: c["text"] for c in said["patent"]["claims"]}[item["claim"]]
            assert text[item["start"] : item["end"]] == item["phrase"]
    claims = said["patent"]["claims"]
    again = client.post("/graph", json={"claims": claims, "svg": False}).json()
    assert again["graph"]["edges"] == said["graph"]["edges"]
    assert again["svg"] == ""
    stored = client.post("/graph", json={"number": "US1000003"}).json()
    assert stored["graph"]["patent"] == "US1000003B2"
    assert [row["depth"] for row in stored["rows"]] == [0, 1, 2]


@pytest.mark.parametrize(
    "body", [{}, {"text": "  "}, {"text": "1. A.", "number": "US1000003"}, {"language": "en"}]
)
def test_a_graph_of_nothing_is_a_problem(client, body):
    assert is_problem(client.post("/graph", json=body), 422)["remedy"]


def test_a_language_without_rules_is_a_problem(client):
    said = is_problem(client.post("/graph", json={"text": CLAIMS, "language": "xx"}), 422)
    assert "English" in said["remedy"]


def test_files_text_and_word(client):
    from docx import Document

    word = Document()
    for line in ("Claims", *CLAIMS.splitlines()):
        word.add_paragraph(line)
    packed = io.BytesIO()
    word.save(packed)
    for name, data in (("d.txt", CLAIMS.encode()), ("../../d.docx", packed.getvalue())):
        said = client.post("/read", files={"file": (name, data)}).json()
        assert said["number"] == "d"
        assert [claim["number"] for claim in said["claims"]] == [1, 2]
    for data in (b"PK\x03\x04 broken", b"\x00\x01\x02", b"no claims here", b""):
        assert is_problem(client.post("/read", files={"file": ("x.docx", data)}), 422)["remedy"]
    is_problem(client.post("/read", data={"file": "text"}), 415)
    is_problem(client.post("/read", files={"other": ("x.txt", CLAIMS.encode())}), 422)


def test_encode_is_the_encoder(client, encoder):
    texts = ["a pump", "the housing of steel"]
    said = client.post("/encode", json={"texts": texts}).json()
    np.testing.assert_allclose(said["vectors"], encoder.encode(texts), atol=1e-5)
    assert said["dimension"] == encoder.dimension
    for bad in ([], [""], ["a"] * 129, ["a" * 400_001], "a", [1], None):
        is_problem(client.post("/encode", json={"texts": bad}), 422)


def test_patents_by_number(client):
    said = client.get("/patents/US1000003B2").json()
    assert said["claims"][0]["number"] == 1
    assert "vector" not in said
    assert client.get("/patents/us1000003").json()["number"] == "US1000003B2"
    assert client.get("/patents/o'neil").json()["title"] == "quoted"
    assert client.post("/search", json={"query": "x", "top": 3}).status_code == 200
    is_problem(client.get("/patents/US7"), 404)
    is_problem(client.get("/patents/' OR 1=1 --"), 404)
    is_problem(client.get("/nowhere"), 404)
    is_problem(client.delete("/health"), 405)


def test_health_and_description(client):
    said = client.get("/health").json()
    assert (said["status"], said["patents"], said["token"]) == ("ok", 14, False)
    described = client.get("/openapi.json").json()
    assert {"/search", "/graph", "/encode", "/patents/{number}", "/health"} <= set(
        described["paths"]
    )
    assert "Problem" in described["components"]["schemas"]
    assert "/page/docs.js" in client.get("/docs").text


def test_without_an_index_graphs_and_vectors_work(encoder):
    with TestClient(create_app(None, encoder), base_url="http://localhost") as client:
        assert client.post("/graph", json={"text": CLAIMS}).status_code == 200
        assert client.post("/encode", json={"texts": ["a pump"]}).status_code == 200
        assert client.get("/health").json()["index"] == ""
        for answer in (
            client.post("/search", json={"query": "a pump"}),
            client.get("/patents/US1"),
            client.post("/graph", json={"number": "US1"}),
        ):
            assert "phage serve" in is_problem(answer, 404)["remedy"]


def test_a_token_guards_all_but_the_page(index_path, encoder):
    app = create_app(index_path, encoder, Settings(token="secret"))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for path in ("/", "/docs", "/page/main.js", "/health"):
            assert client.get(path).status_code == 200
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}):
            is_problem(client.get("/search", params={"q": "pump"}, headers=given), 401)
        assert client.get("/openapi.json").status_code == 401
        right = {"Authorization": "Bearer secret"}
        assert client.get("/search", params={"q": "pump"}, headers=right).status_code == 200


def test_a_limit_on_the_time_of_an_answer(encoder):
    app = create_app(None, encoder, Settings(answer_seconds=0.2, hosts=frozenset()))

    @app.get("/slow")
    async def slow() -> None:
        import asyncio

        await asyncio.sleep(600)

    with TestClient(app) as client:
        is_problem(client.get("/slow"), 503)


def test_a_limit_on_the_body(encoder):
    app = create_app(None, encoder, Settings(body_bytes=1000, hosts=frozenset()))
    with TestClient(app) as client:
        big = {"texts": ["a" * 2000]}
        assert "MiB" in is_problem(client.post("/encode", json=big), 413)["detail"]
        parts = (b"x" * 400 for _ in range(5))  # without a length: counted while it comes
        is_problem(client.post("/encode", content=parts), 413)


def test_another_name_for_this_machine_is_refused(client):
    """A foreign page that rebinds its name to 127.0.0.1 still sends that name."""
    is_problem(client.get("/health", headers={"Host": "evil.example:8000"}), 421)
    assert client.get("/health", headers={"Host": "localhost:8000"}).status_code == 200
    assert client.get("/health", headers={"Host": "[::1]:8000"}).status_code == 200


def test_the_page_loads_nothing_from_elsewhere_and_runs_nothing_inline(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|<style", page.text)
    for path in PAGE.iterdir():
        text = path.read_text(encoding="utf-8")
        assert client.get(f"/page/{path.name}").status_code == 200
        found = set(re.findall(r"https?://[^/\s\"')]+", text)) - {"http://www.w3.org"}
        # links of a hit that lead elsewhere, when clicked
        out = {"https://patents.google.com", "https://worldwide.espacenet.com"}
        assert found <= (out if path.name == "hits.js" else set()), path.name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", text)
        assert len(text.splitlines()) <= 300
    for name in ("../app.py", "%2e%2e/app.py", "..%2fapp.py", "nothing.js", "%00"):
        assert client.get(f"/page/{name}").status_code == 404


def test_the_page_has_the_colours_of_every_other_drawing():
    style = (PAGE / "base.css").read_text()
    light, dark = style.split(':root[data-theme="dark"]')
    for sheet, palette in ((light, LIGHT), (dark, DARK)):
        for relation, colour in palette.relations.items():
            assert f"--{relation}: {colour};" in sheet
        assert f"--ground: {palette.ground};" in sheet


def test_every_answer_has_the_safe_headers(client):
    for answer in (client.get("/health"), client.get("/nowhere"), client.post("/graph", json={})):
        assert answer.headers["cache-control"] == "no-store"
        assert "content-security-policy" in answer.headers


def test_concurrent_requests_are_encoded_together_and_alone_give_the_same(client):
    before = client.get("/health").json()
    texts = [f"a pump with {n % 5} shaft" for n in range(24)]

    def ask(text):
        return client.post("/encode", json={"texts": [text]}).json()["vectors"][0]

    with ThreadPoolExecutor(24) as pool:
        together = list(pool.map(ask, texts))
    after = client.get("/health").json()
    assert after["jobs"] - before["jobs"] == 24
    np.testing.assert_allclose(together, [ask(text) for text in texts], atol=1e-5)


def test_batcher_gathers_and_one_bad_job_fails_alone():
    seen, gate = [], threading.Event()

    def work(jobs, advance):
        gate.wait(60)
        seen.append(len(jobs))
        if "bad" in jobs:
            raise ValueError("bad")
        return [job.upper() for job in jobs]

    batcher = Batcher({"w": work}, Settings(gather_seconds=0.0, waiting=8))
    first = batcher.submit("w", "a")
    while batcher._queue.qsize():  # the first is taken; the others meet in line
        time.sleep(0.005)
    rest = [batcher.submit("w", job) for job in ("b", "bad", "c", "d", "e", "f", "g", "h")]
    with pytest.raises(Stop, match="waiting"):
        batcher.submit("w", "one too many")
    gate.set()
    assert first.result(60) == "A"
    assert [future.result(60) for future in (rest[0], *rest[2:])] == list("BCDEFGH")
    with pytest.raises(ValueError, match="bad"):
        rest[1].result(60)
    batcher.close()
    assert seen[:2] in ([1, 8], [1, 1], [1, 2])
    with pytest.raises(Stop, match="stopping"):
        batcher.submit("w", "late")


def test_an_error_of_ours_is_a_problem_without_a_trace(encoder):
    app = create_app(None, encoder, Settings(hosts=frozenset()))

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("secret path /etc")

    with TestClient(app, raise_server_exceptions=False) as client:
        said = is_problem(client.get("/broken"), 500)
        assert "secret" not in str(said)
        assert Path(__file__).name not in str(said)


@pytest.mark.parametrize("said", [b"5000", None])
def test_a_body_that_is_refused_is_read_before_the_answer_ends(said):
    """A socket that is closed on unread bytes is reset, and the answer may never arrive."""
    import asyncio

    from phage.serve.middleware import Guards

    parts = [{"type": "http.request", "body": b"x" * 1000, "more_body": n < 4} for n in range(5)]
    happened: list[str] = []

    async def receive():
        happened.append("read")
        return parts.pop(0)

    async def send(message):
        if message["type"] == "http.response.start":
            happened.append(str(message["status"]))
        else:
            happened.append("more" if message.get("more_body") else "end")

    length = [(b"content-length", said)] if said else []
    scope = {"type": "http", "path": "/encode", "method": "POST", "headers": length}
    guards = Guards(None, Settings(body_bytes=1500, hosts=frozenset()))
    asyncio.run(guards(scope, receive, send))
    before = [] if said else ["read", "read"]  # until it was too much
    assert happened == [*before, "413", "more", *["read"] * (5 - len(before)), "end"]

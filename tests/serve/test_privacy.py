"""What is pasted, searched or uploaded is written nowhere: no file, no log."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time

import httpx
import pytest

from phage.serve import jobs
from phage.serve.problems import log_unexpected

SECRET = "zirconium frobnicator"
CLAIMS = f"1. A {SECRET} with a shaft.\n2. The {SECRET} of claim 9, wherein the lid turns."


def content(folder):
    """Give every byte of every file below a folder, and all names."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() + str(path).encode() for path in files)


@pytest.fixture(scope="module")
def asked(index_path, tmp_path_factory):
    """Run the server in a home of its own and ask everything; gives that home and its log."""
    home = tmp_path_factory.mktemp("home")
    for name in ("tmp", "work"):
        (home / name).mkdir()
    own = {"HOME": str(home), "TMPDIR": str(home / "tmp"), "XDG_CACHE_HOME": str(home / "cache")}
    before = content(index_path)
    with (home / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "phage", "serve", str(index_path), "--port", "0"],
            cwd=home / "work", env={**os.environ, **own}, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        while not (found := re.search(r"open (http\S+)", (home / "log").read_text())):
            assert server.poll() is None, (home / "log").read_text()
            time.sleep(0.1)
        with httpx.Client(base_url=found[1], timeout=600) as client:
            answers = everything(client)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)
    return home, answers, before, content(index_path)


def everything(client):
    """Ask each route for something secret, rightly and wrongly; give the answers' statuses."""
    said = [
        client.post("/search", json={"query": SECRET}),
        client.get("/search", params={"q": SECRET}),
        client.post("/search", json={"query": f"{SECRET} date:soon"}),
        client.post("/search", json={"query": CLAIMS, "level": "claim"}),
        client.get(f"/patents/{SECRET}"),
        client.get(f"/{SECRET}"),
    ]
    for path in ("/check", "/graph", "/split"):
        said.append(client.post(path, json={"text": CLAIMS}))
        said.append(client.post(path, json={"text": CLAIMS, SECRET: SECRET}))
        said.append(client.post(path, content=f'{{"text": "{SECRET}'.encode()))
    said.append(client.post("/encode", json={"texts": [SECRET]}))
    pair = {"patent": {"text": CLAIMS}, "other": {"number": "US1000003B2"}}
    said += [client.post("/chart", json={**pair, "ending": end}) for end in ("", ".xlsx", ".docx")]
    said += [client.post("/diff", json={**pair, "ending": end}) for end in ("", ".html", ".docx")]
    said.append(client.post("/table", json={"ending": ".xlsx", "hits": [{"number": SECRET}]}))
    large = (CLAIMS + "\n" + " " * (2 << 20)).encode()  # larger than what forms keep in memory
    for name, data in (
        ("a.txt", CLAIMS.encode()),
        (f"{SECRET}.docx", b"PK\x03\x04"),
        ("b.txt", large),
    ):
        said.append(client.post("/read", files={"file": (name, data)}))
    return [answer.status_code for answer in said]


def test_nothing_asked_is_in_a_file_or_in_the_log(asked):
    home, answers, before, after = asked
    assert answers.count(200) >= 12 and 422 in answers and 404 in answers
    assert 500 not in answers
    assert before == after  # the index
    assert SECRET.encode() not in content(home)
    assert b"frobnicator" not in content(home)
    assert "open http://127.0.0.1" in (home / "log").read_text()


def test_a_large_upload_stays_in_memory(monkeypatch):
    import tempfile

    def on_disk(self):
        raise AssertionError("an upload was written to a file")

    monkeypatch.setattr(tempfile.SpooledTemporaryFile, "rollover", on_disk)
    text = CLAIMS + "\n" + " " * 350_000
    body = io.BytesIO()
    for part in (b'--x\r\nContent-Disposition: form-data; name="file"; filename="d.txt"\r\n\r\n',
                 text.encode(), b" " * (3 << 20), b"\r\n--x--\r\n"):  # fmt: skip
        body.write(part)
    with pytest.raises(Exception, match="characters"):  # too long, but read in memory
        jobs.read(body.getvalue(), "multipart/form-data; boundary=x")
    small = body.getvalue().replace(b" " * (3 << 20), b"")
    assert json.loads(jobs.read(small, "multipart/form-data; boundary=x"))["claims"]


def test_the_log_of_an_error_leaves_its_message_out(caplog):
    def fails(text):
        raise ValueError(f"cannot read {text}")

    with caplog.at_level(logging.ERROR, logger="phage.serve"):
        try:
            fails(SECRET)
        except ValueError as error:
            log_unexpected("a worker", error)
            assert jobs.described(error)[0] == 500
    assert "ValueError" in caplog.text and "in fails" in caplog.text
    assert SECRET not in caplog.text

"""``phage serve`` as a process: it answers, and it stops when told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys

import httpx
from typer.testing import CliRunner

from phage.cli import app
from phage.errors import PhageError


def test_it_serves_warns_and_stops(index_path):
    words = [sys.executable, "-m", "phage", "serve", str(index_path), "--port", "0"]
    words += ["--host", "0.0.0.0"]
    run = subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, env={**os.environ, "PHAGE_TOKEN": "t"}
    )
    said = ""
    while "open http" not in said:
        line = run.stderr.readline()
        assert line, said  # it ended
        said += line
    address = said.split("open ")[1].split()[0].replace("0.0.0.0", "127.0.0.1")
    assert httpx.get(f"{address}/health", timeout=600).json()["token"]
    assert httpx.get(f"{address}/search", params={"q": "pump"}, timeout=60).status_code == 401
    run.send_signal(signal.SIGTERM)
    run.communicate(timeout=120)
    assert "can be reached by other machines" in said
    assert run.returncode in (0, -signal.SIGTERM)


def test_an_index_keeps_its_model(index_path):
    run = CliRunner().invoke(app, ["serve", str(index_path), "--model", "phage-mini"])
    assert isinstance(run.exception, PhageError)
    assert "was made with the model" in run.exception.message
    gone = CliRunner().invoke(app, ["serve", "nowhere.index"])
    assert isinstance(gone.exception, PhageError)


def test_a_port_that_is_taken_is_reported_before_anything_is_promised(index_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = ["serve", str(index_path), "--port", str(taken.getsockname()[1])]
        run = CliRunner().invoke(app, words)
    assert isinstance(run.exception, PhageError)
    assert "cannot listen on port" in run.exception.message and "--port 0" in run.exception.remedy
    assert "open http" not in run.output

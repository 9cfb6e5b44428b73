"""``phage serve`` as a process: it answers, and it stops when told."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import httpx
from typer.testing import CliRunner

from phage.cli import app
from phage.errors import PhageError


def test_it_serves_warns_and_stops(index_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [sys.executable, "-m", "phage", "serve", str(index_path), "--port", str(port)]
    words += ["--host", "0.0.0.0"]
    run = subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, env={**os.environ, "PHAGE_TOKEN": "t"}
    )
    address = f"http://127.0.0.1:{port}"
    for _ in range(2400):  # minutes, where the machine is busy
        try:
            health = httpx.get(f"{address}/health").json()
            break
        except httpx.TransportError:
            assert run.poll() is None
            time.sleep(0.1)
    assert health["token"]
    assert httpx.get(f"{address}/search", params={"q": "pump"}, timeout=60).status_code == 401
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=120)
    assert "can be reached by other machines" in said
    assert run.returncode in (0, -signal.SIGTERM)


def test_an_index_keeps_its_model(index_path):
    run = CliRunner().invoke(app, ["serve", str(index_path), "--model", "phage-mini"])
    assert isinstance(run.exception, PhageError)
    assert "was made with the model" in run.exception.message
    gone = CliRunner().invoke(app, ["serve", "nowhere.index"])
    assert isinstance(gone.exception, PhageError)

"""A small index behind the service, in this process and as a running server."""

from __future__ import annotations

import socket
import threading
import time

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("lancedb")

from phage.claims import Claim, Patent
from phage.encoder import Encoder
from phage.searching import Index
from phage.serve import Settings, create_app
from phage.serve.transport import transport

HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>'
WORDS = ("a pump with a shaft", "the housing of steel", "a shaft coupled to a housing of steel")


def patents() -> list[Patent]:
    made = []
    for place in range(12):
        words = WORDS[place % 3]
        claims = (
            Claim(1, f"{words}."),
            Claim(2, f"The pump of claim 1, wherein the shaft is coupled to the housing {place}."),
            Claim(3, "The pump of claim 2, wherein the housing is of steel."),
        )
        made.append(
            Patent(
                f"US{1000000 + place}B2",
                claims,
                family=f"f{place // 2}",
                title=f"{words} {place}",
                ipc=(("F04B 1/00", "H02M 7/49", "A61B 5/00")[place % 3],),
                publication_date=f"20{10 + place % 10}-01-07",
            )
        )
    evil = Claim(1, f"A pump {HOSTILE} with a shaft.")
    made.append(Patent("US2000000B2", (evil,), title=HOSTILE, abstract=HOSTILE, ipc=("F04B 1/00",)))
    made.append(Patent("o'neil", (Claim(1, "A pump."),), title="quoted"))
    return made


@pytest.fixture(scope="session")
def encoder(tiny):
    return Encoder.from_pretrained(tiny, device="cpu")


@pytest.fixture(scope="session")
def index_path(encoder, tmp_path_factory):
    path = tmp_path_factory.mktemp("serve") / "my.index"
    made = Index.create(path, encoder)
    made.add(patents(), encoder)
    made.finish()
    return path


@pytest.fixture(scope="module")
def client(index_path, encoder):
    """Ask the service in this process."""
    from fastapi.testclient import TestClient

    with TestClient(create_app(index_path, encoder), base_url="http://127.0.0.1") as made:
        yield made


@pytest.fixture(scope="session")
def running(index_path, encoder):
    """Serve on loopback; gives the address."""
    settings = Settings(body_seconds=3.0)  # enough for an honest body on a busy machine
    yield from serving(create_app(index_path, encoder, settings), settings)


def serving(app, settings):
    import uvicorn

    mine = socket.create_server(("127.0.0.1", 0))  # kept, so that nobody takes the port meanwhile
    port = mine.getsockname()[1]
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_level="error", **transport(settings)
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([mine],), daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=20)

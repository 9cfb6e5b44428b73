"""``phage serve``: the HTTP API and the web page."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Annotated

import typer


def serve(
    index: Annotated[
        Path | None,
        typer.Argument(help="Index folder made by `phage index`; without one, there is no search."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Model folder or name; by default the index's own.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="Host name under which the server is reached; repeatable."),
    ] = None,
    token: Annotated[
        str,
        typer.Option(
            envvar="PHAGE_TOKEN", help="Require this token with every request.", metavar="…"
        ),
    ] = "",
) -> None:
    """Serve search, claim graphs and vectors to this machine, with a page for people.

    Nothing leaves the machine: the page loads no outside assets and the server makes no requests.
    Ctrl-C lets running requests finish. The server answers to IP addresses, localhost, and names
    given with --allow-host.

    Example: phage serve my.index

    Example: phage serve --model phage-mini --port 9000

    Example: phage serve my.index --host 0.0.0.0 --allow-host patents.example --token …
    """
    from phage.extras import require
    from phage.searching import Index
    from phage.terminal import messages

    uvicorn = require("uvicorn", extra="serve")
    require("fastapi", extra="serve")
    require("python_multipart", extra="serve")
    from phage.encoder import Encoder
    from phage.serve import Settings, create_app
    from phage.serve.settings import LOCAL
    from phage.serve.transport import transport

    if index is not None and model is not None:
        _same_model(Index.open(index), model)
    named = model or (Index.open(index).settings.model if index else "phage-mini")
    local = host in LOCAL
    if not local:
        messages.print(
            f"warning: {host} can be reached by other machines"
            + ("" if token else "; anyone there can search and read this index: give --token")
            + ("" if allow_host else "; to reach this server by name, add --allow-host NAME"),
            style="bold yellow",
        )
    names = {host.lower(), *(name.lower() for name in allow_host or ())}
    settings = Settings(token=token, hosts=LOCAL | names)
    with _listening(host, port) as held:
        app = create_app(index, Encoder.from_pretrained(named), settings)
        shown = f"[{host}]" if ":" in host else host
        what = (
            f"{index}"
            if index
            else "no index: checks, comparisons, claim graphs and vectors, but no search"
        )
        where = f"http://{shown}:{held.getsockname()[1]}"
        messages.print(f"{what}\nopen {where}   (Ctrl-C stops it)")
        config = uvicorn.Config(app, log_level="warning", **transport(settings))
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[held])


def _listening(host: str, port: int) -> socket.socket:
    """Take the port before anything is loaded or promised."""
    from phage.errors import PhageError

    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=kind)
    except OSError as error:
        raise PhageError(
            f"cannot listen on port {port}: {error.strerror or error}",
            place=host,
            remedy="give another one; --port 0 takes a free one",
        ) from error


def _same_model(index, model: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    from phage.errors import PhageError

    if index.settings.model != model:
        raise PhageError(
            f"this index was made with the model '{index.settings.model}'",
            place=str(index.path),
            remedy="leave --model out",
        )

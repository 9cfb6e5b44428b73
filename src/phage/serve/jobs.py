"""What the worker processes do: read a body, work on it, write the answer.

In:   the body of a request as it came.
Out:  the body of the answer, or what the model and the index are then asked for.
Why:  parsing, splitting, building and drawing hold the interpreter, and all begin with a stranger's
      bytes. This module and what it imports know neither torch nor the index."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from phage.claims import Patent
from phage.errors import PhageError
from phage.searching.asking import Asked
from phage.serve.problems import INTERNAL, Stop, invalid
from phage.serve.schemas import ClaimSet, EncodeAsked, GraphAsked, SearchAsked
from phage.serve.service import given_claims, graph_json, patent_json, understood, uploaded, written

_log = logging.getLogger("phage.serve")
Body = TypeVar("Body", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A patent of the index that a job needs first."""

    number: str


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search asks of the model and the index."""

    asked: Asked
    how: SearchAsked
    """The request, without what it asks for."""


def graph(body: bytes, row: Patent | None = None) -> bytes | Wanted:
    """Build the claim graph of a text, of claims, or of a patent of the index."""
    asked = _checked(GraphAsked, body)
    patent = row or given_claims(asked)
    return written(graph_json(patent, svg=asked.svg)) if patent else Wanted(asked.number)


def split(body: bytes, row: Patent | None = None) -> bytes | Wanted:
    """Split a text into claims."""
    asked = _checked(ClaimSet, body)
    patent = row or given_claims(asked)
    return written(patent_json(patent)) if patent else Wanted(asked.number)


def read(body: bytes, kind: str) -> bytes:
    """Read the claims of an uploaded file; ``kind`` is the content type, with its boundary."""
    try:
        data, name = asyncio.run(_upload(body, kind))
    except (Stop, MemoryError):
        raise
    except Exception as error:  # a form is a stranger's, and its parser raises of all kinds
        raise Stop(422, f"this form cannot be read: {error}", place="body") from error
    return written(patent_json(uploaded(data, name)))


def search(body: bytes) -> Searched:
    """Find out what a search asks for."""
    how = _checked(SearchAsked, body)
    return Searched(understood(how), how.model_copy(update={"query": "", "claims": []}))


def encode(body: bytes) -> list[str]:
    """Check the texts to encode."""
    return _checked(EncodeAsked, body).texts


def warm() -> None:
    """Load and run once what every graph needs, so that the first request does not wait for it."""
    graph(b'{"text": "1. A pump with a shaft.\\n2. The pump of claim 1, wherein the shaft turns."}')


def described(error: Exception) -> tuple[int, str, str, str]:
    """Give an error as the parts of a problem: status, detail, remedy, place."""
    if isinstance(error, Stop):
        return error.status, error.detail, error.remedy, error.place
    if isinstance(error, PhageError):
        return 422, error.message, error.remedy, ""
    if isinstance(error, ValidationError):
        detail, place = invalid(
            error.errors(include_url=False, include_context=False, include_input=False)
        )
        return 422, detail, "see /openapi.json", place
    _log.error("unexpected error in a worker", exc_info=error)
    return 500, *INTERNAL, ""


async def _upload(body: bytes, kind: str) -> tuple[bytes, str]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", kind.encode("latin-1", "replace"))]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    async with request.form(max_files=4, max_fields=4) as form:
        file = form.get("file")
        if file is None or isinstance(file, str):
            raise Stop(422, "no file was sent", place="body.file", remedy="see /openapi.json")
        return await file.read(), file.filename or "draft"


def _checked(body: type[Body], data: bytes) -> Body:
    return body.model_validate_json(data)


JOBS: dict[str, Callable[..., Any]] = {
    "graph": graph,
    "split": split,
    "read": read,
    "search": search,
    "encode": encode,
}
"""Route → what a worker does for it."""

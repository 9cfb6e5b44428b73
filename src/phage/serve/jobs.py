"""The jobs of the worker processes: read a body, work on it, write the answer.

In:   the unread body of a request.
Out:  the body of the answer, or a request to the model and the index.
Why:  parsing, splitting, building and drawing hold the interpreter lock, and all begin with a
      stranger's bytes. This module and its imports load neither torch nor the index."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError
from starlette.formparsers import MultiPartParser
from starlette.requests import Request

from phage.checking import CheckSettings
from phage.claims import Patent
from phage.compare.diff import diff as compared
from phage.errors import PhageError
from phage.searching.asking import Asked
from phage.searching.tables import write_stream
from phage.serve.checking import check_json
from phage.serve.comparing import chart_file, chart_of, chart_texts, diff_file
from phage.serve.problems import INTERNAL, Stop, invalid, log_unexpected
from phage.serve.schemas import (
    ChartAsked,
    CheckAsked,
    ClaimSet,
    DiffAsked,
    EncodeAsked,
    GraphAsked,
    SearchAsked,
    TableAsked,
)
from phage.serve.service import (
    as_hit,
    given_claims,
    graph_json,
    patent_json,
    understood,
    uploaded,
    written,
)

Body = TypeVar("Body", bound=BaseModel)
_NONE: Mapping[str, Patent] = {}


@dataclass(frozen=True, slots=True)
class Wanted:
    """An indexed patent that a job needs first."""

    number: str


@dataclass(frozen=True, slots=True)
class Unencoded:
    """Short texts whose vectors a job needs."""

    texts: list[str]


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search asks of the model and the index."""

    asked: Asked
    how: SearchAsked
    """The request, without its query."""


def graph(body: bytes, row: Patent | None = None) -> bytes | Wanted:
    """Build the claim graph of a text, of claims, or of a patent of the index."""
    asked = _checked(GraphAsked, body)
    patent = row or given_claims(asked)
    return written(graph_json(patent, svg=asked.svg)) if patent else Wanted(asked.number)


def check(body: bytes, row: Patent | None = None) -> bytes | Wanted:
    """Check a text, claims, or a patent of the index."""
    asked = _checked(CheckAsked, body)
    patent = row or given_claims(asked)
    if patent is None:
        return Wanted(asked.number)
    if asked.description:
        patent = replace(patent, description=asked.description)
    return written(check_json(patent, CheckSettings(asked.office, strict=asked.strict)))


def chart(
    body: bytes, rows: Mapping[str, Patent] = _NONE, vectors: NDArray[np.float32] | None = None
) -> Wanted | Unencoded | tuple[bytes, str]:
    """Make a claim chart; first ask for its patents, then for its vectors."""
    asked = _checked(ChartAsked, body)
    pair = _pair(asked, rows)
    if isinstance(pair, Wanted):
        return pair
    texts = chart_texts(pair[0], pair[1], asked.claims)
    if vectors is None:
        return Unencoded(texts)
    made = chart_of(pair[0], pair[1], asked.claims, dict(zip(texts, vectors, strict=True)))
    if asked.ending:
        return chart_file(made, asked.ending), asked.ending
    numbers = {"claims": [claim.number for claim in pair[0].claims]}
    return written(made.to_json() | numbers), asked.ending


def diff(body: bytes, rows: Mapping[str, Patent] = _NONE) -> Wanted | tuple[bytes, str]:
    """Compare two versions of a claim set."""
    asked = _checked(DiffAsked, body)
    pair = _pair(asked, rows)
    if isinstance(pair, Wanted):
        return pair
    made = compared(*pair)
    return (
        diff_file(made, asked.ending) if asked.ending else written(made.to_json())
    ), asked.ending


def _pair(
    asked: ChartAsked | DiffAsked, rows: Mapping[str, Patent]
) -> tuple[Patent, Patent] | Wanted:
    """Return both sides, or the first one that must still be looked up."""
    pair: list[Patent] = []
    for side in (asked.patent, asked.other):
        found = given_claims(side) or rows.get(side.number)
        if found is None:
            return Wanted(side.number)
        pair.append(found)
    return pair[0], pair[1]


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
    """Work out what a search means."""
    how = _checked(SearchAsked, body)
    return Searched(understood(how), how.model_copy(update={"query": "", "claims": []}))


def table(body: bytes) -> tuple[bytes, str]:
    """Write hits as a table, in memory; return it with its file ending."""
    asked = _checked(TableAsked, body)
    stream = io.BytesIO()
    found = [
        (hit.query, hit.rank or place, as_hit(hit)) for place, hit in enumerate(asked.hits, start=1)
    ]
    write_stream(found, stream, asked.ending)
    return stream.getvalue(), asked.ending


def encode(body: bytes) -> list[str]:
    """Check the texts to encode."""
    return _checked(EncodeAsked, body).texts


def warm() -> None:
    """Run a graph and a check once, so that the first request does not wait for their loading."""
    claims = (
        b'{"text": "1. A pump with a shaft.\\n2. The pump of claim 1, wherein the shaft turns."}'
    )
    graph(claims)
    check(claims)


def described(error: Exception) -> tuple[int, str, str, str]:
    """Return an error as the parts of a problem: status, detail, remedy, place."""
    if isinstance(error, Stop):
        return error.status, error.detail, error.remedy, error.place
    if isinstance(error, PhageError):
        return 422, error.message, error.remedy, ""
    if isinstance(error, ValidationError):
        detail, place = invalid(
            error.errors(include_url=False, include_context=False, include_input=False)
        )
        return 422, detail, "see /openapi.json", place
    log_unexpected("a worker", error)
    return 500, *INTERNAL, ""


async def _upload(body: bytes, kind: str) -> tuple[bytes, str]:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    headers = [(b"content-type", kind.encode("latin-1", "replace"))]
    request = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    parser = MultiPartParser(request.headers, request.stream(), max_files=4, max_fields=4)
    parser.spool_max_size = len(body) + 1  # in memory: what a client sends is never written down
    form = await parser.parse()
    file = form.get("file")
    if file is None or isinstance(file, str):
        raise Stop(422, "no file was sent", place="body.file", remedy="see /openapi.json")
    return await file.read(), file.filename or "draft"


def _checked(body: type[Body], data: bytes) -> Body:
    return body.model_validate_json(data)


JOBS: dict[str, Callable[..., Any]] = {
    "graph": graph,
    "check": check,
    "chart": chart,
    "diff": diff,
    "split": split,
    "read": read,
    "search": search,
    "table": table,
    "encode": encode,
}
"""Route → the job that a worker does for it."""

"""Errors as RFC 9457 problem documents.

In:   any error of a handler.
Out:  ``application/problem+json`` with title, status, detail and, if known, a remedy.
Why:  a script reads the same fields for every error, a person reads what to do."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from phage.errors import PhageError

MEDIA = "application/problem+json"
INTERNAL = ("the server failed; its log says why", "please report it")
"""Detail and remedy of an error that should never happen."""
_log = logging.getLogger("phage.serve")


class Problem(BaseModel):
    """What went wrong, as defined by RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    place: str = Field("", description="Which part of the request.")
    remedy: str = Field("", description="How to fix the request.")


class Stop(Exception):
    """An error with its HTTP status, raised where the status is known."""

    def __init__(self, status: int, detail: str, *, remedy: str = "", place: str = "") -> None:
        """Take what is wrong and how to fix it."""
        super().__init__(detail)
        self.status, self.detail, self.remedy, self.place = status, detail, remedy, place


def too_late(seconds: float) -> Stop:
    """Describe an answer that took longer than allowed."""
    return Stop(503, f"this took longer than {seconds:g} s", remedy="send less, or try again")


def problem(
    status: int,
    detail: str,
    *,
    place: str = "",
    remedy: str = "",
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """Make the response."""
    title = HTTPStatus(status).phrase
    body = Problem(title=title, status=status, detail=detail, place=place, remedy=remedy)
    # a path or header may hold half a surrogate pair, which no UTF-8 can write
    plain = {
        key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for key, value in body.model_dump().items()
    }
    return JSONResponse(plain, status, media_type=MEDIA, headers=headers)


def install(app: FastAPI) -> None:
    """Let the app answer every error this way."""
    app.add_exception_handler(Stop, _stop)
    app.add_exception_handler(PhageError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare problems in the OpenAPI description."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


async def _stop(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Stop)
    headers = {"Retry-After": "2"} if error.status == 503 else None
    return problem(
        error.status, error.detail, place=error.place, remedy=error.remedy, headers=headers
    )


async def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PhageError)
    # the place is a path on this machine or a part of the request; only the latter is sent
    return problem(422, error.message, remedy=error.remedy)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    detail, place = invalid(error.errors())
    return problem(422, detail, place=place, remedy="see /openapi.json")


def invalid(errors: Sequence[Any]) -> tuple[str, str]:
    """Return the first few errors of a validation as detail and place."""
    detail = "; ".join(f"{_where(item['loc'])}: {item['msg'][:200]}" for item in errors[:5])
    return detail, _where(errors[0]["loc"]) if errors else ""


def _where(parts: Sequence[Any]) -> str:
    return ".".join(str(part)[:40] for part in parts[:6]) or "body"


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    remedy = "see /openapi.json" if error.status_code in (404, 405) else ""
    return problem(error.status_code, str(error.detail), remedy=remedy, headers=error.headers)


def log_unexpected(where: str, error: BaseException) -> None:
    """Log where an error arose, but not its message: that may repeat what a client sent."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    _log.error("unexpected %s in %s\n%s", type(error).__name__, where, frames)

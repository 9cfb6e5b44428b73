"""The OpenAPI description.

In:   the classes of requests and answers.
Out:  ``/openapi.json``.
Why:  bodies are checked in worker processes, so the routes take them as bytes. This module
      describes their form."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from phage.serve.problems import Problem
from phage.serve.schemas import (
    ChartAsked,
    CheckAsked,
    ClaimSet,
    EncodeAsked,
    GraphAsked,
    SearchAsked,
    TableAsked,
)

_PLACE = "#/components/schemas/{model}"
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {
                            "type": "string",
                            "format": "binary",
                            "description": "A .txt or .docx draft, or a patent as JSON.",
                        }
                    },
                }
            }
        },
    }
}
"""The body of /read."""


def body(model: type[BaseModel]) -> dict[str, Any]:
    """Describe the JSON body of a route."""
    schema = {"$ref": _PLACE.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def describe(app: FastAPI) -> None:
    """Add bodies and the problem document, and take out FastAPI's own error form."""
    plain = app.openapi
    asked = (ChartAsked, CheckAsked, ClaimSet, EncodeAsked, GraphAsked, SearchAsked, TableAsked)
    _, schemas = models_json_schema(
        [(one, "validation") for one in (*asked, Problem)], ref_template=_PLACE
    )

    def openapi() -> dict[str, Any]:
        said = plain()
        parts = said["components"]["schemas"]
        parts.update(schemas["$defs"])
        parts.pop("HTTPValidationError", None)
        parts.pop("ValidationError", None)
        return said

    app.openapi = openapi  # type: ignore[method-assign]

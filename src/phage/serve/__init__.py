"""Step 8c: the HTTP API and the web page.

The app is loaded when first used: the worker processes need neither the model nor the index."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phage.serve.settings import Settings

if TYPE_CHECKING:
    from phage.serve.app import create_app

__all__ = ["Settings", "create_app"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (whatever the home module holds)
    """Load the app when it is first used."""
    if name == "create_app":
        return importlib.import_module("phage.serve.app").create_app
    raise AttributeError(f"module 'phage.serve' has no attribute {name!r}")

"""Optional parts: import one, or say how to install it.

In:   a module name and the extra that brings it.
Out:  the module, or a PhageError with the exact command.
Why:  heavy parts are extras; a missing one must cost a user one line, not a search."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from phage.errors import PhageError

PUBLISHED = "phage"
"""The distribution's name. pip takes the extras of an installed phage from its own metadata."""


def require(module: str, extra: str) -> Any:  # noqa: ANN401  (a module of any kind)
    """Import an optional dependency.

    >>> require("json", extra="train").dumps([1])
    '[1]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise PhageError(
            f"this needs the package '{module.split('.')[0]}', which is not installed",
            remedy=install(extra),
        ) from error


def install(extra: str, package: Path | None = None) -> str:
    """Return the command that installs an extra: from the checkout where there is one.

    >>> install("serve", Path("/lib/site-packages/phage"))
    "pip install 'phage[serve]'"
    """
    checkout = (package or Path(__file__).parent).resolve().parents[1]
    if not (checkout / "pyproject.toml").is_file():
        return f"pip install '{PUBLISHED}[{extra}]'"
    here = "." if checkout == Path.cwd() else str(checkout)
    return f"pip install -e '{here}[{extra}]'"

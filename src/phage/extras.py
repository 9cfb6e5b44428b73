"""Optional parts: import one, or say how to install it.

In:   a module name and the extra that brings it.
Out:  the module, or a PhageError with the exact command.
Why:  heavy parts are extras; a missing one must cost a user one line, not a search."""

from __future__ import annotations

import importlib
from typing import Any

from phage.errors import PhageError


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
            remedy=f"pip install 'phage[{extra}]'",
        ) from error

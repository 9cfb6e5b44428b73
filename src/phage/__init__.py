"""PHAGE: typed claim graphs, guided training and graph-free vectors for patents.

Read the packages in the order of the pipeline: claims → graph → projection → attention →
objective → training → encoder → search, evaluation, serve. Names are loaded when first used,
so that ``import phage`` costs nothing and the claim graph never loads torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from phage.api import evaluate, search, train
    from phage.checking import check
    from phage.claims import Claim, Patent, read
    from phage.encoder import Encoder
    from phage.errors import PhageError
    from phage.graph import ClaimGraph, build_graph
    from phage.searching import Index

_HOMES = {
    "Claim": "phage.claims",
    "Patent": "phage.claims",
    "read": "phage.claims",
    "ClaimGraph": "phage.graph",
    "build_graph": "phage.graph",
    "check": "phage.checking",
    "Encoder": "phage.encoder",
    "Index": "phage.searching",
    "PhageError": "phage.errors",
    **dict.fromkeys(("evaluate", "search", "train"), "phage.api"),
}

__all__ = [
    "Claim",
    "ClaimGraph",
    "Encoder",
    "Index",
    "Patent",
    "PhageError",
    "build_graph",
    "check",
    "evaluate",
    "read",
    "search",
    "train",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (whatever the home module holds)
    """Load a public name from its home the first time it is asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'phage' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, also those that are not loaded yet."""
    return sorted({*globals(), *__all__})

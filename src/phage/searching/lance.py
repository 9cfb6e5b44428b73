"""LanceDB, loaded quickly.

In:   the installed package.
Out:  the module, or how to install it.
Why:  two thirds of its import time goes into a client for remote catalogues: a second of CPU that a
      local search never needs. It does not need pandas either, which pyarrow loads if installed."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from phage.extras import require

_CLIENT = "lance_namespace_urllib3_client"
_FRAMES = "pandas"
FRESH = timedelta(seconds=1)
"""How stale a table may be for a search while another process adds to it."""


def connect(path: Path) -> Any:  # noqa: ANN401
    """Open the database of an index folder."""
    lancedb = require("lancedb", extra="search")
    return lancedb.connect(str(path), read_consistency_interval=FRESH)


def indexed(table: Any, column: str) -> bool:  # noqa: ANN401
    """Return whether a column has an index: vectors without one are searched exactly."""
    return any(column in index.columns for index in table.list_indices())


def outgrown(table: Any) -> bool:  # noqa: ANN401
    """Return whether the vectors must be clustered again; a few new ones join existing clusters."""
    if not indexed(table, "vector"):
        return True
    stats = table.index_stats("vector_idx")
    return stats is None or stats.num_unindexed_rows > stats.num_indexed_rows / 5


@contextlib.contextmanager
def without_remote_client() -> Iterator[None]:
    """Let LanceDB be imported without its client for remote catalogues, and without pandas.

    For a process that searches once and ends: the classes of that client stay empty in it.
    """
    if "lancedb" in sys.modules or _CLIENT in sys.modules:
        yield
        return
    stand_in = _StandIn()
    sys.meta_path.insert(0, stand_in)
    try:
        yield
    finally:
        sys.meta_path.remove(stand_in)
        for name in [name for name in sys.modules if name.split(".")[0] == _CLIENT]:
            del sys.modules[name]


class _Empty(types.ModuleType):
    """A module that has every class, whatever its name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (), {})
        setattr(self, name, made)
        return made


class _StandIn(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds empty modules in place of the client's."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: Any = None,  # noqa: ANN401
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == _FRAMES:  # pyarrow does without it
            raise ModuleNotFoundError(f"No module named '{fullname}'", name=fullname)
        if fullname.split(".")[0] != _CLIENT:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave it empty."""

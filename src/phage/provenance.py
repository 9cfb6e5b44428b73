"""Where a number came from.

In:   the installed environment, and files to hash.
Out:  versions, platform, commit and data hashes as plain JSON values.
Why:  a result without its origin cannot be reproduced, and we publish none such."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from phage.storage import sha256

PACKAGES = (
    "phage", "torch", "transformers", "tokenizers", "triton", "accelerate", "numpy", "pyarrow",
    "lxml", "scikit-learn", "ir-measures", "bm25s", "spacy", "lancedb", "sentence-transformers",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Name the versions of the packages that can change a result."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


@functools.cache  # what runs is what was there at the start; and git is slow on a busy disk
def commit() -> str | None:
    """Return the commit of the running source tree, with ``+changes`` where it was edited.

    The variable PHAGE_COMMIT names it for a copy whose history is not its own.
    """
    if named := os.environ.get("PHAGE_COMMIT"):
        return named
    here = Path(__file__).parent
    try:
        head = _git(here, "rev-parse", "HEAD")
        dirty = _git(here, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return None  # installed from a wheel, or git is absent
    return head + ("+changes" if dirty else "")


def provenance(files: Iterable[Path | str] = (), **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Collect all of it into one JSON-ready object.

    >>> sorted(provenance(seed=7))
    ['commit', 'cores', 'data', 'date', 'platform', 'seed', 'versions']
    """
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "versions": versions(),
        "platform": f"{sys.platform} {platform.machine()}",
        "cores": os.cpu_count(),
        "data": {Path(path).name: sha256(path) for path in files},
        **more,
    }


def _git(where: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(where), *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()

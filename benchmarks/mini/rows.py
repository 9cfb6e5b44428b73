"""The rows that runs have written.

In:   a folder of ``STAGE.jsonl``, one row per model and corpus.
Out:  its rows, in the order they were written, stage by stage.
Why:  what is done, what is tabled and what is compared is read from the same files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Give every row of a folder; one that was never scored has no ``tasks``."""
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)

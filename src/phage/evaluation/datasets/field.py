"""ipc-groups: telling the groups of one field apart, where a subclass says nothing.

In:   one or more files that ``phage read`` takes, with IPC down to the group.
Out:  classification and clustering by the main IPC group.
Why:  of the patents around A61B 5 two thirds are of one subclass; what tells them apart is the
      group (A61B 5/0205). Larger corpora are thinned, so that scoring takes seconds; the parts
      stay whole for training. docs/benchmark.md states the protocol."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import Benchmark, Source, encoded
from phage.evaluation.datasets.taxonomy import VIEW, by_label
from phage.evaluation.split import RECIPE, split_patents
from phage.evaluation.tasks import Split, TaskData, can_be_asked

SOURCE = Source(
    "ipc-groups",
    "Patents of one field",
    ("patents with IPC codes down to the group, in any format that phage read takes",),
    "patents of one field, such as the grants of A61B 5, from https://data.uspto.gov/bulkdata",
    "any size",
    "public domain",
)
LEAST = 30
"""Training patents a group must have to be asked for."""
MOST = {Split.TRAIN: 6_000, Split.VALIDATION: 1_500, Split.TEST: 5_000}
"""Documents per part that are scored: those of the lowest hashes."""


def read(path: Path | str, section: str = "claims") -> Benchmark:
    """Read a field; ``section`` says what of each patent is encoded."""
    return from_patents(SOURCE.patents(path), section, (Path(path),))


def from_patents(
    patents: Sequence[Patent],
    section: str = "claims",
    files: tuple[Path, ...] = (),
    splits: Mapping[str, Split] | None = None,
) -> Benchmark:
    """Pose the tasks to patents that are read already, and perhaps split."""
    splits = splits or split_patents(patents, titles=True)
    groups = [main_group(patent) for patent in patents]
    counts = Counter(
        group
        for patent, group in zip(patents, groups, strict=True)
        if splits[patent.number] is Split.TRAIN
    )
    rows = thinned([p.number for p in patents], [counts[g] >= LEAST for g in groups], splits)
    chosen = [patents[row] for row in rows]
    posed = by_label([p.number for p in chosen], [groups[row] for row in rows], splits)
    parts = Counter(split.name.lower() for split in splits.values())
    notes = {
        "patents": len(patents),
        "parts": dict(sorted(parts.items())),
        "scored": dict(Counter(splits[p.number].name.lower() for p in chosen)),
        "groups": len({groups[row] for row in rows}),
        "split": f"{RECIPE}; so do patents of one title and filing date",
        "section": section,
        "labels": f"main IPC groups with {LEAST} or more patents in train",
    }
    tasks = tuple(task for task in posed if can_be_asked(task))
    return Benchmark(
        TaskData("ipc-groups", {VIEW: np.array([p.number for p in chosen])}, tasks, notes),
        lambda _: encoded(chosen, section),
        lambda part: (patent for patent in patents if splits[patent.number] is part),
        files,
    )


def main_group(patent: Patent) -> str:
    """Return the main IPC code where it reaches down to the group, else nothing."""
    return patent.ipc[0] if patent.ipc and "/" in patent.ipc[0] else ""


def thinned(
    numbers: Sequence[str], usable: Sequence[bool], splits: Mapping[str, Split]
) -> list[int]:
    """Choose the rows that are scored: per part those of the lowest hash, in their old order."""
    parts: dict[Split, list[tuple[bytes, int]]] = defaultdict(list)
    for row, number in enumerate(numbers):
        if usable[row]:
            key = hashlib.sha256(f"scored {number}".encode()).digest()
            parts[splits[number]].append((key, row))
    return sorted(row for part, found in parts.items() for _, row in sorted(found)[: MOST[part]])

"""cited-pairs: finding patents that cite the same documents, pairs given in a file.

In:   ``NAME-patents.jsonl`` (or any file ``phage read`` takes) and ``NAME-pairs.tsv`` beside it, with
      columns ``a``, ``b`` and ``same_patentee``; either may end in ``.xz``.
Out:  retrieval among the patents of the test part, and among those of the validation part.
Why:  it owes nothing to IPC. Pairs of one applicant are easy: they share its words. They are not
      asked for, and left out of the rankings."""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import Benchmark, Source, encoded
from phage.evaluation.split import RECIPE, split_patents
from phage.evaluation.tasks import Domain, Part, Retrieval, Split, TaskData

SOURCE = Source(
    "cited-pairs",
    "Patents and the pairs of them that cite the same documents",
    ("NAME-patents.jsonl.xz", "NAME-pairs.tsv.xz"),
    "patents in any format that phage read takes, and make the pairs from their citations",
    "any size",
    "the licence of your patents",
)
PARTS = {Part.TEST: Split.TEST, Part.VALIDATION: Split.VALIDATION}
Pair = tuple[str, str, bool]
"""Two numbers, and whether one applicant filed both."""


def read(path: Path | str, section: str = "claims") -> Benchmark:
    """Read patents and the pairs beside them."""
    path = Path(path)
    beside = path.with_name(path.name.split("patents")[0] + "pairs.tsv")
    found = [p for p in (beside, beside.with_name(beside.name + ".xz")) if p.is_file()]
    if not path.is_file() or not found:
        raise SOURCE.explain(path, [beside.name] if path.is_file() else SOURCE.files)
    return from_patents(SOURCE.patents(path), list(_pairs(found[0])), section, (path, found[0]))


def from_patents(
    patents: Sequence[Patent],
    pairs: Sequence[Pair],
    section: str = "claims",
    files: tuple[Path, ...] = (),
) -> Benchmark:
    """Pose the task to patents that are read already."""
    splits = split_patents(patents, titles=True)
    asked = {
        part: [p for p in patents if splits[p.number] is split] for part, split in PARTS.items()
    }
    tasks = tuple(_ask(part, [p.number for p in some], pairs) for part, some in asked.items())
    notes = {
        "patents": len(patents),
        "parts": {split.name.lower(): sum(s is split for s in splits.values()) for split in Split},
        "split": f"{RECIPE}; so do patents of one title and filing date",
        "section": section,
        "relevant": "pairs of different applicants that cite the same documents; pairs of one "
        "applicant are left out of the rankings; queries and corpus of one part",
    }
    return Benchmark(
        TaskData(
            SOURCE.name,
            {part: np.array([p.number for p in some]) for part, some in asked.items()},
            tuple(task for task in tasks if len(task.relevance)),
            notes,
        ),
        lambda view: encoded(asked[Part(view)], section),
        lambda part: (patent for patent in patents if splits[patent.number] is part),
        files,
    )


def _ask(part: Part, numbers: Sequence[str], pairs: Sequence[Pair]) -> Retrieval:
    place: Mapping[str, int] = {number: row for row, number in enumerate(numbers)}
    inside = [(place[a], place[b], same) for a, b, same in pairs if a in place and b in place]
    far, near = (
        np.array(
            sorted(p for a, b, s in inside if s is same for p in ((a, b), (b, a))), np.int64
        ).reshape(-1, 2)
        for same in (False, True)
    )
    domain = np.full(len(far), Domain.UNKNOWN, np.int8)
    name = "retrieval" if part is Part.TEST else "retrieval-validation"
    return Retrieval(name, part, part, far, domain, part, near)


def _pairs(path: Path) -> Iterator[Pair]:
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            try:
                yield row["a"], row["b"], row["same_patentee"] == "1"
            except KeyError as missing:
                raise PhageError(f"the pairs have no column {missing}", place=str(path)) from None

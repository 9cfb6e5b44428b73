"""uspto-week: a benchmark from any weekly USPTO file, free and without a download form.

In:   one or more files that ``phage read`` takes, with citations and IPC.
Out:  classification and clustering by IPC subclass, retrieval by bibliographic coupling.
Why:  the paper's data sets are licensed or gone; a grant week is public, fresh, and large enough
      to tell encoders apart. docs/benchmark.md states the protocol."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import Benchmark, Source, encoded
from phage.evaluation.datasets.taxonomy import VIEW, by_subclass
from phage.evaluation.split import RECIPE, split_patents
from phage.evaluation.tasks import Domain, Part, Retrieval, Split, TaskData, can_be_asked

SOURCE = Source(
    "uspto-week",
    "A weekly USPTO file",
    ("grants such as ipg140107.zip, or patents in any format that phage read takes",),
    "a weekly grant full-text file (XML) from https://data.uspto.gov/bulkdata",
    "about 100 MB a week",
    "public domain",
)
SHARED = 2
"""Cited documents two patents must share to be relevant to each other."""


def read(path: Path | str, section: str = "claims") -> Benchmark:
    """Read a week; ``section`` says what of each patent is encoded."""
    return from_patents(SOURCE.patents(path), section, _files(Path(path)))


def from_patents(
    patents: Sequence[Patent], section: str = "claims", files: tuple[Path, ...] = ()
) -> Benchmark:
    """Pose the three tasks to patents that are read already."""
    splits = split_patents(patents)
    posed = (*by_subclass(patents, splits), *by_coupling(patents, splits))
    tasks = tuple(task for task in posed if can_be_asked(task))
    parts = Counter(split.name.lower() for split in splits.values())
    notes = {
        "patents": len(patents),
        "with_ipc": sum(bool(patent.subclass) for patent in patents),
        "parts": dict(sorted(parts.items())),
        "split": RECIPE,
        "section": section,
        "left_out": [task.name for task in posed if not can_be_asked(task)],
        "relevant": f"{SHARED} or more shared cited patents; queries of the test part, corpus of "
        "all patents; IN where the two share an IPC class (three characters)",
    }
    ids = {VIEW: np.array([patent.number for patent in patents])}
    return Benchmark(
        TaskData("uspto-week", ids, tasks, notes),
        lambda _: encoded(patents, section),
        lambda part: (patent for patent in patents if splits[patent.number] is part),
        files,
    )


def by_coupling(patents: Sequence[Patent], splits: Mapping[str, Split]) -> tuple[Retrieval, ...]:
    """Ask for the patents that share at least two cited patents with the query."""
    pairs = coupled(patents)
    both = np.array([*pairs, *((b, a) for a, b in pairs)], dtype=np.int64).reshape(-1, 2)
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    classes = [{code[:3] for code in patent.ipc} for patent in patents]
    domain = np.array([_domain(classes[a], classes[b]) for a, b in both], dtype=np.int8)
    part = np.array([splits[patent.number] for patent in patents])[both[:, 0]]
    every = Retrieval("retrieval-all", VIEW, VIEW, both, domain, Part.ALL)
    return (
        _asked_by(every, part == Split.TEST, "retrieval", Part.TEST),
        every,
        _asked_by(every, part == Split.VALIDATION, "retrieval-validation", Part.VALIDATION),
    )


def _domain(one: set[str], other: set[str]) -> Domain:
    if not one or not other:
        return Domain.UNKNOWN  # designs carry no IPC
    return Domain.IN if one & other else Domain.OUT


def _asked_by(task: Retrieval, kept: NDArray[np.bool_], name: str, part: Part) -> Retrieval:
    return Retrieval(name, task.queries, task.corpus, task.relevance[kept], task.domain[kept], part)


def coupled(patents: Iterable[Patent], shared: int = SHARED) -> list[tuple[int, int]]:
    """Return pairs of rows that cite at least ``shared`` patents in common, smaller row first.

    Other literature is left out: its free text hardly ever matches letter by letter.
    """
    citing: dict[str, list[int]] = defaultdict(list)
    for row, patent in enumerate(patents):
        cited = {_document(c.document) for c in patent.citations if c.kind == "patent"}
        for document in cited - {""}:
            citing[document].append(row)
    counts = Counter(pair for rows in citing.values() for pair in combinations(rows, 2))
    return sorted(pair for pair, count in counts.items() if count >= shared)


def _document(number: str) -> str:
    """Drop the kind code, which offices print or leave out.

    >>> _document("US5123456A"), _document("US20050123456A1"), _document("EP0123456")
    ('US5123456', 'US20050123456', 'EP0123456')
    """
    return re.sub(r"(?<=\d)[A-Z]\d?$", "", number.replace(" ", ""))


def _files(path: Path) -> tuple[Path, ...]:
    return (path,) if path.is_file() else tuple(sorted(p for p in path.rglob("*") if p.is_file()))

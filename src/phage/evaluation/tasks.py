"""What is asked of vectors: labels, relevance and splits, without a word of text.

In:   a data set's reader.
Out:  Classification, Retrieval, Clustering over named views; one compact ``.npz`` for all.
Why:  hundreds of models are scored against the same questions, on machines that need neither the
      patents nor our readers; numpy alone opens the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.arrays import read_arrays, write_arrays


class Split(IntEnum):
    """Which part a document is in; OUTSIDE ones are in no part of this task."""

    OUTSIDE = -1
    TRAIN = 0
    VALIDATION = 1
    TEST = 2


class Domain(IntEnum):
    """Whether a relevant pair shares an IPC class (DAPFAM's IN and OUT)."""

    UNKNOWN = 0
    IN = 1
    OUT = 2


class Part(StrEnum):
    """Which documents a task is scored on."""

    TEST = "test"
    VALIDATION = "validation"
    """For choosing settings (λ); never reported as a result."""
    ALL = "all"
    """Fair only to models that never saw any of the documents."""


class Kind(StrEnum):
    """The paper's three tasks."""

    CLASSIFICATION = "classification"
    RETRIEVAL = "retrieval"
    CLUSTERING = "clustering"


@dataclass(frozen=True, slots=True)
class Classification:
    """A linear probe: train and validation parts fit it, the test part scores it."""

    name: str
    view: str
    """Whose vectors; a row here is a row there."""
    classes: NDArray[np.str_]
    """(C,) label names; ``marks`` counts into them."""
    marks: NDArray[np.int64]
    """(M, 2) document row, class."""
    split: NDArray[np.int8]
    """(N,) a Split per document."""
    multi: bool = False
    """Several labels per document."""
    part: str = Part.TEST
    kind: ClassVar[Kind] = Kind.CLASSIFICATION

    def rows(self, split: Split) -> NDArray[np.int64]:
        """Return the rows of one part."""
        return np.flatnonzero(self.split == split)

    def labels(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return each row's class (R,), or (R, C) of 0 and 1 where there are several."""
        hot = np.zeros((len(self.split), len(self.classes)), dtype=np.int64)
        hot[self.marks[:, 0], self.marks[:, 1]] = 1
        return hot[rows] if self.multi else hot[rows].argmax(1)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A ranking of the corpus for each query that has something to find."""

    name: str
    queries: str
    """View of the queries."""
    corpus: str
    """View of the documents; the same one means that a query never finds itself."""
    relevance: NDArray[np.int64]
    """(P, 2) query row, corpus row."""
    domain: NDArray[np.int8]
    """(P,) a Domain per pair."""
    part: str = Part.TEST
    closed: NDArray[np.int64] | None = None
    """(C, 2) query row, corpus row that is left out of the query's ranking, as the query itself is."""
    kind: ClassVar[Kind] = Kind.RETRIEVAL

    def only(self, domain: Domain) -> Retrieval:
        """Filter the relevance lists, never the corpus."""
        kept = self.domain == domain
        return replace(self, relevance=self.relevance[kept], domain=self.domain[kept])

    @property
    def spare(self) -> int:
        """How many documents more a ranking must hold so that enough are left of it."""
        if self.closed is None or not len(self.closed):
            return 0
        return int(np.unique(self.closed[:, 0], return_counts=True)[1].max())

    def opened(self, asked: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.int64]:
        """Move what is left out of a query's ranking to its end: (Q, k) rows, best first."""
        if self.closed is None:
            return found
        width = 1 + max(int(found.max(initial=0)), int(self.closed[:, 1].max(initial=0)))
        shut = np.isin(asked[:, None] * width + found, self.closed @ np.array([width, 1]))
        return np.take_along_axis(found, np.argsort(shut, axis=1, kind="stable"), axis=1)


@dataclass(frozen=True, slots=True)
class Clustering:
    """K-Means against labels, K the number of labels."""

    name: str
    view: str
    rows: NDArray[np.int64]
    labels: NDArray[np.int64]
    """(R,) one per row."""
    part: str = Part.TEST
    kind: ClassVar[Kind] = Kind.CLUSTERING


Task = Classification | Retrieval | Clustering


def views_of(task: Task) -> tuple[str, ...]:
    """Name the views whose vectors a task needs."""
    return (task.queries, task.corpus) if isinstance(task, Retrieval) else (task.view,)


def can_be_asked(task: Task) -> bool:
    """Return whether the data have what a task needs: labels in every part, pairs, two groups."""
    if isinstance(task, Retrieval):
        return len(task.relevance) > 0
    if isinstance(task, Clustering):
        return len(np.unique(task.labels)) > 1
    return all(len(task.rows(part)) for part in (Split.TRAIN, Split.VALIDATION, Split.TEST))


_KINDS: dict[str, type[Task]] = {
    Kind.CLASSIFICATION: Classification,
    Kind.RETRIEVAL: Retrieval,
    Kind.CLUSTERING: Clustering,
}


@dataclass(frozen=True, slots=True)
class TaskData:
    """All that is asked of one data set."""

    data_set: str
    ids: Mapping[str, NDArray[np.str_]]
    """View → document identifiers in row order."""
    tasks: tuple[Task, ...]
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Counts, the split's recipe, the files' hashes: goes into every result."""

    def choose(
        self, parts: Iterable[str] = (Part.TEST, Part.ALL), names: Iterable[str] = ()
    ) -> TaskData:
        """Keep the tasks of some parts, or those of the given names."""
        wanted = set(names)
        known = [task.name for task in self.tasks]
        if strange := wanted - set(known):
            raise PhageError(
                f"{self.data_set} has no task '{min(strange)}'",
                remedy=f"use one of {', '.join(known)}",
            )
        parts = set(parts)
        kept = tuple(t for t in self.tasks if (t.name in wanted if wanted else t.part in parts))
        views = {view for task in kept for view in views_of(task)}
        ids = {view: value for view, value in self.ids.items() if view in views}
        return replace(self, tasks=kept, ids=ids)

    def save(self, path: Path | str) -> None:
        """Write one ``.npz`` of plain arrays; nothing in it needs unpickling."""
        arrays: dict[str, NDArray[Any]] = {}
        header: dict[str, Any] = {"data_set": self.data_set, "notes": dict(self.notes)}
        for view, ids in self.ids.items():
            arrays[f"ids/{view}"] = np.asarray(ids, dtype=np.str_)
        header["tasks"] = []
        for place, task in enumerate(self.tasks):
            row: dict[str, Any] = {"kind": str(task.kind)}
            for name, value in asdict(task).items():
                if isinstance(value, np.ndarray):
                    arrays[f"task/{place}/{name}"] = value
                else:
                    row[name] = value
            header["tasks"].append(row)
        arrays["header"] = np.array(json.dumps(header, ensure_ascii=False))
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: Path | str) -> TaskData:
        """Read the file back."""
        arrays = read_arrays(path)
        if "header" not in arrays:
            raise PhageError("these arrays are not tasks", place=str(path))
        try:
            return cls._of(arrays)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise PhageError(
                f"these tasks are damaged: {error}",
                place=str(path),
                remedy="prepare them again: phage evaluate --prepare FOLDER",
            ) from error

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]]) -> TaskData:
        header = json.loads(str(arrays["header"]))
        tasks = []
        for place, row in enumerate(header["tasks"]):
            kind = _KINDS[row.pop("kind")]
            stem = f"task/{place}/"
            held: dict[str, Any] = {
                f.name: arrays[stem + f.name] for f in fields(kind) if stem + f.name in arrays
            }
            tasks.append(kind(**row, **held))
        ids = {name[4:]: value for name, value in arrays.items() if name.startswith("ids/")}
        return cls(header["data_set"], ids, tuple(tasks), header["notes"])

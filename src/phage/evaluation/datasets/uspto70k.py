"""USPTO-70k, enriched with claims (BIR 2022): several CPC subclasses per patent.

In:   the CSV files of the training, development and test part.
Out:  one multi-label classification over the authors' own split.
Why:  the paper's second classification column. Labels seen only in test are ignored, as the
      authors' binarizer does; flat and hierarchy-expanded scores are both named."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phage.claims.readers.documents import Malformed
from phage.claims.readers.testsets import label_list
from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import Benchmark, Source
from phage.evaluation.tasks import Classification, Split, TaskData

SOURCE = Source(
    "uspto-70k",
    "USPTO-70k (enriched)",
    ("train.csv", "dev.csv", "test.csv"),
    "bir_dataset_2022.zip from https://zenodo.org/records/6992298 and unpack it",
    "871 MB, md5 2c3eb45f98a93d42b2f14227b303e81b",
    "data CC BY (PatentsView)",
)
PARTS = {"train": Split.TRAIN, "dev": Split.VALIDATION, "test": Split.TEST}
SECTIONS = {
    "claims": ("claims",),
    "ta": ("title", "abstract"),
    "tac": ("title", "abstract", "claims"),
    "full": ("title", "abstract", "claims", "brief-summary", "detail-desc"),
}
VIEW = "patents"


def read(path: Path | str, section: str = "claims") -> Benchmark:
    """Read the three parts."""
    if section not in SECTIONS:
        raise PhageError(f"unknown section '{section}'", remedy=f"use one of {', '.join(SECTIONS)}")
    files = {part: found for part in PARTS if (found := _find(Path(path), part))}
    missing = [f"{part}.csv" for part in PARTS if part not in files]
    if missing:
        raise SOURCE.explain(path, missing)
    ids: list[str] = []
    texts: list[str] = []
    labels: list[tuple[str, ...]] = []
    split: list[Split] = []
    for part, file in files.items():
        for row in _rows(file, section):
            ids.append(row[0])
            texts.append(row[1])
            labels.append(row[2])
            split.append(PARTS[part])
    task, unseen = _task(labels, np.array(split, dtype=np.int8))
    notes = {
        "patents": len(ids),
        "parts": {part: split.count(value) for part, value in PARTS.items()},
        "labels": len(task.classes),
        "labels_only_in_test": unseen,
        "section": section,
        "split": "the authors' own",
    }
    data = TaskData("uspto-70k", {VIEW: np.array(ids)}, (task,), notes)

    def patents(wanted: Split) -> Iterator[Patent]:
        from phage.claims import read_some

        for part, value in PARTS.items():
            if value is wanted:
                yield from read_some(files[part])

    return Benchmark(data, lambda _: texts, patents, tuple(files.values()))


def _task(labels: list[tuple[str, ...]], split: NDArray[np.int8]) -> tuple[Classification, int]:
    """Return the task over labels that training knows, and the count of those it does not."""
    trained = {x for row, part in zip(labels, split, strict=True) if part == 0 for x in row}
    place = {name: index for index, name in enumerate(sorted(trained))}
    marks = [(row, place[x]) for row, names in enumerate(labels) for x in names if x in place]
    unseen = len({x for names in labels for x in names} - trained)
    return (
        Classification(
            "classification",
            VIEW,
            np.array(sorted(trained)),
            np.array(sorted(set(marks)), dtype=np.int64).reshape(-1, 2),
            split,
            multi=True,
        ),
        unseen,
    )


def _find(folder: Path, part: str) -> Path | None:
    names = {"dev": ("dev", "valid", "validation", "val")}.get(part, (part,))
    for name in names:
        for end in (".csv", ".tsv"):
            found = sorted(folder.rglob(f"{name}*{end}"))
            if found:
                return found[0]
    return None


def _rows(path: Path, section: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a description is one cell
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter=delimiter)
        lacking = {"patent_id", "labels", *SECTIONS[section]} - set(reader.fieldnames or ())
        if lacking:
            raise PhageError(
                f"this table has no column '{min(lacking)}'",
                place=str(path),
                remedy=f"choose another --section, or the file with {', '.join(sorted(lacking))}",
            )
        for row in reader:
            text = " ".join(row[name] for name in SECTIONS[section] if row[name])
            place = f"{path}, line {reader.line_num}"
            yield row["patent_id"], text, parse_labels(row["labels"], place)


def parse_labels(cell: str, place: str = "") -> tuple[str, ...]:
    """Read a Python list literal of labels, without evaluating anything.

    >>> parse_labels("['H04L', 'G06F', 'H04L']")
    ('G06F', 'H04L')
    """
    try:
        return label_list(cell)
    except Malformed as error:
        raise PhageError(str(error), place=place) from None

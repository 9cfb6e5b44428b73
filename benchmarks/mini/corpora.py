"""The two corpora as one folder of small files: all that the GPU machine needs.

In:   a USPTO grant week and the patents of one field, any format ``phage read`` takes.
Out:  per corpus ``NAME.safetensors.xz`` (tokens and graphs of every document, as a TrainingSet),
      ``NAME-tasks.npz`` (what is asked) and ``NAME-train.npy`` (which rows are trained on).
Why:  graph building takes a CPU half an hour, once. Training and graph-free encoding read the very
      same token ids, so each document is stored once; a row of the training set is a row of it."""

from __future__ import annotations

import hashlib
import lzma
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims.duplicates import groups
from phage.claims.types import Patent
from phage.evaluation.datasets import field, week
from phage.evaluation.split import hash_split, twins
from phage.evaluation.tasks import Domain, Part, Retrieval, Split, TaskData
from phage.storage import atomic
from phage.training.data import Builder, TrainingSet
from phage.training.prepare import Corpus, project_all, settings_of
from phage.training.recipe import Recipe
from phage.training.sampling import Sieve

WEEK, FIELD, BOTH = "week", "a61b5", "both"
OTHERWISE = {
    "week-tac": ["input.section=tac"],
    "week-balanced": ["input.fit=balanced"],
    "week-1024": ["input.window=1024"],
}
"""The week read in other ways: what differs in the recipe."""
SAME = ("application", "family", "title")
"""By what two training patents are one invention."""


@dataclass(frozen=True)
class Prepared:
    """One corpus, read back."""

    name: str
    documents: TrainingSet
    tasks: TaskData
    train: np.ndarray
    """Rows of ``documents`` that may be trained on."""

    @cached_property
    def rows(self) -> np.ndarray:
        """Rows of ``documents`` that the tasks ask about, in their order."""
        place = {number: row for row, number in enumerate(self.documents.numbers)}
        (ids,) = self.tasks.ids.values()
        return np.array([place[str(number)] for number in ids])

    def tokens(self) -> list[list[int]]:
        """Give the token ids of the documents that are asked about."""
        whole = self.documents
        ends = whole.tokens
        return [whole.ids[ends[row] : ends[row + 1]].tolist() for row in self.rows]


def load(folder: Path, name: str) -> Prepared:
    """Read one corpus."""
    packed = (folder / f"{name}.safetensors.xz").read_bytes()
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as plain:
        plain.write(lzma.decompress(packed))
        plain.flush()
        documents = TrainingSet.load(plain.name)
    tasks = TaskData.load(folder / f"{name}-tasks.npz")
    return Prepared(name, documents, tasks, np.load(folder / f"{name}-train.npy"))


def members(name: str) -> dict[str, int | None]:
    """Name the corpora that a run trains on, and how many patents of each (None: all).

    >>> members("both"), members("week+6000"), members("week-tac")
    ({'week': None, 'a61b5': None}, {'week': None, 'a61b5': 6000}, {'week-tac': None})
    """
    if name == BOTH:
        return {WEEK: None, FIELD: None}
    first, _, count = name.partition("+")
    return {first: None, FIELD: int(count)} if count else {first: None}


def training_set(corpora: Mapping[str, Prepared], name: str, size: int | None) -> TrainingSet:
    """Give the training patents of one corpus, or of several; the ``size`` of the lowest hashes."""
    parts = [
        _first(corpora[one].documents.take(corpora[one].train), count)
        for one, count in members(name).items()
    ]
    return _first(TrainingSet.join(parts) if len(parts) > 1 else parts[0], size)


def _first(whole: TrainingSet, size: int | None) -> TrainingSet:
    if size is None or size >= len(whole):
        return whole
    keys = [hashlib.sha256(f"size {number}".encode()).digest() for number in whole.numbers]
    # Nested: the patents of a smaller size are among those of a larger one.
    return whole.take(np.sort(np.argsort(np.array(keys, dtype="S32"), kind="stable")[:size]))


def counted(name: str, patents: Mapping[str, int]) -> int:
    """Count the training patents of a run, from those of each corpus."""
    each = (min(patents[one], count or patents[one]) for one, count in members(name).items())
    return sum(each)


def prepare_week(
    patents: Sequence[Patent], folder: Path, maker: Maker, name: str = WEEK
) -> dict[str, Any]:
    """Write the week: all of its documents are asked about."""
    benchmark = week.from_patents(patents)
    trained = [patent.number for patent in benchmark.patents(Split.TRAIN)]
    tasks = with_development(benchmark.tasks)
    # As `phage train` would keep them: by number, application and family.
    return maker.write(folder, name, patents, tasks, set(trained), ("application", "family"))


def prepare_field(
    patents: Sequence[Patent], others: Sequence[Patent], folder: Path, maker: Maker
) -> dict[str, Any]:
    """Write the field, without what ``others`` (the week) also hold."""
    numbers = [patent.number for patent in (*others, *patents)]
    heads = groups(numbers, twins((*others, *patents), titles=True))
    known = {heads[patent.number] for patent in others}
    own = [patent for patent in patents if heads[patent.number] not in known]
    splits = {patent.number: hash_split(heads[patent.number]) for patent in own}
    tasks = field.from_patents(own, splits=splits).tasks
    tasks = replace(tasks, notes={**tasks.notes, "also_in_the_week": len(patents) - len(own)})
    (ids,) = tasks.ids.values()
    trained = {number for number, part in splits.items() if part is Split.TRAIN}
    kept = trained | {str(number) for number in ids}
    own = [patent for patent in own if patent.number in kept]  # the rest is neither read nor asked
    return maker.write(folder, FIELD, own, tasks, trained, SAME)


def with_development(tasks: TaskData) -> TaskData:
    """Add retrieval asked by training and validation patents: eight times the queries to tune by.

    No coupling is ever trained on, and no query is of the test part.
    """
    known = {task.name: task for task in tasks.tasks}
    if "retrieval-all" not in known:
        return tasks
    every, test = known["retrieval-all"], known["retrieval"]
    assert isinstance(every, Retrieval) and isinstance(test, Retrieval)
    kept = ~np.isin(every.relevance[:, 0], test.relevance[:, 0])
    tuning = Retrieval(
        "retrieval-development", every.queries, every.corpus, every.relevance[kept],
        every.domain[kept].astype(np.int8), Part.VALIDATION,
    )  # fmt: skip
    assert set(np.unique(tuning.domain)) <= set(Domain)
    return replace(tasks, tasks=(*tasks.tasks, tuning))


@dataclass(frozen=True)
class Maker:
    """Tokenises and builds graphs by one recipe."""

    recipe: Recipe
    tokenizer: Any
    workers: int = 1

    def write(
        self,
        folder: Path,
        name: str,
        patents: Sequence[Patent],
        tasks: TaskData,
        trained: set[str],
        same: tuple[str, ...],
    ) -> dict[str, Any]:
        """Write the three files of a corpus; give their sizes."""
        from phage.terminal import progress

        builder, sieve, rows = Builder(), Sieve(same), []
        with progress(f"{name}: graphs", len(patents), "patents") as advance:
            found = project_all(Corpus(patents), self.recipe, self.tokenizer, self.workers)
            for row, (patent, projection) in enumerate(found):
                builder.add(projection, patent.ipc[0] if patent.ipc else "")
                if patent.number in trained and sieve(patent):
                    rows.append(row)
                advance()
        settings = settings_of(self.recipe, self.tokenizer)
        whole = builder.finish({"settings": settings, "dropped": {}, "facts": {"corpus": name}})
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            whole.save(Path(scratch) / "plain")
            packed = lzma.compress((Path(scratch) / "plain").read_bytes(), preset=6)
        with atomic(folder / f"{name}.safetensors.xz") as partial:
            partial.write_bytes(packed)
        tasks.save(folder / f"{name}-tasks.npz")
        np.save(folder / f"{name}-train.npy", np.array(rows, dtype=np.int32))
        files = (f"{name}.safetensors.xz", f"{name}-tasks.npz", f"{name}-train.npy")
        sizes = {file: (folder / file).stat().st_size for file in files}
        return {
            "documents": len(whole), "trained": len(rows), "notes": dict(tasks.notes),
            "kept": whole.origin["kept"], "digest": whole.digest(), "bytes": sizes,
        }  # fmt: skip

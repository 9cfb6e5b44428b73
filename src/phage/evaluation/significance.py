"""Which of two results is better by more than luck.

In:   results of ``phage evaluate`` and the samples beside them; several where a model was trained
      from several seeds.
Out:  per task and measure the difference, its 95 % interval and a two-sided p.
Why:  two models that were asked the same questions are compared question by question, long after
      they ran and without their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phage.errors import PhageError
from phage.evaluation.influence import Samples
from phage.evaluation.randomisation import DRAWS, TEST, Difference, chances, judge
from phage.evaluation.report import Shown
from phage.evaluation.results import (
    Result,
    find_files,
    load_result,
    load_samples,
    samples_of,
    slug,
)
from phage.evaluation.tables import HEADLINES, figure
from phage.evaluation.tasks import Kind

TaskSamples = Mapping[str, Samples]


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of two models on one task."""

    task: str
    measure: str
    one: float
    other: float
    difference: Difference


def compare_results(
    one: Sequence[Path | str], other: Sequence[Path | str], draws: int = DRAWS
) -> list[Compared]:
    """Compare two models by every measure that has samples; each a result per training seed."""
    ours, theirs = _Side.read(one), _Side.read(other)
    if ours.results[0].data_set != theirs.results[0].data_set:
        sets = f"{ours.results[0].data_set} and {theirs.results[0].data_set}"
        raise PhageError(f"the two were evaluated on different data sets: {sets}")
    found = []
    for task, about in ours.results[0].tasks.items():
        if not all(task in side.samples[0] for side in (ours, theirs)):
            continue  # BM25 has no clusters
        sides = [[seed[task] for seed in side.samples] for side in (ours, theirs)]
        drawn = chances(Kind(about["kind"]), sides[0], sides[1], draws, task)
        for measure, chance in drawn.items():
            own, others = ours.mean(task, measure), theirs.mean(task, measure)
            if own is not None and others is not None:
                found.append(Compared(task, measure, own, others, judge(measure, [chance])))
    if not found:
        raise PhageError("the two share no task with samples", place=str(one[0]))
    return found


def against(folder: Path | str, name: str) -> list[Shown]:
    """Compare every result under a folder with the one of the named model, a table per data set."""
    files = find_files(folder)
    bases = [pair for pair in files if _named(pair[1], name)]
    if not bases:
        known = ", ".join(sorted({result.model for _, result in files}))
        raise PhageError(f"no result of '{name}'", place=str(folder), remedy=f"use one of {known}")
    shown = []
    for base, about in bases:
        rows = []
        for path, result in files:
            if path != base and result.data_set == about.data_set and samples_of(path).is_file():
                kept = [
                    found
                    for found in compare_results([path], [base])
                    if _headline(result.data_set, found)
                ]
                rows += [_row(result.model, found) for found in kept]
        titles = ["Model", "Task", "Measure", "Score", about.model, "Difference", "95 %", "p"]
        caption = f"{about.data_set}: against {about.model} ({TEST})"
        shown.append(Shown(about.data_set, caption, titles, rows))
    return shown


@dataclass(frozen=True, slots=True)
class _Side:
    """One model: a result and its samples per seed."""

    results: list[Result]
    samples: list[TaskSamples]

    @classmethod
    def read(cls, paths: Sequence[Path | str]) -> _Side:
        samples: list[TaskSamples] = []
        for path in map(Path, paths):
            if not samples_of(path).is_file():
                raise PhageError(
                    "the samples of this result are missing",
                    place=str(samples_of(path)),
                    remedy="run phage evaluate again: it writes them beside the JSON file",
                )
            samples.append(load_samples(samples_of(path)))
        return cls([load_result(path) for path in paths], samples)

    def mean(self, task: str, measure: str) -> float | None:
        values = [result.mean(task, measure) for result in self.results]
        known = [value for value in values if value is not None]
        return float(np.mean(known)) if len(known) == len(values) else None


def _named(result: Result, name: str) -> bool:
    return name.lower() in (result.model.lower(), slug(result.model).lower())


def _headline(data_set: str, found: Compared) -> bool:
    columns = HEADLINES.get(data_set, ())
    return any((c.task, c.measure) == (found.task, found.measure) for c in columns)


def _row(model: str, found: Compared) -> list[str]:
    apart = found.difference
    return [
        model,
        found.task,
        found.measure,
        figure(found.one),
        figure(found.other),
        f"{apart.value:+.3f}",
        f"[{apart.low:+.3f}, {apart.high:+.3f}]",
        f"{apart.p:.3f}" if apart.p >= 0.001 else "< 0.001",
    ]

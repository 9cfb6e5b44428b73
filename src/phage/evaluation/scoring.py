"""Vectors against questions: the one place where a model gets its scores.

In:   vectors per view and TaskData.
Out:  per task the mean, deviation and runs of each measure; what a comparison of models needs.
Why:  every model, peer and ablation goes through here. Needs numpy, torch and scikit-learn only,
      so that it runs on any GPU machine from one prepared file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation import classification, clustering, ranking
from phage.evaluation.ranking import DEPTH
from phage.evaluation.tasks import (
    Classification,
    Clustering,
    Domain,
    Kind,
    Retrieval,
    Split,
    Task,
    TaskData,
    views_of,
)

Vectors = NDArray[np.float32] | Mapping[str, NDArray[np.float32]]
RUNS = 5
"""As in the paper: scores are averages of five runs."""


@dataclass(frozen=True, slots=True)
class TaskScore:
    """What one model reached on one task."""

    task: str
    kind: Kind
    part: str
    runs: Mapping[str, tuple[float, ...]]
    """Measure → one value per run; a single one where chance has no part."""
    samples: Mapping[str, NDArray[Any]]
    """What a comparison of two models needs: predictions, clusters, or values per query."""
    counts: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form, without the samples."""
        measures = {
            name: {
                "mean": float(np.mean(values)),
                "sd": float(np.std(values, ddof=1)) if len(values) > 1 else 0.0,
                "runs": [float(value) for value in values],
            }
            for name, values in self.runs.items()
        }
        return {
            "kind": str(self.kind),
            "part": str(self.part),
            "counts": dict(self.counts),
            "measures": measures,
        }


def evaluate_vectors(
    vectors: Vectors, data: TaskData, *, runs: int = RUNS, seed: int = 0
) -> dict[str, Any]:
    """Score vectors on every task: ``{task: {"measures": {name: {"mean", "sd", "runs"}}, …}}``."""
    return {score.task: score.to_json() for score in score_vectors(vectors, data, runs, seed)}


def score_vectors(
    vectors: Vectors,
    data: TaskData,
    runs: int = RUNS,
    seed: int = 0,
    device: str | None = None,
) -> list[TaskScore]:
    """Score vectors on every task, with the samples that a comparison needs.

    ``device`` is where probes and rankings are computed; by default a GPU, if there is one.
    """
    checked = check_vectors(vectors, data)
    seeds = range(seed, seed + runs)
    return [score_task(task, checked, seeds, device) for task in data.tasks]


def score_task(
    task: Task,
    vectors: Mapping[str, NDArray[np.float32]],
    seeds: range,
    device: str | None = None,
) -> TaskScore:
    """Score one task."""
    if isinstance(task, Retrieval):
        return _retrieve(task, vectors[task.queries], vectors[task.corpus], device)
    if isinstance(task, Clustering):
        return _cluster(task, vectors[task.view], seeds)
    return _classify(task, vectors[task.view], seeds, device)


def check_vectors(vectors: Vectors, data: TaskData) -> dict[str, NDArray[np.float32]]:
    """Refuse vectors that do not fit the documents or hold no numbers."""
    views = sorted({view for task in data.tasks for view in views_of(task)})
    if not isinstance(vectors, Mapping):
        if len(views) > 1:
            raise PhageError(f"{data.data_set} needs vectors for {', '.join(views)}")
        vectors = {view: vectors for view in views}
    checked = {}
    for view in views:
        if view not in vectors:
            raise PhageError(f"there are no vectors for '{view}' of {data.data_set}")
        array = np.asarray(vectors[view], dtype=np.float32)
        if array.ndim != 2 or len(array) != len(data.ids[view]):
            raise PhageError(
                f"vectors of shape {array.shape} for {len(data.ids[view])} documents of '{view}'"
            )
        if not np.isfinite(array).all():
            bad = data.ids[view][~np.isfinite(array).all(1)]
            raise PhageError(f"{len(bad)} vectors are not finite, the first is {bad[0]}")
        checked[view] = array
    return checked


def _classify(
    task: Classification, vectors: NDArray[np.float32], seeds: range, device: str | None
) -> TaskScore:
    parts = []
    for split in (Split.TRAIN, Split.VALIDATION, Split.TEST):
        rows = task.rows(split)
        if not len(rows):
            raise PhageError(f"{task.name}: no document with a label is in the {split.name} part")
        parts.append(classification.Labelled(vectors[rows], task.labels(rows)))
    truth = parts[2].labels
    train, validation, test = parts
    probe = partial(classification.probe, train, validation, test, device=device)
    predicted = np.stack([probe(seed) for seed in seeds])
    scores = [_f1(task, truth, one) for one in predicted]
    return TaskScore(
        task.name,
        task.kind,
        task.part,
        {name: tuple(score[name] for score in scores) for name in scores[0]},
        {"truth": truth, "predicted": predicted},
        {
            "train": len(parts[0].labels),
            "validation": len(parts[1].labels),
            "test": len(truth),
            "classes": len(task.classes),
        },
    )


def _f1(
    task: Classification, truth: NDArray[np.int64], predicted: NDArray[np.int64]
) -> dict[str, float]:
    scores = classification.f1(truth, predicted)
    if task.multi:
        wide = [classification.expand(marks, task.classes)[0] for marks in (truth, predicted)]
        expanded = classification.f1(*wide)
        scores.update({f"expanded_{name}": value for name, value in expanded.items()})
    return scores


def _cluster(task: Clustering, vectors: NDArray[np.float32], seeds: range) -> TaskScore:
    found = clustering.cluster(vectors[task.rows], task.labels, seeds)
    scores = [clustering.agreement(task.labels, one) for one in found]
    return TaskScore(
        task.name,
        task.kind,
        task.part,
        {name: tuple(score[name] for score in scores) for name in clustering.MEASURES},
        {"truth": task.labels, "clusters": found},
        {"documents": len(task.rows), "clusters": len(np.unique(task.labels))},
    )


def _retrieve(
    task: Retrieval,
    queries: NDArray[np.float32],
    corpus: NDArray[np.float32],
    device: str | None,
) -> TaskScore:
    asked = np.unique(task.relevance[:, 0])
    if not len(asked):
        raise PhageError(f"{task.name}: no query has a relevant document")
    own = asked if task.queries == task.corpus else None
    depth = DEPTH + task.spare
    found, _ = ranking.search(queries[asked], corpus, depth, themselves=own, device=device)
    return score_ranking(task, asked, found, len(corpus))


def score_ranking(
    task: Retrieval, asked: NDArray[np.int64], found: NDArray[np.int64], corpus: int
) -> TaskScore:
    """Score rankings, whatever made them; IN and OUT filter the relevance lists alone."""
    found = task.opened(asked, found)[:, :DEPTH]
    values = ranking.measure(found, asked, task.relevance)
    scores = {name: float(each.mean()) for name, each in values.items()}
    samples: dict[str, NDArray[Any]] = {"query": asked, **values}
    counts = {"queries": len(asked), "corpus": corpus, "relevant": len(task.relevance)}
    for domain in (Domain.IN, Domain.OUT):
        pairs = task.only(domain).relevance
        some = np.isin(asked, pairs[:, 0])
        if some.any():
            word = domain.name.lower()
            for name, value in ranking.measure(found[some], asked[some], pairs).items():
                scores[f"{word}_{name}"] = float(value.mean())
                samples[f"{word}_{name}"] = np.full(len(asked), np.nan)
                samples[f"{word}_{name}"][some] = value  # a query without such pairs: nothing
            counts[f"{word}_queries"] = int(some.sum())
    single = {name: (value,) for name, value in scores.items()}
    return TaskScore(task.name, task.kind, task.part, single, samples, counts)

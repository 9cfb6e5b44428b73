"""Prepare what the runs of an ablation read: questions, tokens, training sets.

In:   the data sets of a plan.
Out:  small files in one folder: ``NAME.tasks.npz``, ``NAME-….tokens.npz``, ``train-….safetensors``.
Why:  graphs are built once, on all cores, and texts are tokenised once, whatever the number of runs.
      The folder is all that a GPU machine needs: neither patents nor readers nor parsers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import Passage, passage
from phage.claims.types import Patent
from phage.claims.window import cut
from phage.errors import PhageError
from phage.evaluation.ablation_plan import DataSet, Plan
from phage.evaluation.arrays import read_arrays, write_arrays
from phage.evaluation.datasets import DATA_SETS
from phage.evaluation.datasets.benchmark import Benchmark
from phage.evaluation.results import slug
from phage.evaluation.tasks import Split, TaskData
from phage.storage import read_json, sha256, write_json
from phage.terminal import progress

if TYPE_CHECKING:
    from phage.training.data import TrainingSet
    from phage.training.recipe import Recipe

Documents = dict[str, list[NDArray[np.int32]]]
"""View → token ids of each document."""


@dataclass(frozen=True)
class Inputs:
    """The prepared files of a plan; what is missing is made."""

    plan: Plan
    folder: Path
    workers: int = 1
    """Processes that build graphs."""

    def tasks(self, name: str) -> TaskData:
        """Return the questions of a data set, those that the plan asks."""
        path = self.folder / f"{slug(name)}.tasks.npz"
        self._check_source(name)
        if not path.is_file():
            data, benchmark = self._data(name), self._open(name, "claims")
            files = {file.name: sha256(file) for file in benchmark.files}
            replace(benchmark.tasks, data_set=name).save(path)
            write_json(path.with_suffix(".json"), {"kind": data.kind, "files": files})
        return _tasks(path).choose(self.plan.parts, self._data(name).tasks)

    def documents(self, name: str, recipe: Recipe) -> Documents:
        """Return the tokens of everything that a data set asks about, as an encoder reads it."""
        return _documents(self.tokens(name, recipe))

    def tokens(self, name: str, recipe: Recipe) -> Path:
        """Make the file of these tokens, unless it is there."""
        tokenizer, digest = _tokenizer(recipe.backbone.model)
        reads = recipe.input
        section = "tac" if reads.section == "varied" else reads.section
        # only patents, not texts, tell where a claim begins
        shape, asked = ("", section) if reads.fit == "prefix" else (f" {reads.fit}", "whole")
        key = hashlib.sha256(f"{digest} {reads.window} {section}{shape}".encode()).hexdigest()[:8]
        path = self.folder / f"{slug(name)}-{key}.tokens.npz"
        if not path.is_file():
            benchmark, arrays = self._open(name, asked), {}
            for view in self.tasks(name).ids:
                texts = [
                    Passage(item) if isinstance(item, str) else passage(item, section)
                    for item in benchmark.texts(view)
                ]
                ids = [one.ids for one in cut(texts, tokenizer, reads.window, reads.fit)]
                flat = np.concatenate(ids)
                arrays[f"{view}/ids"] = flat.astype(
                    np.uint16 if flat.max(initial=0) < 2**16 else np.uint32
                )
                arrays[f"{view}/ends"] = np.cumsum([len(one) for one in ids])
            write_arrays(path, arrays)
        return path

    def patents(self, names: Sequence[str], recipe: Recipe) -> TrainingSet:
        """Return a training set that fits; rows that read the same tokens and graphs share one."""
        from phage.training.prepare import agree, settings_of

        tokenizer, _ = _tokenizer(recipe.backbone.model)
        stem = "train-" + "-".join(slug(Path(name).name) for name in names)
        for path in sorted(self.folder.glob(f"{stem}-*.safetensors")):
            if agree(_training_set(path), recipe, tokenizer) is None:
                return _training_set(path)
        settings = json.dumps(settings_of(recipe, tokenizer), sort_keys=True)
        digest = hashlib.sha256(settings.encode()).hexdigest()[:8]
        path = self.folder / f"{stem}-{digest}.safetensors"
        self._prepare(names, recipe, tokenizer).save(path)
        return _training_set(path)

    def _prepare(
        self,
        names: Sequence[str],
        recipe: Recipe,
        tokenizer: Any,  # noqa: ANN401  (a fast tokenizer of transformers)
    ) -> TrainingSet:
        """Build graphs for the training parts; no invention of any test or validation part is in."""
        from phage.training.prepare import Corpus, prepare

        parts = (Split.TEST, Split.VALIDATION)
        held = [p for one in self.plan.data for part in parts
                for p in self._open(one.name, "claims").patents(part)]  # fmt: skip
        patents = [patent for name in names for patent in self._trained(name)]
        corpus = Corpus(patents, held_out=held, facts={"data": list(names), **self.plan.facts})
        with progress("preparing", len(patents), "patents") as advance:
            return prepare(corpus, recipe, tokenizer, self.workers, advance)

    def _trained(self, name: str) -> Iterator[Patent]:
        """Yield the training part of a data set, or the patents of a file."""
        known = {one.name: one for one in self.plan.data}
        if name not in known:
            from phage.claims import read_some

            yield from read_some([Path(name)])
            return
        patents = list(self._open(name, "claims").patents(Split.TRAIN))
        keys = [hashlib.sha256(f"size {patent.number}".encode()).digest() for patent in patents]
        order = sorted(range(len(patents)), key=keys.__getitem__)[: known[name].most]
        yield from (patents[row] for row in sorted(order))

    def _data(self, name: str) -> DataSet:
        return next(one for one in self.plan.data if one.name == name)

    def _open(self, name: str, section: str) -> Benchmark:
        return _benchmark(self._data(name), section)

    def _check_source(self, name: str) -> None:
        """Refuse inputs that were made from another file than the one that is here."""
        about, source = self.folder / f"{slug(name)}.tasks.json", Path(self._data(name).path)
        if about.is_file() and source.is_file():
            known = read_json(about)["files"].get(source.name)
            if known != _hash(source):
                raise PhageError(
                    f"'{name}' was prepared from a file other than {source}",
                    place=str(self.folder),
                    remedy="delete the folder to prepare it again, or name another one",
                )


@cache
def _benchmark(data: DataSet, section: str) -> Benchmark:
    if data.kind not in DATA_SETS:
        known = ", ".join(DATA_SETS)
        raise PhageError(f"unknown data set '{data.kind}'", remedy=f"use one of {known}")
    if section == "claims":
        return DATA_SETS[data.kind][1](data.path)
    return DATA_SETS[data.kind][1](data.path, section)


def forget() -> None:
    """Free the patents, once everything is prepared."""
    _benchmark.cache_clear()


@cache
def _tokenizer(model: str) -> tuple[Any, str]:
    from phage.training.model import load_tokenizer
    from phage.training.prepare import tokenizer_digest
    from phage.training.recipe_file import from_values

    tokenizer = load_tokenizer(from_values({"backbone": {"model": model}}))
    return tokenizer, tokenizer_digest(tokenizer)


@cache
def _tasks(path: Path) -> TaskData:
    return TaskData.load(path)


@lru_cache(maxsize=4)
def _training_set(path: Path) -> TrainingSet:
    from phage.training.data import TrainingSet

    return TrainingSet.load(path)


@lru_cache(maxsize=8)
def _documents(path: Path) -> Documents:
    arrays = read_arrays(path)
    views = [name.removesuffix("/ids") for name in arrays if name.endswith("/ids")]
    found = {}
    for view in views:
        ids, ends = arrays[f"{view}/ids"].astype(np.int32), arrays[f"{view}/ends"]
        found[view] = np.split(ids, ends)[:-1]
    return found


@cache
def _hash(path: Path) -> str:
    return sha256(path)

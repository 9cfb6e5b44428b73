"""One model on one data set, as a file.

In:   scores, settings and where everything came from.
Out:  a JSON file, and its reading back.
Why:  a table is made from files alone, so a number that cannot be traced cannot get into one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.arrays import read_arrays, write_arrays
from phage.evaluation.scoring import TaskScore
from phage.storage import alone, read_json, read_text, write_json

FORMAT = "phage-evaluation/1"


@dataclass(frozen=True, slots=True)
class Result:
    """All scores of one model on one data set."""

    model: str
    data_set: str
    tasks: Mapping[str, Any]
    """Task → kind, part, counts, measures (mean, sd, runs)."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How the vectors were made."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What the data set says of itself: counts, split."""
    leakage: Mapping[str, Any] = field(default_factory=dict)
    """The comparison with the training patents; ``checked: false`` where none were given."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def mean(self, task: str, measure: str) -> float | None:
        """Return one figure, or nothing where it was not measured."""
        found = self.tasks.get(task, {}).get("measures", {}).get(measure)
        return None if found is None else float(found["mean"])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"format": FORMAT, **asdict(self)}

    def save(self, folder: Path | str, scores: Sequence[TaskScore] = ()) -> Path:
        """Write ``<data set>/<model>.json`` and, if given, the samples beside it."""
        path = result_path(folder, self.data_set, self.model)
        with alone(path):  # the two belong together
            if scores:
                save_samples(samples_of(path), scores)
            write_json(path, self.to_json())
        return path


def result_path(folder: Path | str, data_set: str, model: str) -> Path:
    """Name the file of a model's result."""
    return Path(folder) / data_set / f"{slug(model)}.json"


def load_result(path: Path | str) -> Result:
    """Read one result."""
    try:
        row = json.loads(read_text(path))
        if row.pop("format", None) != FORMAT:
            raise ValueError(f"format is not {FORMAT}")
        return Result(**row)
    except (ValueError, TypeError, AttributeError) as error:
        raise PhageError(f"not a result of phage evaluate: {error}", place=str(path)) from error


def find_results(folder: Path | str) -> list[Result]:
    """Read every result under a folder; other JSON files are passed over."""
    return [result for _, result in find_files(folder)]


def find_files(folder: Path | str) -> list[tuple[Path, Result]]:
    """Read every result under a folder, with the file it came from."""
    if not Path(folder).is_dir():
        raise PhageError("this folder does not exist", place=str(folder))
    results = []
    for path in sorted(Path(folder).rglob("*.json")):
        row = read_json(path)
        if isinstance(row, dict) and row.get("format") == FORMAT:
            results.append((path, load_result(path)))
    return results


def save_samples(path: Path | str, scores: Iterable[TaskScore]) -> None:
    """Write what a comparison of two models needs."""
    arrays = {
        f"{score.task}/{name}": _small(np.asarray(value))
        for score in scores
        for name, value in score.samples.items()
    }
    write_arrays(path, arrays)


def samples_of(result: Path) -> Path:
    """Name the file beside a result that holds its samples."""
    return result.with_name(f"{result.name.removesuffix('.json')}.samples.npz")


def load_samples(path: Path | str) -> dict[str, dict[str, NDArray[Any]]]:
    """Read samples back: task → name → array."""
    samples: dict[str, dict[str, NDArray[Any]]] = {}
    for key, array in read_arrays(path).items():
        task, name = key.rsplit("/", 1)
        samples.setdefault(task, {})[name] = array
    return samples


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Keep whole numbers in two bytes where they fit; the files lie beside the results."""
    if values.dtype.kind == "i" and (not values.size or abs(values).max() < 2**15):
        return values.astype(np.int16)
    return values


def slug(name: str) -> str:
    """Make a file name of a model's name.

    >>> slug("datalyes/patembed-large"), slug("./runs/full model/")
    ('datalyes-patembed-large', 'runs-full-model')
    """
    return re.sub(r"[^0-9A-Za-z.]+", "-", name).strip("-.") or "model"

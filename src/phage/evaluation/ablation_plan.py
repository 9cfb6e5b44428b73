"""What an ablation trains, and on what it is scored.

In:   a plan (TOML), or a folder of recipes that differ in one line each.
Out:  rows: a recipe with its changes, training data, data sets to score, seeds.
Why:  the whole protocol is data that can be committed. A row is known by its name and a run by row
      and seed, so that what is done is never done again."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phage.errors import PhageError
from phage.evaluation.scoring import RUNS
from phage.evaluation.tasks import Part
from phage.storage import read_text, readable

if TYPE_CHECKING:
    from phage.training.recipe import Recipe

FULL, NO_GRAPH, BACKBONE = "full", "no-graph", "backbone"
_ROW = {
    "recipe", "base", "changes", "seeds", "train", "score", "untrained", "against", "full",
}  # fmt: skip
_PLAN = {"rows", "recipes", "each", "data", "parts", "runs", "inputs", "pack"}
_DATA = {"kind", "path", "tasks", "most"}


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set to train on or to score."""

    name: str
    """In columns and files; the paper's figures stand beside a data set of the paper's name."""
    kind: str
    """One of ``phage evaluate --data-set``."""
    path: str
    tasks: tuple[str, ...] = ()
    """Only these; otherwise all of the plan's parts."""
    most: int | None = None
    """Training patents of it, those of the lowest hashes."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table."""

    name: str
    recipe: Path
    base: Path | None = None
    """Recipe it starts from, in place of its own base."""
    changes: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    train: tuple[str, ...] = ()
    """Data sets whose training parts are trained on, or files of patents."""
    score: tuple[str, ...] = ()
    """Data sets."""
    untrained: bool = False
    """The backbone as it is."""
    against: tuple[str, ...] = (FULL, NO_GRAPH)
    """Rows it is compared with."""

    def load(self, seed: int) -> Recipe:
        """Read the recipe of one run."""
        from phage.training.recipe_file import load

        base = None if self.recipe == self.base else self.base
        return load(self.recipe, (*self.changes, f"train.seed={seed}"), base)


@dataclass(frozen=True, slots=True)
class Plan:
    """All rows, and what they share."""

    rows: tuple[Row, ...]
    data: tuple[DataSet, ...]
    parts: tuple[str, ...] = (Part.TEST,)
    """What is scored: ``test``, ``validation``; each is a column of its own."""
    runs: int = RUNS
    """Of the probe and of K-Means."""
    inputs: Path | None = None
    """Where prepared data lie; by default beside the results."""
    pack: bool = False
    """Several patents per row, in the variants whose attention is guided."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Noted beside the table."""


def read_plan(path: Path | str, changes: Sequence[str] = (), seeds: int | None = None) -> Plan:
    """Read a plan; ``changes`` hold for all rows, ``seeds`` keeps only the first ones."""
    path = Path(path)
    if not path.is_file():
        raise PhageError("this plan does not exist", place=str(path), remedy="give a .toml file")
    try:
        with readable(path):
            values = tomllib.loads(read_text(path, "utf-8-sig"))
        _known(values, _PLAN | _ROW, "the plan")
        data = tuple(_data_set(name, row) for name, row in values.get("data", {}).items())
        rows = tuple(_rows(values, data, tuple(changes), seeds))
        shared = {key: values[key] for key in ("runs", "pack") if key in values}
        parts = tuple(str(Part(part)) for part in values.get("parts", [Part.TEST]))
    except PhageError as error:
        raise PhageError(error.message, place=str(path), remedy=error.remedy) from None
    except (ValueError, TypeError, AttributeError, KeyError) as error:  # of the file's own shape
        raise PhageError(f"this is not a plan: {error}", place=str(path)) from None
    inputs = Path(values["inputs"]) if "inputs" in values else None
    return Plan(rows, data, parts, inputs=inputs, **shared)


def from_folder(
    recipes: Path, base: Path | None, changes: Sequence[str], seeds: int, shared: Mapping[str, Any]
) -> tuple[Row, ...]:
    """List the backbone, every recipe of a folder, and the full one they start from."""
    known = {**shared, "seeds": tuple(range(1, seeds + 1)), "changes": tuple(changes)}
    found = [Row(file.stem, file, base, **known) for file in _recipes(recipes)]
    base = base or _shared_base(recipes)
    if base is not None and not any(row.name == FULL for row in found):
        found.append(Row(FULL, base, base, **known))
    first = Row(BACKBONE, base or found[0].recipe, base, **{**known, "seeds": (0,)}, untrained=True)
    return (first, *found)


def _rows(
    values: Mapping[str, Any], data: Sequence[DataSet], more: tuple[str, ...], seeds: int | None
) -> Iterator[Row]:
    rows: dict[str, Any] = {}
    for folder in values.get("recipes", []):
        rows.update({file.stem: {"recipe": str(file)} for file in _recipes(_found(folder))})
    rows.update(values.get("rows", {}))
    axes = [list(axis.items()) for axis in values.get("each", {}).values()]
    if not rows:
        raise PhageError("the plan has no rows", remedy="add [rows] or recipes = [FOLDER]")
    for (name, row), *points in product(rows.items(), *axes):
        row = {"recipe": row} if isinstance(row, str) else row
        labels, overlays = [label for label, _ in points], [given for _, given in points]
        for where, part in zip([name, *labels], [row, *overlays], strict=True):
            _known(part, _ROW, where)
        yield _row("/".join([name, *labels]), [values, row, *overlays], data, (more, seeds))


def _row(
    name: str,
    layers: Sequence[Mapping[str, Any]],
    data: Sequence[DataSet],
    asked: tuple[tuple[str, ...], int | None],
) -> Row:
    """Lay a row over what holds for all rows, and its place on each axis over the row."""
    whole = {key: value for layer in layers for key, value in layer.items() if key in _ROW}
    changes = [line for layer in layers for line in layer.get("changes", [])]
    names = [one.name for one in data]
    base = _found(whole["base"]) if "base" in whole else None
    if "recipe" not in whole and base is None:
        raise PhageError(f"row '{name}' names no recipe", remedy='recipe = "recipes/….toml"')
    suffix = name[len(name.split("/")[0]) :]
    against = whole.get("against", [whole.get("full", FULL), NO_GRAPH])
    score = whole.get("score", names)
    for one in score:
        if one not in names:
            raise PhageError(
                f"row '{name}' scores '{one}'", remedy=f"use one of {', '.join(names)}"
            )
    seeds = whole.get("seeds", [1, 2, 3, 4, 5])
    if not isinstance(seeds, list) or not all(type(one) is int and one >= 0 for one in seeds):
        raise TypeError("seeds are a list of whole numbers")
    return Row(
        name,
        _found(whole["recipe"]) if "recipe" in whole else base or Path(),
        base,
        (*changes, *asked[0]),
        tuple(seeds)[: asked[1]],
        tuple(whole.get("train", names[:1])),
        tuple(score),
        bool(whole.get("untrained", False)),
        tuple(f"{other}{suffix}" for other in against if f"{other}{suffix}" != name),
    )


def _data_set(name: str, row: Mapping[str, Any]) -> DataSet:
    _known(row, _DATA, f"data.{name}")
    kind = row.get("kind", name)
    return DataSet(name, kind, str(row["path"]), tuple(row.get("tasks", ())), row.get("most"))


def _known(row: Mapping[str, Any], keys: set[str], where: str) -> None:
    if strange := set(row) - keys:
        known = ", ".join(sorted(keys))
        raise PhageError(f"{where} has no key '{min(strange)}'", remedy=f"use one of {known}")


def _found(path: str) -> Path:
    from phage.training.recipe_file import find

    return find(path)


def _recipes(folder: Path) -> list[Path]:
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise PhageError("this folder has no recipes", place=str(folder))
    return files


def _shared_base(folder: Path) -> Path | None:
    """Find the recipe that all files of a folder start from."""
    bases = set()
    for file in _recipes(folder):
        with readable(file):
            values = tomllib.loads(read_text(file, "utf-8-sig"))
        if "base" in values:
            bases.add((file.parent / str(values["base"])).resolve())
    return bases.pop() if len(bases) == 1 else None

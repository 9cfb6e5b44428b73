"""Recipes as TOML files.

In:   a path, and changes from the command line such as ``train.seed=3``.
Out:  a Recipe; or an error that names the wrong key and the right ones. A recipe as TOML again.
Why:  a misspelt key that is silently ignored costs days of computing; here it costs a second."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from phage.errors import PhageError
from phage.storage import read_text
from phage.training.recipe import Recipe
from phage.training.recipe_keys import SECTIONS, check_names, wrong_value

Values = dict[str, Any]
LARGEST = 1 << 20
"""The most bytes of a recipe."""

_PACKAGE = Path(__file__).parents[1]
SHIPPED = (
    _PACKAGE / "recipes" if (_PACKAGE / "recipes").is_dir() else _PACKAGE.parents[1] / "recipes"
)
"""The project's own recipes: inside the installed package, or at the root of a checkout."""


def load(path: Path | str, changes: Iterable[str] = (), base: Path | str | None = None) -> Recipe:
    """Read a recipe.

    A file may start from another one (``base = "../phage-large.toml"``) and hold only the lines
    that differ; ``base`` given here takes the place of the file's own.
    """
    values = _read(find(path), find(base) if base is not None else None)
    for change in changes:
        parsed = parse_change(change)
        if "base" in parsed:
            raise PhageError("--set cannot change a recipe's base", remedy="give it as --base FILE")
        _merge(values, parsed)
    return from_values(values, place=str(path))


def find(path: Path | str) -> Path:
    """Return the file or folder behind a name: on this disk, or one that comes with the package.

    >>> find("recipes/debug.toml").is_file() and find("debug.toml").is_file()
    True
    >>> find("mine.toml")
    PosixPath('mine.toml')
    """
    path = Path(path)
    inside = Path(*path.parts[1:]) if path.parts[:1] == ("recipes",) else path
    shipped = SHIPPED / inside
    return shipped if not path.exists() and not path.is_absolute() and shipped.exists() else path


def from_values(values: Mapping[str, Any], place: str = "") -> Recipe:
    """Build a recipe from nested values; every key must be known and every value allowed.

    >>> from_values({"train": {"batch": 8}}).train.batch
    8
    >>> from_values({"train": {"bacth": 8}}, place="mine.toml")
    Traceback (most recent call last):
      ...
    phage.errors.PhageError: the recipe has no key train.bacth
      where: mine.toml
      remedy: did you mean train.batch?
    """
    try:
        check_names(values)
        return msgspec.convert(values, Recipe)
    except msgspec.ValidationError as error:
        wrong = wrong_value(values, str(error))
        raise PhageError(wrong.message, place=place, remedy=wrong.remedy) from None
    except PhageError as error:
        again = type(error)  # a recipe of an earlier version is an error of its own
        raise again(error.message, place=error.place or place, remedy=error.remedy) from None


def to_values(recipe: Recipe) -> Values:
    """Return the nested values of a recipe; unset ones are left out."""
    found = msgspec.to_builtins(recipe)
    for name in SECTIONS:
        row = found[name].items()
        found[name] = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in row
            if value is not None
        }
    return dict(found)


def to_toml(recipe: Recipe) -> str:
    """Write a recipe out in full, as TOML.

    >>> from_values(tomllib.loads(to_toml(Recipe()))) == Recipe()
    True
    """
    values = to_values(recipe)
    lines = [f"name = {_toml(values.pop('name'))}"]
    for name, row in values.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"


def parse_change(change: str) -> Values:
    """Read ``section.key=value``; a value that is not TOML is taken as text.

    >>> parse_change("train.seed=3"), parse_change("backbone.model=models/tiny")
    ({'train': {'seed': 3}}, {'backbone': {'model': 'models/tiny'}})
    """
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise PhageError(f"cannot read the change {change!r}", remedy="write it as train.seed=3")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        value = text.strip()
    nested: Any = value
    for part in reversed(key.strip().split(".")):
        nested = {part: nested}
    return dict(nested)


def _read(path: Path, base: Path | None, seen: tuple[Path, ...] = ()) -> Values:
    if path.resolve() in seen:
        raise PhageError("these recipes start from each other in a circle", place=str(path))
    try:
        values = tomllib.loads(read_text(path, "utf-8-sig", LARGEST))  # some editors mark UTF-8
    except FileNotFoundError:
        near = sorted(str(found) for found in path.parent.glob("*.toml"))
        near = near or [f"recipes/{found.name}" for found in sorted(SHIPPED.glob("*.toml"))]
        remedy = f"choose one of {', '.join(near)}" if near else "give the path of a .toml file"
        raise PhageError(f"there is no recipe {path}", remedy=remedy) from None
    except (IsADirectoryError, PermissionError) as error:
        raise PhageError(f"this recipe cannot be read: {error.strerror}", place=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PhageError(f"this is not TOML: {error}", place=str(path)) from None
    own = values.pop("base", None)
    if own is None and base is None:
        return values
    started = _read(base or _base_of(path, own), None, (*seen, path.resolve()))
    _merge(started, values)
    return started


def _base_of(path: Path, named: object) -> Path:
    """Find the recipe that a file starts from: beside it, or one that comes with the package."""
    if not isinstance(named, str):
        raise PhageError(
            f"base is {named!r}",
            place=str(path),
            remedy="write it as a path in quotes",
        )
    for base in (path.parent / named, find(named)):
        if base.exists():
            return base
    raise PhageError(
        f"there is no recipe {path.parent / named} to start from",
        place=f"{path}, base",
        remedy="give a path as seen from this file, or --base FILE",
    )


def _merge(values: Values, more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, Mapping) and isinstance(values.get(name), dict):
            values[name].update(value)
        else:
            values[name] = dict(value) if isinstance(value, Mapping) else value


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)

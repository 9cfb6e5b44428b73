"""Errors about a recipe's keys and values, in words.

In:   nested values as TOML gave them; what msgspec reports.
Out:  an error that names the key, its value, and what is allowed or was probably meant.
Why:  a misspelt key that is silently ignored costs days of computing; here it costs a second."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from phage.errors import PhageError
from phage.training.recipe import Recipe

GONE = {
    "backbone.gradient_checkpointing": "lower train.batch and raise train.accumulation instead",
    "backbone.weights": "give a folder with random weights as backbone.model",
    "guidance.engine": "the fastest engine of the machine is always chosen",
    "loss.claim_patents": "all patents of a triplet carry the claim loss",
    "loss.claim_weight": "it is now loss.claim, a number; 0 turns the claim loss off",
    "loss.grade": "graded positives did not help (docs/log.md)",
    "loss.keep": "it is now loss.distill, and needs loss.teacher",
    "loss.positives": "other positives than the drawn one did not help (docs/log.md)",
    "sampling.most": "adaptive classes are always divided above 500 patents",
    "sampling.near": "negatives from the anchor's IPC class did not help (docs/log.md)",
    "train.clip": "gradients are always clipped to norm 1, as in the paper",
    "train.keep": "the last two checkpoints are always kept",
    "train.pull": "use train.average, which helped more (docs/log.md)",
    "train.relation_learning_rate": "relation scalars learn at train.learning_rate",
    "train.warmup": 'train.schedule = "linear" now rises over a tenth of the steps',
    "train.weight_decay": "it is always 0.01, as in the paper",
}
"""Keys of earlier versions → what to write instead, or why they were removed."""
_FIXED = {"train.weight_decay": 0.01}
"""Removed keys that every run had at this value; with it, a recipe still means the same."""

_FIELDS = {field.name: field.type for field in msgspec.inspect.type_info(Recipe).fields}  # type: ignore[attr-defined]
SECTIONS: dict[str, dict[str, Any]] = {
    name: {field.name: field.type for field in kind.fields}
    for name, kind in _FIELDS.items()
    if isinstance(kind, msgspec.inspect.DataclassType)
}
"""The recipe's sections: for each key the type that msgspec checks."""
KEYS = tuple(f"{section}.{key}" for section, row in SECTIONS.items() for key in row)


class OldKeys(PhageError):
    """A recipe was written for an earlier version."""


def check_names(values: Mapping[str, Any]) -> None:
    """Refuse unknown keys; list all keys of earlier versions at once."""
    keys = [key for key, value in _keys(values) if key not in _FIXED or value != _FIXED[key]]
    old = [key for key in keys if key in GONE]
    if old:
        raise OldKeys(
            f"{', '.join(old)}: {'this key is' if len(old) == 1 else 'these keys are'} no longer part of a "
            "recipe",
            remedy="; ".join(f"{key}: {GONE[key]}" for key in old),
        )
    for key in keys:
        section, _, last = key.rpartition(".")
        if last not in SECTIONS.get(section, {}) and not (section == "" and key in _FIELDS):
            raise _unknown(key)


def wrong_value(values: Mapping[str, Any], reported: str) -> PhageError:
    """Turn msgspec's "… - at `$.train.batch`" into the key's value and its allowed values.

    >>> print(wrong_value({"train": {"batch": 0}}, "Expected `int` >= 1 - at `$.train.batch`"))
    train.batch = 0 is not allowed
      remedy: write a whole number, 1 or more
    """
    found = re.search(r"at `\$\.(\w+)(?:\.(\w+))?", reported)
    section, key = (found[1], found[2]) if found else ("", None)
    if key is None:
        wanted = f"a table [{section}]" if section in SECTIONS else "a text in quotes"
        value = _shown(values.get(section))
        return PhageError(f"{section} = {value} is not allowed", remedy=f"write {wanted}")
    value = _shown(values[section][key])
    wanted = allowed(SECTIONS[section][key])
    if isinstance(values[section][key], bool) and wanted.startswith("a number"):
        wanted += "; false is written 0, true 1"
    return PhageError(f"{section}.{key} = {value} is not allowed", remedy=f"write {wanted}")


def allowed(kind: Any) -> str:  # noqa: ANN401  (any type of msgspec.inspect)
    """Describe what a key may hold.

    >>> allowed(SECTIONS["train"]["precision"]), allowed(SECTIONS["guidance"]["probability"])
    ('one of bf16, fp32', 'a number, 0 or more, 1 or less')
    """
    types = msgspec.inspect
    match kind:
        case types.UnionType():
            return allowed(kind.types[0])
        case types.LiteralType():
            return f"one of {', '.join(map(str, kind.values))}"
        case types.VarTupleType():
            return f"a list, its entries {allowed(kind.item_type)}"
        case types.BoolType():
            return "true or false"
        case types.StrType():
            return "a text in quotes"
    name = "a whole number" if isinstance(kind, types.IntType) else "a number"
    limits = {"above": kind.gt, "or more": kind.ge, "below": kind.lt, "or less": kind.le}
    bounds = [
        f"{limit} {word}" if word.startswith("or") else f"{word} {limit}"
        for word, limit in limits.items()
        if limit is not None
    ]
    return ", ".join([name, *bounds])


def _keys(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, row in values.items():
        if name in SECTIONS and isinstance(row, Mapping):
            yield from ((f"{name}.{key}", value) for key, value in row.items())
        else:
            yield name, row


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _unknown(key: str) -> PhageError:
    message = f"the recipe has no key {key}"
    section, _, last = key.rpartition(".")
    if not section and (near := difflib.get_close_matches(key.lower(), SECTIONS, n=1)):
        return PhageError(message, remedy=f"did you mean [{near[0]}]?")
    known = ["name", "base", *KEYS]
    # The whole key first; then the last word alone, for a right key in the wrong section.
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.75)
    near = near or [name for name in known if name.rpartition(".")[2] == last]
    near = near or difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    if near:
        return PhageError(message, remedy=f"did you mean {near[0]}?")
    peers = [name for name in known if section and name.startswith(f"{section}.")]
    tables = ["name", "base", *(f"[{name}]" for name in SECTIONS)]
    return PhageError(message, remedy=f"the keys are {', '.join(peers or tables)}")

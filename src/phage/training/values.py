"""Values of a recipe: the right type, or an error that names the key.

In:   what TOML gave, and the type that a recipe's field has.
Out:  the value in that type.
Why:  a wrong value is refused in one way, whoever finds it wrong."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args, get_origin

from phage.errors import PhageError


def checked(value: Any, wanted: Any, key: str) -> Any:  # noqa: ANN401  (whatever TOML can hold)
    """Give the value in the type that the recipe wants, or say what is wrong with it.

    >>> checked(1, float, "train.clip"), checked(["cite"], tuple[str, ...], "graph.relations")
    (1.0, ('cite',))
    """
    choices = get_args(wanted)
    if get_origin(wanted) is Literal:
        names = ", ".join(choices)
        refuse_unless(value in choices, key, value, f"one of {names}")
        return value
    if type(None) in choices:
        return None if value is None else checked(value, choices[0], key)
    if get_origin(wanted) is tuple:
        good = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
        refuse_unless(good, key, value, "a list of names")
        return tuple(value)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 2**1023 else math.inf
    good = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    refuse_unless(good, key, value, _KINDS[wanted])
    refuse_unless(wanted is not float or math.isfinite(value), key, value, "finite")
    return value


_KINDS = {str: "a text in quotes", bool: "true or false", int: "a whole number", float: "a number"}


def refuse_unless(good: bool, key: str, value: object, right: str) -> None:
    """Say what a key holds and what it should hold, unless it is good."""
    if not good:
        raise PhageError(f"the recipe's {key} is {value!r}", remedy=f"it should be {right}")

"""Word lists and patterns of a language, from the TOML files in its folder.

In:   the package of a language and the name of a file.
Out:  tables, sets of words, and patterns with their ``$names`` filled in.
Why:  someone who knows a language can correct its words without reading the code."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_table(package: str, name: str) -> Mapping[str, Any]:
    """Read a TOML file beside the code of a package."""
    return tomllib.loads((files(package) / name).read_text("utf-8"))


@cache
def load_words(package: str) -> Mapping[str, frozenset[str]]:
    """Read the lists of a language's ``words.toml``: name → its words."""
    table = load_table(package, "words.toml")
    return {name: frozenset(text.split()) for name, text in table.items() if isinstance(text, str)}


def fill(patterns: Mapping[str, str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    r"""Replace ``$names`` by earlier patterns; line breaks inside a pattern do not count.

    >>> fill({"digit": "[0-9]", "range": "$digit-\n${digit}", "end": "x$"})["range"]
    '[0-9]-[0-9]'
    """
    filled = dict(known or {})
    for name, pattern in patterns.items():
        joined = re.sub(r"\n\s*", "", pattern)
        filled[name] = re.sub(r"\$\{?([a-z_]+)\}?", lambda match: filled[match[1]], joined)
    return filled

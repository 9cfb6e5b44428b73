"""Word sets of the English ladder.

In:   words.toml beside this file.
Out:  frozen sets.
Why:  the lists were made by reading granted claims; they change more often than code."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_WORDS = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORDS[name].split())


INHERENT = _words("inherent")
KNOWN = _words("known")
HEADS = _words("heads")
EMPTY = _words("empty")
DIRECTIONS = _words("directions")
ORDINALS = _words("ordinals")
VALUES = _words("values")
PHRASES = frozenset(" ".join(phrase.split()) for phrase in _WORDS["phrases"].split(","))

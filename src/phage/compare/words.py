"""Which words two texts share, and how much they weigh.

In:   texts in any language that separates words.
Out:  the places of their words, and what each word weighs.
Why:  "the rotor blades" here is "a rotor blade" there; and "rotor" proves more than "portion"."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from phage.checking.stems import stem
from phage.compare.types import Span
from phage.searching.words import words

_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
"""Pairs of signs stand for words where no blanks separate them."""


@lru_cache(maxsize=200_000)
def form(word: str) -> str:
    """Return what the forms of a word share; empty where the word says nothing.

    >>> form("Blades") == form("blade"), form("the"), form("wherein"), form("12")
    (True, '', '', '12')
    """
    low = word.lower()
    if low.isdigit() or _CJK.search(low):
        return low
    return stem(low) if words(low) else ""


def placed(text: str) -> list[tuple[str, Span]]:
    """Return the forms of a text's words with their places."""
    pattern = _RUN if len(_CJK.findall(text)) > len(text) / 4 else _WORD
    found = ((form(one[0]), one.span()) for one in pattern.finditer(text))
    return [(name, span) for name, span in found if name]


def weights(texts: Iterable[str]) -> dict[str, float]:
    """Weigh words by how few of the texts have them."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update({name for name, _ in placed(text)})
        total += 1
    return {name: math.log((total + 1) / count) + 0.1 for name, count in counts.items()}


def joined(spans: Iterable[Span], text: str) -> tuple[Span, ...]:
    """Join spans with only a blank or a hyphen between them.

    >>> joined([(0, 5), (6, 11), (14, 18)], "rotor shaft of the")
    ((0, 11), (14, 18))
    """
    kept: list[Span] = []
    for start, end in spans:
        if kept and text[kept[-1][1] : start] in ("", " ", "-"):
            kept[-1] = kept[-1][0], end
        else:
            kept.append((start, end))
    return tuple(kept)

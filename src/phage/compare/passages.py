"""A patent → passages that may disclose an element.

In:   a Patent, with its description where the file has one.
Out:  its claim elements and the sentences of its abstract and description, each with its place.
Why:  a chart cites short passages; a whole paragraph contains every word and proves nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.claims.elements import elements
from phage.claims.normal import fold
from phage.claims.types import Patent
from phage.compare.types import Passage

MOST = 3_000
"""Passages of one patent; the rest of a longer description is left out."""
LEAST, LONGEST = 20, 1_200
"""Characters of a sentence: less is a heading, more is a table or a list of sequences."""
_END = re.compile(
    r"(?<![A-Z])(?<!\bFIG)(?<!\bFIGS)(?<!\bNo)(?<!\bNos)(?<!\be\.g)(?<!\bi\.e)(?<!\bet al)(?<!\bapprox)"
    r"(?<!\bvs)(?<!\bcf)(?<!\bcol)[.!?][)\]]?\s+(?=[A-Z(\[\"“0-9])|[。！？]|\n+"
)


def passages(patent: Patent) -> list[Passage]:
    """Return the passages of a patent: claims, abstract, description; each text once."""
    found: dict[str, Passage] = {}
    for passage in _all(patent):
        found.setdefault(fold(passage.text).lower().rstrip(".;, "), passage)
        if len(found) == MOST:
            break
    return list(found.values())


def _all(patent: Patent) -> Iterator[Passage]:
    for claim in patent.claims:
        for one in elements(claim):
            yield Passage(f"claim {one.label}", one.text)
    for name, text in (("abstract", patent.abstract), ("description", patent.description)):
        for place, sentence in enumerate(sentences(text), start=1):
            yield Passage(f"{name} {place}", sentence)


def sentences(text: str) -> Iterator[str]:
    """Split a text into sentences.

    >>> list(sentences("The pump 1 is shown in FIG. 2. It has a shaft, e.g. Of steel, and turns. So."))
    ['The pump 1 is shown in FIG. 2.', 'It has a shaft, e.g. Of steel, and turns.']
    """
    start = 0
    for end in [*(found.end() for found in _END.finditer(text)), len(text)]:
        piece = fold(text[start:end])
        start = end
        if len(piece) >= LEAST:
            yield piece[:LONGEST]

"""Read runs of claim numbers: the part of citations that all languages share.

In:   a language's words for claim, number, "to" and "or", and its relative phrases.
Out:  a function from claim text to References.
Why:  six languages write "claims 1 and 3 to 5" with other words in the same order."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.graph.language.types import Reach, Reference, References


def listed_and_relative(
    listed: str, token: str, relative: Iterable[tuple[str, Reach]] = ()
) -> References:
    """Compile a language's phrases into its ``references`` function.

    ``listed`` matches a whole run ("claims 1 and 3 to 5"), ``token`` its parts: a group
    ``number`` or a group ``range``. ``relative`` phrases carry no number.
    """
    run = re.compile(listed, re.IGNORECASE)
    part = re.compile(token, re.IGNORECASE)
    phrases = [(re.compile(pattern, re.IGNORECASE), reach) for pattern, reach in relative]

    def references(text: str) -> tuple[Reference, ...]:
        found = [
            Reference(match.start(), match.end(), Reach.LISTED, _ranges(match.group(), part))
            for match in run.finditer(text)
        ]
        for pattern, reach in phrases:
            found += [
                Reference(match.start(), match.end(), reach) for match in pattern.finditer(text)
            ]
        return tuple(sorted(found, key=lambda reference: reference.start))

    return references


def _ranges(run: str, part: re.Pattern[str]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    joins = False
    for match in part.finditer(run):
        if match.lastgroup == "range":
            joins = True
            continue
        number = int(match.group("number"))
        if joins and ranges:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
        joins = False
    return tuple(ranges)

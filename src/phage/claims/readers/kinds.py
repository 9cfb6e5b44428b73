"""The kinds of one patent, joined.

In:   patents in the order of their files; MAREC keeps A1, A2, B1 … of one invention in one folder.
Out:  one patent for each run of kinds, later ones over earlier ones.
Why:  each kind lacks what another has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace

from phage.claims.normal import parts
from phage.claims.report import ReadProblem
from phage.claims.types import Patent


def merge_kinds(
    items: Iterable[tuple[str, Patent] | ReadProblem], merged: list[int]
) -> Iterator[tuple[str, Patent] | ReadProblem]:
    """Join neighbours that are kinds of one patent; count the joined ones in ``merged``."""
    held: list[Patent] = []
    for item in items:
        kin = not isinstance(item, ReadProblem) and item[0] == "marec"
        if held and not (kin and _same(held[0], item[1])):  # type: ignore[index]
            if isinstance(item, ReadProblem):
                yield item  # a broken neighbour does not end a folder
                continue
            yield "marec", join(held)
            merged.append(len(held) - 1)
            held = []
        if kin:
            held.append(item[1])  # type: ignore[index]
        else:
            yield item
    if held:
        yield "marec", join(held)
        merged.append(len(held) - 1)


def _same(one: Patent, other: Patent) -> bool:
    return parts(one.number)[:2] == parts(other.number)[:2]


_CLAIMED = ("claims", "language", "cancelled", "translations")
"""Fields that go together: a claim set is taken whole from one kind."""
_OWN = ("number", "kind", "publication_date", "publications", *_CLAIMED)
_SHARED = tuple(one.name for one in fields(Patent) if one.name not in _OWN)


def join(kinds: list[Patent]) -> Patent:
    """Take each part from the latest kind that has it.

    >>> from phage.claims.types import Claim
    >>> old = Patent("EP1A1", (Claim(1, "A pump."),), kind="A1", abstract="Pumps.")
    >>> new = Patent("EP1B1", (Claim(1, "A hollow pump."),), kind="B1")
    >>> both = join([new, old]); both.number, both.claims[0].text, both.abstract
    ('EP1B1', 'A hollow pump.', 'Pumps.')
    """
    newest_first = sorted(kinds, key=lambda one: (one.publication_date, one.kind), reverse=True)
    joined = newest_first[0]
    for older in newest_first[1:]:
        gaps = {name: getattr(older, name) for name in _SHARED if not getattr(joined, name)}
        if not joined.claims and older.claims:
            gaps |= {name: getattr(older, name) for name in _CLAIMED}
        joined = replace(joined, **gaps)
    return joined

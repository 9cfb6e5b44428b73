"""Who filed a patent, and which earlier applications it goes back to.

In:   an application, the priorities it claims and its parents, each with its day; names.
Out:  the fields of a Patent that hold them, with a family where the source names none.
Why:  all formats print this, each in its own way; what follows from it is decided once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from phage.claims.normal import fold


@dataclass(frozen=True, slots=True)
class Filing:
    """One application and the day on which it was filed."""

    application: str
    """``US61474443``; empty where the source gives no number."""
    date: str = ""


def lineage(
    own: Filing, priorities: Iterable[Filing], parents: Iterable[Filing] = (), family: str = ""
) -> dict[str, Any]:
    """Return the fields of a Patent that say where it comes from.

    >>> own = Filing("US13245566", "2011-09-26")
    >>> found = lineage(own, [Filing("JP2004123", "2004-06-14")], [Filing("US11151947", "2005-06-14")])
    >>> found["family"], found["priority_date"], found["related"]
    ('JP2004123', '2004-06-14', ('US11151947',))
    """
    claimed = [one for one in priorities if one.application]
    earlier = [one for one in parents if one.application]
    days = [one.date for one in (*claimed, *earlier) if one.date]
    return {
        "application": own.application,
        "filing_date": own.date,
        "family": family or family_of(own, (*claimed, *earlier)),
        "priorities": tuple(dict.fromkeys(one.application for one in claimed)),
        "priority_date": min(days, default=""),
        "related": tuple(dict.fromkeys(one.application for one in earlier)),
    }


def family_of(own: Filing, earlier: Sequence[Filing]) -> str:
    """Name a family by the first application of all that a patent goes back to.

    Patents with the same first application are one simple family; a patent that goes back to
    nothing shares its own application with its other publications.

    >>> family_of(Filing("US2", "2011-01-01"), [Filing("US1", "2010-01-01"), Filing("JP9")])
    'US1'
    >>> family_of(Filing("US2"), [])
    'US2'
    """
    known = [one for one in (*earlier, own) if one.application]
    # an application without its day is earlier than the one that names it, but nobody knows when
    first = min(known, key=lambda one: (one.date or "9", one.application), default=own)
    return first.application if first is not own or not earlier else earlier[0].application


def names(*parties: Iterable[str]) -> tuple[str, ...]:
    """Return the first list of parties that holds a name, each name once.

    >>> names(["", " "], ["Acme  Inc.", "Acme Inc."], ["Jane Doe"])
    ('Acme Inc.',)
    """
    for party in parties:
        found = tuple(dict.fromkeys(filter(None, map(fold, party))))
        if found:
            return found
    return ()


def surname_last(name: str, sign: str = ";") -> str:
    """Put a name that begins with the surname into reading order.

    >>> surname_last("Yano; Shozo"), surname_last("ROGERS, Bruce, L., c/o Acme", ",")
    ('Shozo Yano', 'Bruce L. ROGERS')
    """
    last, _, first = name.partition("c/o")[0].rstrip(" ,").partition(sign)
    return fold(f"{first.replace(',', ' ')} {last}")

"""Rows with their places; where each row is a claim, the rows of one patent are joined.

In:   the rows of a table, or the error that one raised.
Out:  the same with file and row; one row for each patent.
Why:  half of all tables of claims have one claim in a row, and not all are sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from phage.claims.readers.columns import CLAIM_NUMBER, absent
from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import claim_number, not_a_row, shown
from phage.claims.report import ReadProblem

Placed = tuple[ReadProblem, Any, Sequence[str]]
"""Where a row stands, the row or why it cannot be read, and what was changed in it so far."""


def in_order(rows: Iterable[Any], name: str) -> Iterator[Placed]:
    """Count the rows of a table."""
    for place, row in enumerate(rows, start=1):
        here = ReadProblem(name, place - 1, "", row=place)
        if isinstance(row, Malformed):
            yield here, str(row), []
        elif isinstance(row, Exception):
            yield here, f"damaged row: {_said(row)}", []
        elif isinstance(row, str):
            yield here, not_a_row(row), []
        else:
            yield here, row, []


def undamaged(rows: Iterator[Any], kind: str) -> Iterator[Any]:
    """Yield the rows of a file of Arrow's; where it is damaged, end with a row that says so."""
    import pyarrow as pa  # slow to import, and a draft needs none

    try:
        yield from rows
    except (pa.ArrowException, TypeError, ValueError, OSError) as error:
        yield Malformed(f"damaged {kind}: {_said(error)}")


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def joined(
    rows: Iterable[Placed],
    columns: Callable[[ReadProblem, Mapping[str, Any]], Mapping[str, str]],
    gather: bool,
) -> Iterator[Placed]:
    """Join rows that are claims of one patent: neighbours, or all of them where ``gather``.

    A patent whose rows come back later in a stream is refused. To know it, the hash of each
    number is kept: about 100 bytes a patent.
    """
    held: dict[str, tuple[ReadProblem, dict[str, Any], list[str]]] = {}
    ended: set[int] = set()
    for here, row, flaws in rows:
        taken = columns(here, row) if isinstance(row, Mapping) else {}
        single = CLAIM_NUMBER in taken and "claims" in taken
        if not single or absent(number := row.get(taken["number"])):
            yield here, row, flaws
            continue
        key, text, count = str(number), taken["claims"], row.get(taken[CLAIM_NUMBER])
        claim = {"number": claim_number(count) or count, "text": row.get(text)}
        if key in held:
            held[key][1][text].append(claim)
            held[key][2].extend(flaws)
            continue
        if not gather:
            yield from held.values()
            ended.update(map(hash, held))
            held.clear()
        if hash(key) in ended:
            apart = "rows of one patent must stand together: sort by number"
            yield here, f"column '{taken['number']}': {shown(number)} came before; {apart}", []
        else:
            held[key] = here, {**row, text: [claim]}, list(flaws)
    yield from held.values()

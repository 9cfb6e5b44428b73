"""Claim tables of PatentsView: ``g_claims_{year}.tsv`` and ``pg_claims_{year}.tsv``.

In:   one row per claim, those of one patent together.
Out:  a patent for each run of rows.
Why:  fifty years of US claims in tables; they hold only claims."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import replace

from phage.claims.normal import fold, parts, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.sources import Entry
from phage.claims.report import ReadProblem
from phage.claims.types import Patent

_ID = ("patent_id", "pgpub_id", "patent_number", "document_number")
_FIELD = 16 << 20
"""Longest cell believed; an open quote would swallow the rest of the table."""


def is_header(line: str) -> bool:
    r"""Return whether a line heads a claim table.

    >>> is_header('"patent_id"\t"claim_sequence"\t"claim_text"\t"dependent"')
    True
    """
    names = {name.strip(' "\ufeff\r\n').lower() for name in re.split(r"[\t,]", line)}
    return bool({"claim_text", "text"} & names and names & set(_ID))


def read_table(entry: Entry, descriptions: bool) -> Iterator[Patent | ReadProblem]:
    """Read one table."""
    csv.field_size_limit(_FIELD)
    separator = "\t" if b"\t" in entry.stream.peek(4096).split(b"\n")[0] else ","
    text = io.TextIOWrapper(entry.buffered(), encoding="utf-8-sig", errors="replace", newline="")
    table = csv.DictReader(text, delimiter=separator)
    table.fieldnames = [name.strip(' "').lower() for name in table.fieldnames or ()]
    key = next(name for name in _ID if name in table.fieldnames)
    seen: set[str] = set()
    current = ""
    rows: list[dict[str, str]] = []
    here = ReadProblem(entry.name, 0, "")
    try:
        for row in table:
            if row.get(key) != current:
                yield from _patent(here, current, rows, seen)
                current, rows = row.get(key) or "", []
                here = replace(here, line=table.line_num)
            rows.append(row)
    except csv.Error as error:
        why = f"damaged table: {error}"
        yield replace(here, reason=why, document=current, line=table.line_num)
    yield from _patent(here, current, rows, seen)


def _patent(
    here: ReadProblem, given: str, rows: list[dict[str, str]], seen: set[str]
) -> Iterator[Patent | ReadProblem]:
    number = publication("US", given)
    if not rows:
        return
    if not parts(number)[0]:
        yield replace(here, reason=f"not a patent's number: {given[:40]!r}")
    elif number in seen:
        why = "its rows are not next to each other: sort the table"
        yield replace(here, reason=why, document=number)
    else:
        seen.add(number)
        whole = [row for row in rows if row.get("claim_text") or row.get("text")]
        whole.sort(key=lambda row: _sequence(row.get("claim_sequence")) or 0)
        if len(whole) < len(rows):
            why = f"claims without text: {len(rows) - len(whole)}"
            yield replace(here, reason=why, document=number, partial=True)
        claims, gone = number_claims([_tagged(row) for row in whole])
        yield Patent(number=number, claims=claims, kind=parts(number)[2], cancelled=gone)


def _sequence(value: str | None) -> int | None:
    """Return a claim's place in its table, from 0; None where the cell does not hold one.

    >>> _sequence(" 4"), _sequence("--4"), _sequence("9" * 5000), _sequence(None)
    (4, None, None, None)
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*", value or "")
    return int(found[1]) if found else None


def _tagged(row: dict[str, str]) -> Tagged:
    number = (row.get("claim_number") or "").strip()
    sequence = _sequence(row.get("claim_sequence"))
    if not number and sequence is not None:
        number = str(sequence + 1)
    said = row.get("dependent") or ""
    references = tuple(n for n in re.findall(r"\d+", said) if not said.strip().startswith("-"))
    return Tagged(fold(row.get("claim_text") or row.get("text") or ""), number, number, references)

"""Evaluation sets whose layout is their own: USPTO-70k and DAPFAM.

In:   a CSV or TSV of USPTO-70k, a row of DAPFAM's corpus or queries.
Out:  patents under the numbers that the sets give: a grant's, a family's.
Why:  what no reader takes can be neither compared with training nor left out of it."""

from __future__ import annotations

import ast
import csv
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from phage.claims.normal import classifications, fold, publication
from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import Record
from phage.claims.readers.sources import Entry
from phage.claims.report import ReadProblem
from phage.claims.split import split_set
from phage.claims.types import Patent

_CELL = 64 << 20
"""Longest cell believed; a description is one."""


def is_uspto70k(line: str) -> bool:
    r"""Return whether a line heads a table of USPTO-70k (ECIR 2021; BIR 2022 has claims).

    >>> is_uspto70k("patent_id,title,abstract,claims,labels"), is_uspto70k("patent_id\ttitle")
    (True, False)
    """
    names = {name.strip(' "\ufeff\r\n').lower() for name in re.split(r"[\t,]", line)}
    return {"patent_id", "title", "abstract", "labels"} <= names


def read_uspto70k(entry: Entry, descriptions: bool) -> Iterator[tuple[str, Patent] | ReadProblem]:
    """Read one part of USPTO-70k."""
    csv.field_size_limit(_CELL)
    separator = "\t" if b"\t" in entry.stream.peek(4096).split(b"\n")[0] else ","
    text = io.TextIOWrapper(entry.buffered(), encoding="utf-8-sig", errors="replace", newline="")
    table = csv.DictReader(text, delimiter=separator)
    try:
        for row in table:
            place = table.line_num
            try:
                yield "uspto-70k", uspto70k(row, descriptions)
            except Malformed as error:
                yield ReadProblem(entry.name, place, str(error), row.get("patent_id") or "")
    except csv.Error as error:
        yield ReadProblem(entry.name, table.line_num, f"damaged table: {error}")


def uspto70k(row: Mapping[str, str | None], descriptions: bool = False) -> Patent:
    """Read one row: a US grant under the number that PatentsView gives it."""
    number = publication("US", row.get("patent_id") or "")
    if not number.strip("US0"):
        raise Malformed("no patent_id")
    claims = split_set(row.get("claims") or "")
    parts = (row.get("brief-summary"), row.get("fig-desc"), row.get("detail-desc"))
    return Patent(
        number=number,
        claims=claims.claims,
        title=fold(row.get("title") or ""),
        abstract=fold(row.get("abstract") or ""),
        description="\n".join(filter(None, parts)) if descriptions else "",
        cpc=classifications(label_list(row.get("labels") or "")),
        cancelled=claims.cancelled,
    )


def label_list(cell: str) -> tuple[str, ...]:
    """Read a Python list literal of labels, without evaluating anything.

    >>> label_list("['H04L', 'G06F', 'H04L']")
    ('G06F', 'H04L')
    """
    try:
        value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, list | tuple | set) or not all(isinstance(x, str) for x in value):
        raise Malformed(f"the labels are not a list of strings: {cell[:60]}")
    return tuple(sorted({name.strip() for name in value}))


def is_dapfam(row: Mapping[str, Any]) -> bool:
    """Return whether a row is a patent of DAPFAM, not one of its relevance pairs."""
    return ("relevant_id" in row or "query_id" in row) and "title_en" in row


def dapfam(record: Record, descriptions: bool = False) -> Patent:
    """Read one family; its identifier stands for number and family alike."""
    number = record.text("relevant_id", "query_id")
    if not number:
        raise Malformed("no relevant_id or query_id")
    claims = split_set(record.text("claims_text", prose=True))
    return Patent(
        number=number,
        claims=claims.claims,
        family=number,
        title=fold(record.text("title_en", prose=True)),
        abstract=fold(record.text("abstract_en", prose=True)),
        description=record.text("description_en", prose=True) if descriptions else "",
        cancelled=claims.cancelled,
    )

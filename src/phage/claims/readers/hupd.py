"""Patent applications of the Harvard USPTO Patent Dataset.

In:   one JSON object per application, all claims in one string.
Out:  a patent with its claims split and all its IPC codes.
Why:  the paper trains on these; the loader that others use drops all IPC codes but one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phage.claims.normal import application, fold, parts, publication, whole_number
from phage.claims.readers.compact import compact_classification
from phage.claims.readers.documents import Malformed
from phage.claims.readers.filings import names
from phage.claims.readers.records import Record, missing
from phage.claims.split import split_set
from phage.claims.types import Patent


def is_hupd(row: Mapping[str, Any]) -> bool:
    """Return whether a row is HUPD's."""
    marks = ("main_ipcr_label", "ipcr_labels", "main_cpc_label", "decision", "full_description")
    return "application_number" in row and "claims" in row and any(key in row for key in marks)


def patent(record: Record, descriptions: bool = False) -> Patent:
    """Read one application."""
    # pandas writes these two for nothing
    record.row = {key: value for key, value in record.row.items() if value not in ("None", "nan")}
    applied = record.text("application_number")
    number = _number(record, applied)
    own = application("US", applied.zfill(8)) if applied else ""
    claims = split_set(record.text("claims", prose=True))
    if missing(record.row.get("claims")) or (record.losses and not claims.claims):
        raise Malformed("; ".join(["no claims", *record.losses]))
    return Patent(
        number=number,
        claims=claims.claims,
        application=own,
        family=own,
        kind=parts(number)[2],
        title=fold(record.text("title", prose=True)),
        abstract=fold(record.text("abstract", prose=True)),
        description=record.text("full_description", prose=True) if descriptions else "",
        ipc=_labels(record, "main_ipcr_label", "ipcr_labels"),
        cpc=_labels(record, "main_cpc_label", "cpc_labels"),
        filing_date=record.date("filing_date"),
        publication_date=record.date("date_published"),
        publications=_granted(record, number),
        inventors=names(_inventor(one) for one in record.items("inventor_list")),
        cancelled=claims.cancelled,
    )


def _number(record: Record, applied: str) -> str:
    """Return the publication's number, ``US20130296823A1-20131107`` without its date."""
    published = record.text("publication_number").split("-2")[0]
    if parts(published)[0]:
        return whole_number(published)
    granted = published or record.text("patent_number")
    number = publication("US", granted) or application("US", applied.zfill(8))
    if not number.strip("US0"):
        raise Malformed("no publication number")
    return number


def _granted(record: Record, number: str) -> tuple[str, ...]:
    """Return the number of the grant, the only one that other collections of grants share."""
    granted = publication("US", record.text("patent_number"))
    return (granted,) if granted and granted != number else ()


def _inventor(given: object) -> str:
    if not isinstance(given, Mapping):
        return given if isinstance(given, str) else ""
    parts = (given.get(f"inventor_name_{which}") for which in ("first", "last"))
    return " ".join(part.title() for part in parts if isinstance(part, str))


def _labels(record: Record, main: str, others: str) -> tuple[str, ...]:
    labels = [record.text(main), *record.texts(others)]
    return tuple(dict.fromkeys(filter(None, map(compact_classification, labels))))

"""Patent applications of the Harvard USPTO Patent Dataset.

In:   one JSON object per application, all claims in one string.
Out:  a patent with its claims split and all its IPC codes.
Why:  the paper trains on these; the loader that others use drops all IPC codes but one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phage.claims.compact import compact_classification
from phage.claims.normal import application, date, fold, parts, publication, whole_number
from phage.claims.readers.documents import Malformed
from phage.claims.split import split_set
from phage.claims.types import Patent


def is_hupd(row: Mapping[str, Any]) -> bool:
    """Say whether a row is HUPD's."""
    marks = ("main_ipcr_label", "ipcr_labels", "main_cpc_label", "decision", "full_description")
    return "application_number" in row and "claims" in row and any(key in row for key in marks)


def patent(row: Mapping[str, Any], descriptions: bool = False) -> Patent:
    """Read one application."""
    applied = _text(row, "application_number")
    number = _number(row)
    claims = split_set(_text(row, "claims"))
    return Patent(
        number=number,
        claims=claims.claims,
        application=application("US", applied.zfill(8)) if applied else "",
        kind=parts(number)[2],
        title=fold(_text(row, "title")),
        abstract=fold(_text(row, "abstract")),
        description=_text(row, "full_description") if descriptions else "",
        ipc=_labels(row, "main_ipcr_label", "ipcr_labels"),
        cpc=_labels(row, "main_cpc_label", "cpc_labels"),
        filing_date=date(_text(row, "filing_date")),
        publication_date=date(_text(row, "date_published")),
        publications=_granted(row, number),
        cancelled=claims.cancelled,
    )


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return "" if value is None or str(value) in ("None", "nan") else str(value)


def _number(row: Mapping[str, Any]) -> str:
    """Give the publication's number, ``US20130296823A1-20131107`` without its date."""
    published = _text(row, "publication_number").split("-2")[0]
    if parts(published)[0]:
        return whole_number(published)
    granted, applied = _text(row, "patent_number"), _text(row, "application_number")
    number = publication("US", published or granted) or application("US", applied.zfill(8))
    if not number.strip("US0"):
        raise Malformed("no publication number")
    return number


def _granted(row: Mapping[str, Any], number: str) -> tuple[str, ...]:
    """Give the number of the grant, the only one that other collections of grants share."""
    granted = publication("US", _text(row, "patent_number"))
    return (granted,) if granted and granted != number else ()


def _labels(row: Mapping[str, Any], main: str, others: str) -> tuple[str, ...]:
    labels = [_text(row, main), *map(str, row.get(others) or ())]
    return tuple(dict.fromkeys(filter(None, map(compact_classification, labels))))

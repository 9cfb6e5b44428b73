"""Google Patents as BigQuery exports them, JSON or Parquet.

In:   one row per publication, texts as lists of language versions.
Out:  a patent with its claims split, other languages as translations.
Why:  the largest open collection, one query away for any user."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from phage.claims.language import detect
from phage.claims.normal import (
    application,
    classifications,
    date,
    fold,
    language,
    parts,
    whole_number,
)  # fmt: skip
from phage.claims.readers.documents import Malformed, parse
from phage.claims.readers.epo import tagged
from phage.claims.readers.filings import Filing, lineage, names
from phage.claims.readers.records import Record, missing, shown
from phage.claims.split import ClaimSet, split_set
from phage.claims.types import Citation, Patent


def is_google(row: Mapping[str, Any]) -> bool:
    """Return whether a row is Google's."""
    return "publication_number" in row and any(key.endswith("_localized") for key in row)


def patent(record: Record, descriptions: bool = False) -> Patent:
    """Read one publication."""
    number = whole_number(record.text("publication_number"))
    office, _, kind = parts(number)
    if not office:
        raise Malformed("no publication number")
    sets: dict[str, ClaimSet] = {}
    for code, words in _versions(record, "claims_localized"):
        found = claims_of(words, record)
        if found.claims:
            sets.setdefault(code, found)
    titles = dict(reversed(list(_versions(record, "title_localized"))))
    own = next(iter(sets), "en" if "en" in titles else next(iter(titles), "en"))
    claims = sets.pop(own, ClaimSet())
    return Patent(
        number=number,
        claims=claims.claims,
        kind=record.text("kind_code") or kind,
        language=own,
        title=fold(titles.get(own) or next(iter(titles.values()), "")),
        abstract=_best(record, "abstract_localized", own),
        description=_best(record, "description_localized", own) if descriptions else "",
        ipc=_symbols(record, "ipc"),
        cpc=_symbols(record, "cpc"),
        publication_date=record.date("publication_date", numbers=True),
        citations=tuple(_citations(record)),
        assignees=_names(record, "assignee"),
        inventors=_names(record, "inventor"),
        cancelled=claims.cancelled,
        **lineage(
            Filing(
                application(office, record.text("application_number")),
                record.date("filing_date", numbers=True),
            ),
            _priorities(record),
            family=record.text("family_id").removeprefix("-1"),
        ),
        translations={code: others.claims for code, others in sets.items()},
    )


def claims_of(words: str, record: Record | None = None) -> ClaimSet:
    """Split one text of claims, plain or with ``<claim>`` elements.

    >>> [c.text for c in claims_of('<claim num="1"><claim-text>1. A pump.</claim-text></claim>'
    ...     '<claim num="2"><claim-text>2. It.</claim-text></claim>').claims]
    ['A pump.', 'It.']
    """
    if re.search(r"<claim[\s>]", words):
        flaws: list[str] = []
        try:
            return ClaimSet(*tagged(parse(b"<claims>" + words.encode() + b"</claims>", flaws)))
        except Malformed as error:
            flaws.append(str(error))
            words = re.sub(r"<[^<>]{0,200}>", " ", words)
        finally:
            if record and flaws:
                record.lost(f"parts of the claims' markup, which is {flaws[0]}")
    return split_set(words)


def _listed(record: Record, key: str, bare: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list, as JSON and as Parquet write them.

    A text in an object's place is taken as its ``bare`` key.
    """
    value = record.row.get(key)
    if isinstance(value, Mapping) and set(value) & {"list", "element"}:
        record.row = {**record.row, key: value.get("list") or value.get("element")}
    found: list[Mapping[str, Any]] = []
    for given in record.items(key):
        nested = isinstance(given, Mapping) and set(given) == {"element"}
        item = given["element"] if nested else given
        if isinstance(item, Mapping):
            found.append(item)
        elif isinstance(item, str) and item:
            record.repaired(f"{key} {shown(item)} taken as its {bare}")
            found.append({bare: item})
        elif not missing(item):
            record.lost(f"{key} {shown(item)} is not an object")
    return found


def _versions(record: Record, key: str) -> Iterator[tuple[str, str]]:
    for version in _listed(record, key, "text"):
        words = record.as_text(f"{key} text", version.get("text") or "")
        if words.strip():
            if version.get("truncated") is True:
                record.lost(f"the end of {key}, which the source cut")
            said = language(record.as_text(f"{key} language", version.get("language") or ""), "")
            yield said or detect(words), words


def _best(record: Record, key: str, own: str) -> str:
    versions = list(_versions(record, key))
    matching = [words for code, words in versions if code == own]
    return fold((matching or [words for _, words in versions] or [""])[0])


def _symbols(record: Record, key: str) -> tuple[str, ...]:
    codes = sorted(_listed(record, key, "code"), key=lambda c: not c.get("first"))
    return classifications(record.as_text(key, code.get("code") or "") for code in codes)


def _names(record: Record, kind: str) -> tuple[str, ...]:
    """Return the harmonized names, else those printed."""
    harmonized = [
        record.as_text(f"{kind}_harmonized name", one.get("name") or "")
        for one in _listed(record, f"{kind}_harmonized", "name")
    ]
    return names(harmonized, record.names(kind))


def _priorities(record: Record) -> Iterator[Filing]:
    for claim in _listed(record, "priority_claim", "application_number"):
        number = record.as_text("priority_claim", claim.get("application_number") or "")
        day = claim.get("filing_date")
        yield Filing(application(parts(number)[0] or number[:2], number), date(day) if day else "")


def _citations(record: Record) -> Iterator[Citation]:
    for cited in _listed(record, "citation", "publication_number"):
        words = {key: record.as_text(f"citation {key}", cited.get(key) or "") for key in _CITED}
        category = words["category"] or words["type"]
        if words["publication_number"]:
            yield Citation(whole_number(words["publication_number"]), category)
        elif words["npl_text"]:
            yield Citation(fold(words["npl_text"]), category, "other")


_CITED = ("publication_number", "npl_text", "category", "type")

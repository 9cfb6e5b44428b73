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
from phage.claims.split import ClaimSet, split_set
from phage.claims.types import Citation, Patent


def is_google(row: Mapping[str, Any]) -> bool:
    """Say whether a row is Google's."""
    return "publication_number" in row and any(key.endswith("_localized") for key in row)


def patent(row: Mapping[str, Any], descriptions: bool = False) -> Patent:
    """Read one publication."""
    number = whole_number(str(row.get("publication_number") or ""))
    office, _, kind = parts(number)
    if not office:
        raise Malformed("no publication number")
    sets: dict[str, ClaimSet] = {}
    for code, words in _versions(row, "claims_localized"):
        found = claims_of(words)
        if found.claims:
            sets.setdefault(code, found)
    titles = dict(reversed(list(_versions(row, "title_localized"))))
    own = next(iter(sets), "en" if "en" in titles else next(iter(titles), "en"))
    claims = sets.pop(own, ClaimSet())
    return Patent(
        number=number,
        claims=claims.claims,
        application=application(office, str(row.get("application_number") or "")),
        family=str(row.get("family_id") or "").removeprefix("-1"),
        kind=str(row.get("kind_code") or kind),
        language=own,
        title=fold(titles.get(own) or next(iter(titles.values()), "")),
        abstract=_best(row, "abstract_localized", own),
        description=_best(row, "description_localized", own) if descriptions else "",
        ipc=_symbols(row, "ipc"),
        cpc=_symbols(row, "cpc"),
        filing_date=date(row.get("filing_date") or ""),
        publication_date=date(row.get("publication_date") or ""),
        citations=tuple(_citations(row)),
        cancelled=claims.cancelled,
        translations={code: others.claims for code, others in sets.items()},
    )


def claims_of(words: str) -> ClaimSet:
    """Split one text of claims, plain or with ``<claim>`` elements.

    >>> [c.text for c in claims_of('<claim num="1"><claim-text>1. A pump.</claim-text></claim>'
    ...     '<claim num="2"><claim-text>2. It.</claim-text></claim>').claims]
    ['A pump.', 'It.']
    """
    if re.search(r"<claim[\s>]", words):
        try:
            return ClaimSet(*tagged(parse(b"<claims>" + words.encode() + b"</claims>")))
        except Malformed:
            words = re.sub(r"<[^<>]{0,200}>", " ", words)
    return split_set(words)


def _listed(value: Any) -> list[Any]:  # noqa: ANN401  (lists as JSON and as Parquet write them)
    if isinstance(value, Mapping):
        value = value.get("list") or value.get("element") or []
    items = value if isinstance(value, list) else []
    return [i["element"] if isinstance(i, Mapping) and set(i) == {"element"} else i for i in items]


def _versions(row: Mapping[str, Any], key: str) -> Iterator[tuple[str, str]]:
    for version in _listed(row.get(key)):
        words = str(version.get("text") or "") if isinstance(version, Mapping) else ""
        if words.strip():
            said = language(str(version.get("language") or ""), "")
            yield said or detect(words), words


def _best(row: Mapping[str, Any], key: str, own: str) -> str:
    versions = list(_versions(row, key))
    matching = [words for code, words in versions if code == own]
    return fold((matching or [words for _, words in versions] or [""])[0])


def _symbols(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    codes = [code for code in _listed(row.get(key)) if isinstance(code, Mapping)]
    codes.sort(key=lambda code: not code.get("first"))  # stable: the others keep their order
    return classifications(str(code.get("code") or "") for code in codes)


def _citations(row: Mapping[str, Any]) -> Iterator[Citation]:
    for cited in _listed(row.get("citation")):
        if not isinstance(cited, Mapping):
            continue
        category = str(cited.get("category") or cited.get("type") or "")
        if cited.get("publication_number"):
            yield Citation(whole_number(str(cited["publication_number"])), category)
        elif cited.get("npl_text"):
            yield Citation(fold(str(cited["npl_text"])), category, "other")

"""Patents in our own JSON lines and Parquet, and in the small JSON of other collections.

In:   one object per patent: ``number`` or ``id``, ``claims`` as objects or as plain texts.
Out:  patents.
Why:  what one step writes the next must read, and most collections look almost like it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from phage.claims import normal
from phage.claims.marks import lead_end
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed
from phage.claims.split import split_set
from phage.claims.types import Citation, Claim, Patent

_NUMBERS = ("number", "id", "publication_number", "ucid")


def is_own(row: Mapping[str, Any]) -> bool:
    """Say whether a row is of our schema or one of its small relatives."""
    return any(row.get(key) for key in _NUMBERS) and isinstance(row.get("claims"), (list, str))


def patent(row: Mapping[str, Any], descriptions: bool = True) -> Patent:
    """Read one row."""
    claims = row.get("claims")
    if isinstance(claims, str):  # one run of text, which HUPD has, too
        found = split_set(claims)
        return replace(_small(row, ()), claims=found.claims, cancelled=found.cancelled)
    if not isinstance(claims, list):
        raise Malformed("'claims' is not a list")
    translations = row.get("translations")
    if isinstance(translations, list):  # the Parquet form
        translations = {one["language"]: one["claims"] for one in translations}
    if all(isinstance(claim, Mapping) for claim in claims) and "number" in row:
        return _exact({**row, "translations": translations or {}})
    return _small(row, claims)


def _exact(row: Mapping[str, Any]) -> Patent:
    try:
        if any(not isinstance(claim.get("text"), str) for claim in row["claims"]):
            raise Malformed("a claim has no text")
        if not isinstance(row["number"], str) or not row["number"]:
            raise Malformed("'number' is not a text")
        return Patent.from_json(row)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Malformed(f"not of our schema: {type(error).__name__} {error}") from None


def _small(row: Mapping[str, Any], texts: Sequence[Any]) -> Patent:
    given = next((row[key] for key in _NUMBERS if row.get(key)), "")
    number = normal.whole_number(str(given))
    if not number:
        raise Malformed("no publication number")
    if texts and texts[-1] == row.get("cut_claim"):
        texts = texts[:-1]  # the source cut the text inside its only claim
    claims, gone = _small_claims(texts)
    return Patent(
        number=number,
        claims=claims,
        application=str(row.get("application") or ""),
        family=str(row.get("family") or row.get("family_key") or row.get("family_id") or ""),
        kind=normal.parts(number)[2],
        language=normal.language(str(row.get("language") or row.get("lang") or "")),
        title=normal.fold(str(row.get("title") or "")),
        abstract=normal.fold(str(row.get("abstract") or "")),
        description=normal.fold(str(row.get("description") or "")),
        ipc=normal.classifications(map(str, row.get("ipc") or ())),
        cpc=normal.classifications(map(str, row.get("cpc") or ())),
        filing_date=normal.date(row.get("filing_date") or row.get("date") or ""),
        publication_date=normal.date(row.get("publication_date") or ""),
        citations=tuple(map(_citation, row.get("citations") or ())),
        cancelled=gone,
    )


_HOLDS_CANCELLED = re.compile(r"\d\s*\.?\s*\(?cancell?ed", re.IGNORECASE)


def _small_claims(texts: Sequence[Any]) -> tuple[tuple[Claim, ...], tuple[int, ...]]:
    """Take the place as the number: a plain list has no other.

    A heading is no claim; an item that says "1-20. (canceled) 21. …" is several.
    """
    tagged: list[Tagged] = []
    gone: list[int] = []
    last = 0
    for place, one in enumerate(texts, start=1):
        text = one.get("text") if isinstance(one, Mapping) else one
        if not isinstance(text, str):
            raise Malformed(f"claim {place} is not a text")
        text = normal.fold(text)
        heading = lead_end(text)
        if heading and (heading == len(text) or text[heading] in "[【"):
            text = text[heading:]
        if _HOLDS_CANCELLED.search(text):
            joint = "" if text[0].isdigit() else str(last + 1)
            inner = split_set(
                f"{joint}{text}" if text[0] in "-–.0123456789" else f"{joint}. {text}"
            )
            tagged += [Tagged(claim.text, str(claim.number)) for claim in inner.claims]
            gone += inner.cancelled
            last = max([last, *inner.cancelled, *(claim.number for claim in inner.claims)])
        elif text:
            last = one.get("number", last + 1) if isinstance(one, Mapping) else last + 1
            tagged.append(Tagged(text, str(last)))
    claims, more = number_claims(tagged)
    return claims, tuple(sorted({*gone, *more}))


def _citation(given: Any) -> Citation:  # noqa: ANN401  (a number or an object)
    if isinstance(given, Mapping):
        return Citation(str(given.get("document") or ""), str(given.get("category") or ""))
    return Citation(normal.whole_number(str(given)))

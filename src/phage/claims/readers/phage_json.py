"""Patents in our own JSON lines and Parquet, and in the small JSON of other collections.

In:   one object per patent: ``number`` or ``id``, ``claims`` as objects or as plain texts.
Out:  patents; what was mistyped is repaired or left out, and noted in the record.
Why:  what one step writes the next must read, and most collections look almost like it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from phage.claims import normal
from phage.claims.language import detect
from phage.claims.marks import lead_end
from phage.claims.numbering import Tagged, is_cancelled, lead, number_claims
from phage.claims.readers.cells import cell, is_nothing
from phage.claims.readers.documents import Malformed
from phage.claims.readers.records import Record, claim_number, missing, shown
from phage.claims.split import split_set
from phage.claims.types import LISTS, TEXTS, WRITTEN, Citation, Claim, Patent

_NUMBERS = ("number", "id", "publication_number", "ucid")


def is_own(row: Mapping[str, Any]) -> bool:
    """Return whether a row is of our schema or one of its small relatives."""
    return any(row.get(key) for key in _NUMBERS) and row.get("claims") is not None


def patent(record: Record, descriptions: bool = True) -> Patent:
    """Read one row."""
    given = record.text(*_NUMBERS)
    if not given.strip():
        raise Malformed("; ".join(["no publication number", *record.losses]))
    claims = _listed(record)
    if isinstance(claims, str):  # one run of text, which HUPD has, too
        found = split_set(claims)
        return _patent(record, record.document(given), (found.claims, found.cancelled))
    items = [one for one in enumerate(claims, start=1) if _has_text(record, *one)]
    if claims and not items:
        raise Malformed("; ".join(["no claim has a text", *record.losses[:3]]))
    if "number" in record.row and all(isinstance(item, Mapping) for _, item in items):
        own, gone = _exact(record, items), record.numbers("cancelled")
        if not record.labels and record.row.keys() >= WRITTEN:
            return _patent(record, given, (own, gone), True)
        return _patent(record, record.document(given), _bare(own, gone))
    texts = _without_cut(record, items)
    return _patent(record, record.document(given), _small_claims(record, texts))


def _bare(claims: Sequence[Claim], gone: Sequence[int]) -> tuple[list[Claim], list[int]]:
    """Take claims that others wrote: white space folded, printed numbers and cancelled ones out."""
    found, cancelled = [], list(gone)
    for claim in claims:
        text = normal.fold(claim.text)
        printed, begin = lead(text)
        text = text[begin:] if printed == claim.number else text
        if is_cancelled(text):
            cancelled.append(claim.number)
        elif text:
            found.append(replace(claim, text=text))
    return found, cancelled


def _listed(record: Record) -> Sequence[Any] | str:
    """Return the claims as a list, or as one run of text."""
    claims = record.row.get("claims")
    name = record.named("claims") if record.labels else "'claims'"
    if isinstance(claims, str):
        if not claims.strip():
            raise Malformed("the claims are empty")
        claims = cell("claims", claims, name)
    if isinstance(claims, (str, list)):
        return claims
    if isinstance(claims, Mapping) and claims:
        if "text" in claims:
            record.repaired("claims, one object, taken as a list of one")
            return [claims]
        if all(isinstance(text, str) for text in claims.values()):
            record.repaired("claims, an object, taken as texts by their numbers")
            return [{"number": claim_number(n) or n, "text": text} for n, text in claims.items()]
    raise Malformed(f"{name} is {shown(claims)}, not a list")


def _has_text(record: Record, place: int, item: Any) -> bool:  # noqa: ANN401  (as JSON gave it)
    text = item.get("text") if isinstance(item, Mapping) else item
    nothing = record.labels and isinstance(text, str) and is_nothing(text)
    if isinstance(text, str) and not nothing and (text.strip() or not isinstance(item, Mapping)):
        return True
    where = f"{record.named('claims')} claim" if record.labels else "claim"
    record.lost(f"{where} {place}: its text is {shown(text)}")
    return False


Items = Sequence[tuple[int, Any]]
"""Claims as they were given, each with its place in the list."""


def _exact(record: Record, items: Items, name: str = "claim") -> tuple[Claim, ...]:
    """Take claims with their numbers, spans and references, as they were written."""
    claims: dict[int, Claim] = {}
    for (place, item), number in zip(items, _numbers(record, items, name), strict=True):
        if number:
            here = f"{name} {place}:"
            references = item.get("references") or ()
            if not isinstance(references, (list, tuple)):
                record.repaired(f"{here} references taken as a list of one")
                references = (references,)
            claims[number] = Claim(
                number,
                item["text"],
                record.as_span(f"{here} span", item.get("span")),
                record.as_numbers(f"{here} reference", references),
                _printed(record, here, item.get("printed")),
            )
    given = tuple(claims.values())
    rises = (list(claims), [claim.printed or claim.number for claim in given])
    if any(numbers == sorted(numbers) for numbers in rises):
        return given
    record.repaired(f"{name}s put in the order of their numbers")
    return tuple(claims[number] for number in sorted(claims))


def _printed(record: Record, here: str, given: Any) -> int:  # noqa: ANN401  (as JSON gave it)
    return 0 if missing(given) or given == 0 else record.as_number(f"{here} printed number", given)


def _numbers(record: Record, items: Items, name: str = "claim") -> list[int]:
    """Assign each claim its number, and 0 to claims that must be left out.

    A number that cannot be one is replaced by the next free one; of two claims with one number
    the first is kept, since other claims refer to it.
    """
    values = [item.get("number") if isinstance(item, Mapping) else None for _, item in items]
    asked = [claim_number(value) for value in values]
    taken, counted = set(asked), not any(asked)  # where none is given, the place is the number
    numbers: list[int] = []
    used: set[int] = set()
    last = 0
    for (place, item), value, number in zip(items, values, asked, strict=True):
        here, free = f"{name} {place}: number {shown(value)}", last + 1 not in taken
        chosen = number if number not in used else 0
        if number and not chosen:
            record.lost(f"{name} {place}: a second claim {number}")
        elif not number and free:
            chosen = last + 1
        if isinstance(item, Mapping) and not number and not (counted and value is None):
            note = record.repaired if free else record.lost
            note(f"{here} taken as {chosen}" if free else f"{here}, and no number is free")
        elif chosen and number and type(value) is not int:
            record.repaired(f"{here} taken as {chosen}")
        used.add(chosen)
        last = chosen or last
        numbers.append(chosen)
    return numbers


def _patent(
    record: Record, number: str, claims: tuple[Sequence[Claim], Sequence[int]], exact: bool = False
) -> Patent:
    """Join the claims and all other parts; those of an ``exact`` row, our own, are taken as they are."""
    folded: Callable[[str], str] = str if exact else normal.fold
    others: dict[str, Any] = {
        name: _plain(record, name) for name in (*TEXTS, *LISTS) if name not in _SPECIAL
    }
    for name in _PROSE:
        others[name] = folded(record.text(name, prose=True))
    return Patent(
        number=number,
        claims=tuple(claims[0]),
        cancelled=tuple(claims[1]),
        kind=record.text("kind") or ("" if exact else normal.parts(number)[2]),
        language=_language(record, claims[0]),
        citations=tuple(
            filter(None, (_citation(record, one) for one in record.items("citations")))
        ),
        translations=_translations(record),
        **others,
    )


_PROSE = ("title", "abstract", "description")
_SPECIAL = ("number", "kind", "language", "cancelled", *_PROSE)
_OTHER_KEYS = {
    "family": ("family_key", "family_id"),
    "filing_date": ("date",),
    "assignees": ("assignee", "applicants", "applicant"),
    "inventors": ("inventor",),
}
"""Field → the keys that other collections have for it."""


def _plain(record: Record, name: str) -> Any:  # noqa: ANN401  (a text or a tuple of texts)
    """Read a field that needs nothing but its own value."""
    keys = (name, *_OTHER_KEYS.get(name, ()))
    if name.endswith("_date"):
        return record.date(*keys)
    if name in TEXTS:
        return record.text(*keys)
    if name in ("ipc", "cpc"):
        return record.symbols(name)
    return tuple(record.names(*keys) if name in _OTHER_KEYS else record.texts(name))


def _language(record: Record, claims: Sequence[Claim]) -> str:
    given = record.text("language", "lang")
    code = normal.language(given, "")
    if code or not given.strip() or given.strip().lower() == "xx":
        return code or "en"
    code = detect(" ".join(claim.text for claim in claims[:20]))
    record.repaired(f"language {shown(given)} is not known, taken as '{code}'")
    return code


def _translations(record: Record) -> dict[str, tuple[Claim, ...]]:
    given = record.row.get("translations")
    if missing(given):
        return {}
    pairs: list[tuple[Any, Any]] = []
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, list):  # the Parquet form
        pairs = [
            (one.get("language"), one.get("claims")) for one in given if isinstance(one, Mapping)
        ]
    if not pairs:
        record.lost(f"translations is {shown(given)}, not an object")
    sets: dict[str, tuple[Claim, ...]] = {}
    for said, claims in pairs:
        code = normal.language(said, "") if isinstance(said, str) else ""
        if not code or not isinstance(claims, list):
            if claims is not None:
                record.lost(f"the translation {shown(said)} is {shown(claims)}")
            continue
        items = [
            (place, one)
            for place, one in enumerate(claims, start=1)
            if _has_text(record, place, one if isinstance(one, Mapping) else None)
        ]
        sets[code] = _exact(record, items, f"{code} claim")
    return sets


def _without_cut(record: Record, items: Items) -> Items:
    """Leave out a last claim inside which the source cut its text."""
    cut = record.row.get("cut_claim")
    return items[:-1] if items and cut is not None and items[-1][1] == cut else items


_HOLDS_CANCELLED = re.compile(r"\d\s*\.?\s*\(?cancell?ed", re.IGNORECASE)


def _small_claims(record: Record, items: Items) -> tuple[tuple[Claim, ...], tuple[int, ...]]:
    """Take the place as the number: a plain list has no other.

    A heading is not a claim; an item that says "1-20. (canceled) 21. …" is several.
    """
    tagged: list[Tagged] = []
    gone: list[int] = []
    last = 0
    numbers = _numbers(record, items) if any(isinstance(i, Mapping) for _, i in items) else ()
    for index, (_, one) in enumerate(items):
        given = numbers[index] if isinstance(one, Mapping) else last + 1
        text = one["text"] if isinstance(one, Mapping) else one
        if not given:
            continue
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
            last = given
            tagged.append(Tagged(text, str(last)))
    claims, more = number_claims(tagged)
    return claims, tuple(sorted({*gone, *more}))


def _citation(record: Record, given: Any) -> Citation | None:  # noqa: ANN401  (number or object)
    if isinstance(given, str) and given.strip():
        return Citation(normal.whole_number(given))
    document = given.get("document") if isinstance(given, Mapping) else None
    if document is None:
        record.lost(f"citation {shown(given)} is not a document")
        return None
    category = record.as_text("category", given.get("category") or "")
    kind = "other" if given.get("kind") == "other" else "patent"
    return Citation(record.as_text("citation", document), category, kind)

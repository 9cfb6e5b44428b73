"""What a search means, before anything is encoded.

In:   text that was typed or pasted, or a file: words, a number or claims.
Out:  the patent number, the claims or the words, and the filters.
Why:  the command line, the service and a file of queries must read the same words alike."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from phage.claims.language import detect
from phage.claims.normal import fold, shortened
from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.searching.filters import Filters, parse, restriction
from phage.searching.numbers import recognised

_FIRST, _SECOND = (re.compile(rf"(?:^|\n)[^\S\n]*{number}\s*[.)]\s") for number in (1, 2))
REMEDY = "number them '1.', '2.', … each on a line of its own"
NOTHING = "the query is empty"
_SOME = "give some words, a number, or a claim"
_BETWEEN = re.compile(r"[;\n]|,\s|\s(?:and|or)\s|\s(?=[A-Z]{2}[\s-]?\d)", re.IGNORECASE)


class Kind(StrEnum):
    """What a query was taken for."""

    TEXT = "text"
    CLAIMS = "claims"
    NUMBER = "number"
    FIELDS = "fields"
    """Only fields: every patent that meets them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One query, understood."""

    kind: Kind
    words: str
    """The query without its fields; a number as it was written."""
    patent: Patent | None = None
    """The claims searched with."""
    filters: Filters = field(default_factory=Filters)

    @property
    def meant(self) -> str | Patent:
        """What is encoded."""
        return self.words if self.patent is None else self.patent


def understand(query: str, more: str = "", claims: Sequence[Claim] = ()) -> Asked:
    r"""Decide whether a query is a number, claims or words; ``more`` holds fields given separately.

    >>> understand("US 8,621,662 B2 date:2014..").kind, understand("a pump").kind
    (<Kind.NUMBER: 'number'>, <Kind.TEXT: 'text'>)
    >>> understand("1. A pump.\n2. The pump of claim 1.").kind
    <Kind.CLAIMS: 'claims'>
    """
    filters = restriction(more)
    if claims:
        return Asked(Kind.CLAIMS, "", Patent("query", tuple(claims)), filters)
    if has_numbered_claims(query):
        return Asked(Kind.CLAIMS, query, drafted(query, "query"), filters)
    words, own = parse(query)
    both = " AND ".join(filter(None, (own.condition, filters.condition)))
    said = " ".join(filter(None, (own.text, filters.text)))
    filters = Filters(both, said, (*own.phrases, *filters.phrases))
    if not words:
        if not both:
            raise PhageError(NOTHING, remedy=_SOME)
        return Asked(Kind.FIELDS, "", None, filters)
    if not any(map(str.isalnum, words)):
        raise PhageError(f"the query '{shortened(words, 60)}' holds no word", remedy=_SOME)
    if not own.phrases and _several_numbers(words):
        raise PhageError(
            "these are several numbers",
            remedy="search for one; or for patents near all of them: --like NUMBER --like NUMBER",
        )
    kind = Kind.NUMBER if recognised(words) and not own.phrases else Kind.TEXT
    return Asked(kind, words, None, filters)


def from_file(path: Path | str, more: str = "") -> Asked:
    """Search with the claims of a draft or of the first patent of a file; ``-`` is standard input."""
    from phage.claims import ReadReport, read

    report = ReadReport()
    found = next(iter(read(str(path), report=report)), None)
    if found is None and report.problems:
        raise report.nothing(str(path))
    if found is None or not found.claims:
        raise PhageError("no claims were found in this file", place=str(path), remedy=REMEDY)
    return Asked(Kind.CLAIMS, found.number, found, restriction(more))


def _several_numbers(words: str) -> bool:
    """Return whether a text is a list of numbers, which cannot be searched for as words.

    >>> _several_numbers("US8621662B2, EP 1 234 567"), _several_numbers("US 8,621,662 B2")
    (True, False)
    """
    pieces = [piece for piece in _BETWEEN.split(words) if piece.strip()]
    return len(pieces) > 1 and not recognised(words) and all(map(recognised, pieces))


def has_numbered_claims(query: str) -> bool:
    r"""Return whether lines of a query open with 1 and, later, with 2.

    >>> has_numbered_claims("1. A pump.\n2. It."), has_numbered_claims("1. A pump with 2. seals")
    (True, False)
    """
    first = _FIRST.search(query)
    return first is not None and _SECOND.search(query, first.end()) is not None


def drafted(text: str, name: str) -> Patent:
    """Split a text into claims; one without numbers is taken for one claim."""
    from phage.claims.readers import draft  # a search by number needs no reader
    from phage.claims.readers.documents import Malformed

    try:
        return draft.patent(text, name, descriptions=True)
    except Malformed:
        if not text.strip():
            raise PhageError("no claims were found", remedy=REMEDY) from None
        return Patent(name, (Claim(1, fold(text)),), language=detect(text))

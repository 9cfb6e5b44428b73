"""A patent as all later steps see it.

In:   what a reader found in a file.
Out:  Patent and Claim, frozen; one JSON form for files and scripts.
Why:  twelve formats end here, so that nothing later knows any of them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, TypeVar

from phage.claims.normal import shortened
from phage.errors import PhageError, given

T = TypeVar("T")
_WRITE = 'write Patent("draft", (Claim(1, "A pump."), Claim(2, "The pump of claim 1.")))'


def _if_any(empty: T) -> T:
    """Mark a field that the JSON form leaves out where it is empty."""
    made: T = field(default=empty, metadata={"optional": True})
    return made


@dataclass(frozen=True, slots=True)
class Claim:
    """One numbered claim."""

    number: int
    """As printed."""
    text: str
    """Without its number; white space folded to single blanks."""
    span: tuple[int, int] | None = None
    """Where ``text`` stood in the text that it was split from; empty if it was not split."""
    references: tuple[int, ...] = ()
    """Claims that the office tagged in this one (``claim-ref``), without corrections."""
    printed: int = 0
    """The printed number if another claim has it as ``number``; otherwise 0."""

    def __repr__(self) -> str:
        """Describe it in one line.

        >>> Claim(1, "A pump comprising a shaft, a bearing that holds the shaft, and a hollow rotor.")
        Claim(1, 'A pump comprising a shaft, a bearing that holds the shaft, …')
        """
        return f"Claim({self.number}, {shortened(self.text, 60)!r})"


@dataclass(frozen=True, slots=True)
class Citation:
    """A document this patent cites."""

    document: str
    """``US5123456A`` for a patent; the reference's text for other literature."""
    category: str = ""
    """As the office gives it: ``cited by examiner``, ``X``, …"""
    kind: str = "patent"
    """``patent`` or ``other``."""


@dataclass(frozen=True, slots=True)
class Patent:
    """One publication of one invention."""

    number: str
    """Office, number and kind without blanks: ``US8621662B2``."""
    claims: tuple[Claim, ...] = ()
    """In the publication's own language, in printed order, cancelled ones left out."""
    application: str = ""
    """Office and number of the application: ``US13123456``."""
    family: str = ""
    """As the source names it; otherwise the first application that the patent goes back to."""
    kind: str = ""
    """Kind code: ``B2``."""
    language: str = "en"
    """Of the claims: two letters, lower case."""
    title: str = ""
    """In the publication's own language, or in English if the source has only that."""
    abstract: str = ""
    """As the title."""
    description: str = _if_any("")
    """Kept only on request (``--descriptions``)."""
    ipc: tuple[str, ...] = ()
    """Normal form ``H02M 7/493``; the main one first."""
    cpc: tuple[str, ...] = ()
    """As ``ipc``."""
    filing_date: str = ""
    """``YYYY-MM-DD``, or empty."""
    publication_date: str = ""
    """As ``filing_date``."""
    citations: tuple[Citation, ...] = ()
    """Documents that it cites."""
    related: tuple[str, ...] = _if_any(())
    """Applications this one continues or divides, as ``US12123456``."""
    publications: tuple[str, ...] = _if_any(())
    """Other publications of the same application: the grant ``US9123456`` of an application."""
    assignees: tuple[str, ...] = _if_any(())
    """Assignees, or applicants if no assignee is printed; names as printed."""
    inventors: tuple[str, ...] = _if_any(())
    """In reading order: ``Jane Doe``."""
    priorities: tuple[str, ...] = _if_any(())
    """Applications whose priority is claimed, as ``JP2004123456``."""
    priority_date: str = _if_any("")
    """Date of the earliest application that this one goes back to."""
    cancelled: tuple[int, ...] = _if_any(())
    """Claim numbers printed as cancelled."""
    translations: Mapping[str, tuple[Claim, ...]] = field(default_factory=dict, hash=False)
    """Claim sets in other languages (EP grants carry three)."""

    def __post_init__(self) -> None:
        """Refuse claims that are plain texts: nothing later could say what is wrong with them."""
        given(self.claims, (tuple, list), _WRITE)
        for one in self.claims:
            given(one, Claim, _WRITE)

    def __repr__(self) -> str:
        """Describe it in one line.

        >>> Patent("US1A", (Claim(1, "A pump."),), title="Pump", publication_date="2014-01-07")
        Patent('US1A', 'Pump', 1 claims, en, 2014-01-07)
        """
        parts = [repr(self.number), repr(shortened(self.title, 60)) if self.title else ""]
        parts += [f"{len(self.claims)} claims", self.language, self.publication_date]
        return f"Patent({', '.join(filter(None, parts))})"

    def _repr_html_(self) -> str:
        """Show it in a notebook: what it is, its claim graph, its claims."""
        # By its name: the drawing belongs to a later step, which this module must not know.
        drawing = importlib.import_module("phage.graph.drawing.notebook")
        return str(drawing.patent_html(self))

    @property
    def office(self) -> str:
        """Two letters: ``US``."""
        return self.number[:2]

    @property
    def named_family(self) -> str:
        """The family that the source itself names; empty if PHAGE computed it from the filings.

        Splits and training sets go by this one: a computed family would move patents between
        parts that were published before families were computed.

        >>> Patent("US1A", application="US7", family="US7").named_family
        ''
        """
        filings = (self.application, *self.related, *self.priorities)
        return "" if self.family in filings else self.family

    @property
    def subclass(self) -> str:
        """Main IPC subclass, ``H02M``; empty where there is none.

        >>> Patent("US1A", ipc=("H02M 7/493",)).subclass
        'H02M'
        """
        return self.ipc[0].split(" ")[0] if self.ipc else ""

    def in_language(self, language: str) -> Patent:
        """Return the same patent with the claims of another language version."""
        if language == self.language:
            return self
        if language not in self.translations:
            known = ", ".join([self.language, *self.translations])
            raise PhageError(f"{self.number} has no claims in '{language}'", remedy=f"use {known}")
        others = {**self.translations, self.language: self.claims}
        claims = others.pop(language)
        return replace(self, language=language, claims=claims, translations=others)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; empty optional parts are left out."""
        row = asdict(self)
        for name in _OPTIONAL:
            if not row[name]:
                del row[name]
        row["claims"] = [_claim_json(claim) for claim in self.claims]
        if self.translations:
            row["translations"] = {
                code: [_claim_json(claim) for claim in claims]
                for code, claims in self.translations.items()
            }
        return row

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Patent:
        """Read the JSON form back.

        >>> patent = Patent("US1A", (Claim(1, "A pump."),), ipc=("F04B 1/00",))
        >>> Patent.from_json(patent.to_json()) == patent
        True
        """
        values = {name: row[name] for name in TEXTS if row.get(name) is not None}
        for name in LISTS:
            values[name] = tuple(row.get(name) or ())
        return cls(
            **values,
            claims=tuple(map(_claim, row.get("claims") or ())),
            citations=tuple(
                Citation(c["document"], c.get("category") or "", c.get("kind") or "patent")
                for c in row.get("citations") or ()
            ),
            translations={
                code: tuple(map(_claim, claims))
                for code, claims in (row.get("translations") or {}).items()
                if claims is not None
            },
        )


TEXTS = tuple(one.name for one in fields(Patent) if one.type == "str")
LISTS = tuple(
    one.name for one in fields(Patent) if one.type in ("tuple[str, ...]", "tuple[int, ...]")
)
"""Fields of a patent that are a text, and those that are a list of texts or numbers."""
_OPTIONAL = ("translations", *(one.name for one in fields(Patent) if one.metadata))
WRITTEN = frozenset(one.name for one in fields(Patent)).difference(_OPTIONAL)
"""Fields that every row of our own has, empty or not."""


def _claim_json(claim: Claim) -> dict[str, Any]:
    row: dict[str, Any] = {"number": claim.number, "text": claim.text}
    if claim.span is not None:
        row["span"] = list(claim.span)
    if claim.references:
        row["references"] = list(claim.references)
    if claim.printed:
        row["printed"] = claim.printed
    return row


def _claim(row: Mapping[str, Any]) -> Claim:
    span = row.get("span")
    return Claim(
        int(row["number"]),
        row["text"],
        (int(span[0]), int(span[1])) if span else None,
        tuple(row.get("references") or ()),
        int(row.get("printed") or 0),
    )

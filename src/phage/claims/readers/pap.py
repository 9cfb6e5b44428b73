"""USPTO application publications of 2001 to 2004 (PAP v1.x).

In:   one ``patent-application-publication`` document.
Out:  a patent, with the office's claim references where it has them.
Why:  the first four years of published applications came in a format of their own."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import application, classifications, date, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed, found, paragraphs, set_apart, text
from phage.claims.readers.filings import Filing, lineage, names
from phage.claims.types import Patent

_BLOCKS = (
    "br",
    "entry",
    "row",
    "paragraph",
    "math-cwu",
    "chemistry-cwu",
    "table-cwu",
    "in-line-formula",
)


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    bib = root.find("subdoc-bibliographic-information")
    number = found(bib, "document-id/doc-number")
    if bib is None or not number:
        raise Malformed("no publication number")
    kind = found(bib, "document-id/kind-code")
    filed = bib.find("domestic-filing-data")
    series = found(filed, "application-number-series-code")
    applied = found(filed, "application-number/doc-number")
    own = application("US", applied if len(applied) > 6 else series + applied)
    claims, gone = number_claims(list(_claims(root)))
    return Patent(
        number=publication("US", number, kind),
        claims=claims,
        kind=kind,
        title=found(bib, "technical-information/title-of-invention"),
        abstract=_abstract(root),
        description=paragraphs(root.find("subdoc-description")) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        publication_date=date(found(bib, "document-id/document-date")),
        assignees=names(found(one, "organization-name") for one in bib.iterfind("assignee")),
        inventors=names(map(_name, bib.iterfind("inventors/*"))),
        cancelled=gone,
        **lineage(Filing(own, date(found(filed, "filing-date"))), _priorities(bib), _related(bib)),
    )


def _abstract(root: etree._Element) -> str:
    return " ".join(filter(None, map(text, root.iterfind("subdoc-abstract/paragraph"))))


def _claims(root: etree._Element) -> Iterator[Tagged]:
    holder = root.find("subdoc-claims")
    if holder is None:
        return
    set_apart(holder, _BLOCKS)
    for part in holder.iter("claim-text"):
        # Inside a reference "claim-text" is a word of the sentence, elsewhere a part of the claim.
        parent = part.getparent()
        if parent is not None and parent.tag == "claim-text" and part.text:
            part.text = f" {part.text}"
    for claim in holder.iter("claim"):
        ids = tuple(
            one
            for reference in claim.iter("dependent-claim-reference")
            for one in (reference.get("depends_on") or "").split()
        )
        label = (claim.get("id") or "").removeprefix("CLM-")
        yield Tagged(text(claim), label, claim.get("id") or "", ids)


def _ipc(bib: etree._Element) -> Iterator[str]:
    holder = bib.find("technical-information/classification-ipc")
    if holder is not None:
        for symbol in holder.iter("ipc"):
            yield symbol.text or ""


def _name(inventor: etree._Element) -> str:
    parts = ("name-prefix", "given-name", "middle-name", "family-name", "name-suffix")
    return " ".join(found(inventor, f"name/{part}") for part in parts)


def _priorities(bib: etree._Element) -> Iterator[Filing]:
    for claim in bib.iter("foreign-priority-data"):
        number = found(claim, "priority-application-number/doc-number")
        yield Filing(
            application(found(claim, "country-code"), number), date(found(claim, "filing-date"))
        )


def _related(bib: etree._Element) -> Iterator[Filing]:
    holder = bib.find("continuity-data")
    if holder is None:
        return
    for relation in holder.iter("parent", "non-provisional-of-provisional"):
        number = found(relation, "document-id/doc-number")
        if number:
            office = found(relation, "document-id/country-code") or "US"
            filed = date(found(relation, "document-id/document-date"))
            yield Filing(application(office, number), filed)

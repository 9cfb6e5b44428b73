"""USPTO Redbook XML, grants and applications, 2005 to today (v4.0 to v4.7).

In:   a weekly file of many documents one after another, or a single one.
Out:  patents, with the office's claim references.
Why:  this is where the world's full claim texts are published every week."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import application, classifications, date, language, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed, found, text
from phage.claims.types import Citation, Patent

ROOTS = ("us-patent-grant", "us-patent-application")
START = re.compile(rb"<\?xml[ \t]")
BLOCKS = ("br", "entry", "row", "p", "li", "dd", "dt", "maths", "chemistry", "tables")
"""Elements that stand apart from the words before and after them."""


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    bib = root.find("us-bibliographic-data-grant")
    if bib is None:
        bib = root.find("us-bibliographic-data-application")
    if bib is None:
        raise Malformed("no bibliographic data")
    published = bib.find("publication-reference/document-id")
    number = _number(published)
    if published is None or not number:
        raise Malformed("no publication number")
    applied = bib.find("application-reference/document-id")
    claims, gone = number_claims(list(_claims(root)))
    return Patent(
        number=number,
        claims=claims,
        application="" if applied is None else _application(applied),
        kind=found(published, "kind"),
        language=language(root.get("lang") or ""),
        title=found(bib, "invention-title"),
        abstract=text(root.find("abstract")),
        description=text(root.find("description")) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        cpc=classifications(_cpc(bib)),
        filing_date=date(found(applied, "date")) if applied is not None else "",
        publication_date=date(found(published, "date")),
        citations=tuple(_citations(bib)),
        related=tuple(_related(bib)),
        cancelled=gone,
    )


def _number(document: etree._Element | None) -> str:
    if document is None:
        return ""
    country = document.findtext("country") or "US"
    number = document.findtext("doc-number") or ""
    return publication(country, number, document.findtext("kind") or "")


def _application(document: etree._Element) -> str:
    return application(document.findtext("country") or "US", document.findtext("doc-number") or "")


def _claims(root: etree._Element) -> Iterator[Tagged]:
    claims = root.find("claims")
    if claims is None:
        return
    for block in claims.iter("claim-text", *BLOCKS):
        _set_apart(block)
    for claim in claims.iter("claim"):
        references = [ref.get("idref") or "" for ref in claim.iter("claim-ref")]
        ids = tuple(one for idref in references for one in idref.split())
        yield Tagged(text(claim), claim.get("num") or "", claim.get("id") or "", ids)


def _set_apart(block: etree._Element) -> None:
    if len(block) == 0 and not block.text:
        block.text = " "
    elif block.text:
        block.text = f" {block.text}"
    if block.tail and not block.tail[0].isspace() and block.tail[0] not in ",.;:)":
        block.tail = f" {block.tail}"


def _ipc(bib: etree._Element) -> Iterator[str]:
    main: list[str] = []
    others: list[str] = []
    for group in bib.iterfind("classifications-ipcr/classification-ipcr"):
        symbol = _symbol(group)
        (main if group.findtext("symbol-position") == "F" else others).append(symbol)
    yield from main
    yield from others
    older = bib.find("classification-ipc")
    if older is not None:
        for one in older.iter("main-classification", "further-classification"):
            yield one.text or ""


def _cpc(bib: etree._Element) -> Iterator[str]:
    holder = bib.find("classifications-cpc")
    if holder is not None:
        yield from map(_symbol, holder.iter("classification-cpc"))


def _symbol(group: etree._Element) -> str:
    parts = {part.tag: part.text or "" for part in group}
    subclass = f"{parts.get('section', '')}{parts.get('class', '')}{parts.get('subclass', '')}"
    if "main-group" not in parts:
        return subclass or text(group)
    return f"{subclass} {parts['main-group']}/{parts.get('subgroup', '00')}"


def _citations(bib: etree._Element) -> Iterator[Citation]:
    for one in bib.iter("us-citation", "citation"):
        category = one.findtext("category") or ""
        document = one.find("patcit/document-id")
        if document is not None:
            yield Citation(_number(document), category)
        elif (other := one.find("nplcit")) is not None:
            yield Citation(text(other), category, "other")


def _related(bib: etree._Element) -> Iterator[str]:
    holder = bib.find("us-related-documents")
    if holder is None:
        return
    for parent in holder.iterfind(".//parent-doc/document-id"):
        yield _application(parent)
    for provisional in holder.iterfind("us-provisional-application/document-id"):
        yield _application(provisional)

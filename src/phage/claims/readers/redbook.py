"""USPTO Redbook XML, grants and applications, 2005 to today (v4.0 to v4.7).

In:   one document.
Out:  a patent, with the office's claim references.
Why:  this is where full claim texts are published every week."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import application, classifications, date, language, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed, found, paragraphs, set_apart, text
from phage.claims.types import Citation, Patent

BLOCKS = ("claim-text", "br", "entry", "row", "p", "li", "dd", "dt", "maths", "chemistry", "tables")
"""Elements that stand apart from the words before and after them."""


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    bib = root.find("us-bibliographic-data-grant")
    if bib is None:
        bib = root.find("us-bibliographic-data-application")
    published = None if bib is None else bib.find("publication-reference/document-id")
    number = "" if published is None else document_number(published)
    if bib is None or published is None or not number:
        raise Malformed("no publication number")
    applied = bib.find("application-reference/document-id")
    claims, gone = number_claims(list(tagged_claims(root.find("claims"))))
    return Patent(
        number=number,
        claims=claims,
        application="" if applied is None else _application(applied),
        kind=found(published, "kind"),
        language=language(root.get("lang") or ""),
        title=found(bib, "invention-title"),
        abstract=text(root.find("abstract")),
        description=paragraphs(root.find("description")) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        cpc=classifications(_cpc(bib)),
        filing_date=date(found(applied, "date")),
        publication_date=date(found(published, "date")),
        citations=tuple(_citations(bib)),
        related=tuple(dict.fromkeys(_related(bib))),
        cancelled=gone,
    )


def declared(root: etree._Element) -> int | None:
    """Give the number of claims that the document says it has; reissues count otherwise."""
    said = root.findtext("us-bibliographic-data-grant/number-of-claims") or ""
    return int(said) if said.isdecimal() and "RE" not in (root.get("file") or "") else None


def document_number(document: etree._Element) -> str:
    """Join the parts of a document-id."""
    country = number = kind = ""
    for part in document:  # one pass: a week holds two hundred thousand of these
        if part.tag == "doc-number":
            number = part.text or ""
        elif part.tag == "country":
            country = part.text or ""
        elif part.tag == "kind":
            kind = part.text or ""
    return publication(country or "US", number, kind)


def _application(document: etree._Element) -> str:
    return application(document.findtext("country") or "US", document.findtext("doc-number") or "")


def tagged_claims(claims: etree._Element | None) -> Iterator[Tagged]:
    """Give the claims of one claims element, as they are tagged."""
    if claims is None:
        return
    set_apart(claims, BLOCKS)
    for claim in claims.iter("claim"):
        references = [ref.get("idref") or "" for ref in claim.iter("claim-ref")]
        ids = tuple(one for idref in references for one in idref.split())
        yield Tagged(text(claim), claim.get("num") or "", claim.get("id") or "", ids)


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
        category = document = other = None
        for part in one:
            if part.tag == "patcit":
                document = part.find("document-id")
            elif part.tag == "category":
                category = part.text
            elif part.tag == "nplcit":
                other = part
        if document is not None:
            yield Citation(document_number(document), category or "")
        elif other is not None:
            yield Citation(text(other), category or "", "other")


def _related(bib: etree._Element) -> Iterator[str]:
    holder = bib.find("us-related-documents")
    if holder is None:
        return
    for parent in holder.iter("parent-doc", "us-provisional-application"):
        document = parent.find("document-id")
        if document is not None:
            yield _application(document)

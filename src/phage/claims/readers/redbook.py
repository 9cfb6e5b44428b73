"""USPTO Redbook XML, grants and applications, 2005 to today (v4.0 to v4.7).

In:   one document.
Out:  a patent, with the office's claim references.
Why:  this is where full claim texts are published every week."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import application, classifications, date, language, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed, paragraphs, set_apart, text
from phage.claims.types import Citation, Patent

BLOCKS = ("claim-text", "br", "entry", "row", "p", "li", "dd", "dt", "maths", "chemistry", "tables")
"""Elements that stand apart from the words before and after them."""


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    bib = root.find("us-bibliographic-data-grant")
    if bib is None:
        bib = root.find("us-bibliographic-data-application")
    # One look at all parts: each search of its own would go through them again.
    parts = {} if bib is None else {str(part.tag): part for part in reversed(bib)}
    published = found_element(parts.get("publication-reference"), "document-id")
    number = "" if published is None else document_number(published)
    if published is None or not number:
        raise Malformed("no publication number")
    applied = found_element(parts.get("application-reference"), "document-id")
    claims, gone = number_claims(list(tagged_claims(root.find("claims"))))
    return Patent(
        number=number,
        claims=claims,
        application="" if applied is None else _application(applied),
        kind=published.findtext("kind") or "",
        language=language(root.get("lang") or ""),
        title=text(parts.get("invention-title")),
        abstract=text(root.find("abstract")),
        description=paragraphs(root.find("description")) if descriptions else "",
        ipc=classifications(_ipc(parts)),
        cpc=classifications(_cpc(parts)),
        filing_date="" if applied is None else date(applied.findtext("date") or ""),
        publication_date=date(published.findtext("date") or ""),
        citations=tuple(_citations(parts)),
        related=tuple(dict.fromkeys(_related(parts))),
        cancelled=gone,
    )


Parts = dict[str, etree._Element]


def found_element(holder: etree._Element | None, name: str) -> etree._Element | None:
    """Give the first child of a name, where there is one."""
    return None if holder is None else holder.find(name)


def declared(root: etree._Element) -> int | None:
    """Give the number of claims that the document says it has; reissues count otherwise."""
    said = root.findtext("us-bibliographic-data-grant/number-of-claims") or ""
    return int(said) if said.isdecimal() and "RE" not in (root.get("file") or "") else None


def document_number(document: etree._Element) -> str:
    """Join the parts of a document-id."""
    country = document.findtext("country") or "US"
    number = document.findtext("doc-number") or ""
    return publication(country, number, document.findtext("kind") or "")


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


def _ipc(bib: Parts) -> Iterator[str]:
    main: list[str] = []
    others: list[str] = []
    for group in bib.get("classifications-ipcr", ()):
        symbol = _symbol(group)
        (main if group.findtext("symbol-position") == "F" else others).append(symbol)
    yield from main
    yield from others
    older = bib.get("classification-ipc")
    if older is not None:
        for one in older.iter("main-classification", "further-classification"):
            yield one.text or ""


def _cpc(bib: Parts) -> Iterator[str]:
    holder = bib.get("classifications-cpc")
    if holder is not None:
        yield from map(_symbol, holder.iter("classification-cpc"))


def _symbol(group: etree._Element) -> str:
    parts = {part.tag: part.text or "" for part in group}
    subclass = f"{parts.get('section', '')}{parts.get('class', '')}{parts.get('subclass', '')}"
    if "main-group" not in parts:
        return subclass or text(group)
    return f"{subclass} {parts['main-group']}/{parts.get('subgroup', '00')}"


def _citations(bib: Parts) -> list[Citation]:
    """Read the cited documents in one flat pass.

    A week cites 240,000; looking each one's parts up would take as long as all the rest.
    """
    holder = bib.get("us-references-cited", bib.get("references-cited"))
    cited: list[tuple[str, str, str, str, str]] = []
    country = number = kind = other = category = ""
    for element in () if holder is None else holder.iter(*_CITED):
        name = element.tag
        if name == "doc-number":
            number = number or element.text or ""
        elif name == "country":
            if not number:  # later ones are a class's
                country = element.text or ""
        elif name == "kind":
            kind = element.text or ""
        elif name == "category":
            category = element.text or ""
        elif name == "nplcit":
            other = text(element)
        else:
            cited.append((country, number, kind, other, category))
            country = number = kind = other = category = ""
    cited.append((country, number, kind, other, category))
    return [
        Citation(other, category, "other")
        if other
        else Citation(publication(country or "US", number, kind), category)
        for country, number, kind, other, category in cited
        if number or other
    ]


_CITED = ("us-citation", "citation", "nplcit", "country", "doc-number", "kind", "category")


def _related(bib: Parts) -> Iterator[str]:
    holder = bib.get("us-related-documents")
    if holder is None:
        return
    for parent in holder.iter("parent-doc", "us-provisional-application"):
        document = parent.find("document-id")
        if document is not None:
            yield _application(document)

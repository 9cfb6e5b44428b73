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
from phage.claims.readers.filings import Filing, lineage, names
from phage.claims.readers.redbook_citations import citations, shortened
from phage.claims.types import Patent

BLOCKS = ("claim-text", "br", "entry", "row", "p", "li", "dd", "dt", "maths", "chemistry", "tables")
"""Elements that stand apart from the words before and after them."""


_UNREAD = (b"drawings", b"description")
LARGE = 1 << 16
"""Bytes of a document from which on cutting takes less time than parsing."""


def lean(document: bytes, descriptions: bool) -> bytes:
    """Shorten what is long, before it is parsed: the parts that nobody reads, and citations.

    In full weeks that is nine tenths.

    >>> lean(b"<a><description>y</description>" + b" " * LARGE + b"</a>", False).split()
    [b'<a>', b'</a>']
    """
    unread = _UNREAD[: len(_UNREAD) - descriptions] if len(document) >= LARGE else ()
    for name in unread:
        begin = document.find(b"<" + name)
        if begin >= 0 and document[begin + len(name) + 1 : begin + len(name) + 2] in b"> ":
            end = document.find(b"</" + name + b">", begin)
            if end >= 0:
                document = document[:begin] + document[end + len(name) + 3 :]
    return shortened(document)


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
    parties = parts.get("us-parties", parts.get("parties"))
    claims, gone = number_claims(list(tagged_claims(root.find("claims"))))
    return Patent(
        number=number,
        claims=claims,
        kind=published.findtext("kind") or "",
        language=language(root.get("lang") or ""),
        title=text(parts.get("invention-title")),
        abstract=text(root.find("abstract")),
        description=paragraphs(root.find("description")) if descriptions else "",
        ipc=classifications(_ipc(parts)),
        cpc=classifications(_cpc(parts)),
        publication_date=date(published.findtext("date") or ""),
        citations=tuple(citations(parts.get("us-references-cited", parts.get("references-cited")))),
        assignees=names(_owners(parts), _names(parties, "applicants")),
        inventors=names(_names(parties, "inventors"), _names(parties, "applicants")),
        cancelled=gone,
        **lineage(
            Filing("") if applied is None else _filing(applied), _priorities(parts), _related(parts)
        ),
    )


Parts = dict[str, etree._Element]


def found_element(holder: etree._Element | None, name: str) -> etree._Element | None:
    """Return the first child of a name, where there is one."""
    return None if holder is None else holder.find(name)


def declared(root: etree._Element) -> int | None:
    """Return the number of claims that the document says it has; reissues count otherwise."""
    said = root.findtext("us-bibliographic-data-grant/number-of-claims") or ""
    return int(said) if said.isdecimal() and "RE" not in (root.get("file") or "") else None


def document_number(document: etree._Element) -> str:
    """Join the parts of a document-id."""
    part = _texts(document)
    return publication(
        part.get("country") or "US", part.get("doc-number") or "", part.get("kind") or ""
    )


def _texts(holder: etree._Element) -> dict[str, str]:
    return {str(part.tag): part.text or "" for part in holder}


def _filing(document: etree._Element) -> Filing:
    part = _texts(document)
    number = application(part.get("country") or "US", part.get("doc-number") or "")
    return Filing(number, date(part.get("date") or ""))


def tagged_claims(claims: etree._Element | None) -> Iterator[Tagged]:
    """Yield the claims of one claims element, as they are tagged."""
    if claims is None:
        return
    set_apart(claims, BLOCKS)
    found: list[tuple[etree._Element, list[str]]] = []
    for element in claims.iter("claim", "claim-ref"):
        if element.tag == "claim":
            found.append((element, []))
        elif found:
            found[-1][1].extend((element.get("idref") or "").split())
    for claim, ids in found:
        yield Tagged(text(claim), claim.get("num") or "", claim.get("id") or "", tuple(ids))


def _ipc(bib: Parts) -> Iterator[str]:
    main: list[str] = []
    others: list[str] = []
    for group in bib.get("classifications-ipcr", ()):
        part = _texts(group)
        (main if part.get("symbol-position") == "F" else others).append(
            _symbol(part) or text(group)
        )
    yield from main
    yield from others
    older = bib.get("classification-ipc")
    if older is not None:
        for one in older.iter("main-classification", "further-classification"):
            yield one.text or ""


def _cpc(bib: Parts) -> Iterator[str]:
    holder = bib.get("classifications-cpc")
    if holder is not None:
        yield from (_symbol(_texts(group)) for group in holder.iter("classification-cpc"))


def _symbol(part: dict[str, str]) -> str:
    subclass = f"{part.get('section', '')}{part.get('class', '')}{part.get('subclass', '')}"
    if "main-group" not in part:
        return subclass
    return f"{subclass} {part['main-group']}/{part.get('subgroup', '00')}"


def _related(bib: Parts) -> Iterator[Filing]:
    holder = bib.get("us-related-documents")
    if holder is None:
        return
    for parent in holder.iter("parent-doc", "us-provisional-application"):
        document = parent.find("document-id")
        if document is not None:
            yield _filing(document)


def _priorities(bib: Parts) -> Iterator[Filing]:
    yield from map(_filing, bib.get("priority-claims", ()))
    international = found_element(bib.get("pct-or-regional-filing-data"), "document-id")
    if international is not None:
        yield _filing(international)


def _owners(bib: Parts) -> Iterator[str]:
    yield from map(_name, bib.get("assignees", ()))


def _names(parties: etree._Element | None, kind: str) -> Iterator[str]:
    for holder in () if parties is None else parties:
        if str(holder.tag).removeprefix("us-") == kind:
            yield from map(_name, holder)


def _name(party: etree._Element) -> str:
    book = party.find("addressbook")
    part = _texts(party if book is None else book)
    person = f"{part.get('first-name', '')} {part.get('last-name', '')}"
    return part.get("orgname") or person

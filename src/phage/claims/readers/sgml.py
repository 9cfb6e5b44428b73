"""USPTO grants of 2001 to 2004 (ST.32: SGML v2.4, then XML v2.5).

In:   one ``PATDOC`` document.
Out:  a patent, with the office's claim references.
Why:  between Greenbook and Redbook; the SGML year leaves empty elements open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import application, classifications, date, publication
from phage.claims.numbering import Tagged, number_claims
from phage.claims.readers.documents import Malformed, found, paragraphs, raw_text, set_apart, text
from phage.claims.readers.filings import Filing, lineage, names
from phage.claims.types import Citation, Patent

_EMPTY = re.compile(
    rb"<(CITED-BY-EXAMINER|CITED-BY-OTHER|B597US|B473US|B221US|EMI|COLSPEC|SPANSPEC|CHEMCDX|CHEMMOL"
    rb"|MATHEMATICA|CUSTOM-CHARACTER|INS-S|INS-E|DEL-S|DEL-E|none|mprescripts)((?:\s[^<>]*|/)?)>"
    rb"(?:</\1>)?"
)
_BLOCKS = ("PARA", "CLMSTEP", "PTEXT", "ENTRY", "ROW", "BR", "CHEM-US", "MATH-US", "TABLE-US")


def closed(document: bytes, descriptions: bool = False) -> bytes:
    """Close the elements that SGML leaves open because they are always empty.

    >>> closed(b"<A><CITED-BY-OTHER><EMI ID=1></A>")
    b'<A><CITED-BY-OTHER/><EMI ID=1/></A>'
    """
    return _EMPTY.sub(
        lambda tag: b"<" + tag[1] + tag[2].removesuffix(b"/").rstrip() + b"/>", document
    )


def patent(root: etree._Element, descriptions: bool = False) -> Patent:
    """Read one document."""
    bib = root.find("SDOBI")
    digits = found(bib, "B100/B110")
    if bib is None or not digits:
        raise Malformed("no publication number")
    kind = found(bib, "B100/B130")
    own = Filing(application("US", found(bib, "B200/B210")), date(found(bib, "B200/B220")))
    claims, gone = number_claims(list(_claims(root)))
    return Patent(
        number=publication(found(bib, "B100/B190") or "US", digits, kind),
        claims=claims,
        kind=kind,
        title=found(bib, "B500/B540"),
        abstract=text(root.find("SDOAB")),
        description=paragraphs(root.find("SDODE")) if descriptions else "",
        ipc=classifications(_ipc(bib)),
        publication_date=date(found(bib, "B100/B140")),
        citations=tuple(_citations(bib)),
        assignees=names(map(_name, bib.iterfind("B700/B730/B731"))),
        inventors=names(map(_name, bib.iterfind("B700/B720/B721"))),
        cancelled=gone,
        **lineage(own, _priorities(bib), _related(bib)),
    )


def declared(root: etree._Element) -> int | None:
    """Return the number of claims that the document says it has; reissues count otherwise."""
    said = found(root, "SDOBI/B500/B570/B577")
    reissue = found(root, "SDOBI/B100/B110").startswith("RE")
    return int(said) if said.isdecimal() and not reissue else None


def _claims(root: etree._Element) -> Iterator[Tagged]:
    holder = root.find("SDOCL")
    if holder is None:
        return
    set_apart(holder, _BLOCKS)
    for claim in holder.iter("CLM"):
        ids = tuple(
            one for ref in claim.iter("CLREF") for one in (ref.get("ID") or "").split() if one
        )
        name = claim.get("ID") or ""
        yield Tagged(text(claim), name.removeprefix("CLM-"), name, ids)


def _ipc(bib: etree._Element) -> Iterator[str]:
    holder = bib.find("B500/B510")
    if holder is not None:
        for symbol in holder.iter("B511", "B512"):
            # Columns matter here ("A47L  514"), so white space must stay as it is.
            yield raw_text(symbol)


def _citations(bib: etree._Element) -> Iterator[Citation]:
    for cited in bib.iter("B561"):
        category = _category(cited)
        country = found(cited, "PCIT/DOC/CTRY") or "US"
        number = found(cited, "PCIT/DOC/DNUM")
        if number:
            yield Citation(publication(country, number, found(cited, "PCIT/DOC/KIND")), category)
    for cited in bib.iter("B562"):
        yield Citation(found(cited, "NCIT"), _category(cited), "other")


def _category(cited: etree._Element) -> str:
    if cited.find("CITED-BY-EXAMINER") is not None:
        return "cited by examiner"
    return "cited by other" if cited.find("CITED-BY-OTHER") is not None else ""


def _name(party: etree._Element) -> str:
    parts = [text(one) for kind in ("ONM", "FNM", "SNM") for one in party.iter(kind)]
    return " ".join(parts)


def _priorities(bib: etree._Element) -> Iterator[Filing]:
    holder = bib.find("B300")
    columns = (
        [] if holder is None else map(text, holder.iter(name)) for name in ("B330", "B310", "B320")
    )
    for office, number, filed in zip(*columns, strict=False):
        yield Filing(application(office, number), date(filed))


def _related(bib: etree._Element) -> Iterator[Filing]:
    holder = bib.find("B600")
    if holder is None:
        return
    for parent in holder.iter("PDOC"):
        number = found(parent, "DOC/DNUM")
        if number:
            yield _filing(parent)
    yield from map(_filing, holder.iter("B680US"))


def _filing(holder: etree._Element) -> Filing:
    number = application(found(holder, "DOC/CTRY") or "US", found(holder, "DOC/DNUM"))
    return Filing(number, date(found(holder, "DOC/DATE")))

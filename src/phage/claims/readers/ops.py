"""Full texts as the EPO's Open Patent Services give them.

In:   one ``ops:world-patent-data`` answer with full-text documents.
Out:  a patent for each, claims split.
Why:  here all claims stand inside one ``claim``, with or without a ``claim-text`` for each."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from phage.claims.normal import date, language, publication
from phage.claims.readers.documents import Malformed, found, paragraphs, text
from phage.claims.readers.epo import claim_sets
from phage.claims.types import Patent


def patents(root: etree._Element, descriptions: bool = False) -> Iterator[Patent]:
    """Read one answer."""
    for element in root.iter():  # names are the same in every namespace version
        if isinstance(element.tag, str) and element.tag.startswith("{"):
            element.tag = element.tag.rpartition("}")[2]
    full_texts = [*root.iter("fulltext-document")]
    if not full_texts:
        raise Malformed("no full-text document in this answer")
    for document in full_texts:
        yield _patent(document, descriptions)


def _patent(document: etree._Element, descriptions: bool) -> Patent:
    number = next(document.iter("document-id"), None)
    if number is None or not found(number, "doc-number"):
        raise Malformed("no publication number")
    kind = found(number, "kind")
    sets = claim_sets(document.iterfind("claims"), "")
    holder = document.find("description")
    said = "" if holder is None else holder.get("lang") or ""
    own = language(said, "")
    own = own if own in sets or not sets else next(iter(sets))
    claims, gone = sets.pop(own, ((), ()))
    return Patent(
        number=publication(found(number, "country"), found(number, "doc-number"), kind),
        claims=claims,
        kind=kind,
        language=own or "en",
        title=next(map(text, document.iter("invention-title")), ""),
        abstract=next(map(text, document.iter("abstract")), ""),
        description=paragraphs(holder) if descriptions else "",
        publication_date=date(found(number, "date")),
        cancelled=gone,
        translations={code or "en": others for code, (others, _) in sets.items()},
    )

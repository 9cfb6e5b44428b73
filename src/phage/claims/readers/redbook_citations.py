"""The documents that a Redbook grant cites.

In:   a grant's bytes, before and after parsing.
Out:  the same grant with its list of citations shortened; the citations.
Why:  nearly half of a grant's bytes are this list, 240,000 entries a week and nearly all printed
      in one form. Building a tree of them only to read four fields takes longer than all else."""

from __future__ import annotations

import itertools
import re

from lxml import etree

from phage.claims.normal import publication
from phage.claims.readers.documents import text
from phage.claims.types import Citation

_OPEN, _CLOSE = b"<us-references-cited>\n", b"</us-references-cited>"
_PLAIN = re.compile(
    rb'<us-citation>\n<patcit num="\d+">\n<document-id>\n<country>([A-Z]{2})</country>\n'
    rb"<doc-number>([\w/., -]+)</doc-number>\n(?:<kind>(\w+)</kind>\n)?(?:<name>[^<&]*</name>\n)?"
    rb"(?:<date>\d*</date>\n)?</document-id>\n</patcit>\n<category>([A-Za-z ]*)</category>\n"
    rb"(?:<classification-national><country>\w+</country><main-classification>[^<&]*"
    rb"</main-classification></classification-national>\n)?</us-citation>\n"
)
"""The usual form to the letter; what differs in anything is left to the XML parser."""


def shortened(document: bytes) -> bytes:
    r"""Put the patents that open the list into one element, a line for each.

    >>> entry = (b'<us-citation>\n<patcit num="00001">\n<document-id>\n<country>US</country>\n'
    ...     b'<doc-number>5123456</doc-number>\n<kind>A</kind>\n</document-id>\n</patcit>\n'
    ...     b'<category>cited by examiner</category>\n</us-citation>\n')
    >>> shortened(b"<us-references-cited>\n" + entry + b"</us-references-cited>")
    b'<us-references-cited>\n<cited>US\t5123456\tA\tcited by examiner</cited></us-references-cited>'
    """
    begin = document.find(_OPEN) + len(_OPEN)
    close = document.find(_CLOSE, begin) if begin >= len(_OPEN) else -1
    end, rows = begin, []
    for entry in _PLAIN.finditer(document, begin, close) if close >= 0 else ():
        if entry.start() != end:
            break  # the order of the list is kept
        end = entry.end()
        rows.append(b"\t".join(entry.groups(b"")))
    if not rows:
        return document
    return b"".join([document[:begin], b"<cited>", b"\n".join(rows), b"</cited>", document[end:]])


def citations(holder: etree._Element | None) -> list[Citation]:
    """Read the list of cited documents, shortened or not, in one flat pass."""
    cited: list[Citation] = []
    country = number = kind = other = category = ""
    for element in () if holder is None else itertools.chain(holder.iter(*_NAMES), [holder]):
        name = element.tag
        if name == "country":
            country = country or element.text or ""  # the first one: later ones are a class's
        elif name == "doc-number":
            number = number or element.text or ""
        elif name == "kind":
            kind = kind or element.text or ""
        elif name == "category":
            category = element.text or ""
        elif name == "nplcit":
            other = text(element)
        elif name == "cited":
            cited.extend(map(_row, (element.text or "").split("\n")))
        else:  # the next one begins, or the list ends
            if number:
                cited.append(Citation(publication(country or "US", number, kind), category))
            elif other:
                cited.append(Citation(other, category, "other"))
            country = number = kind = other = category = ""
    return cited


_NAMES = ("us-citation", "citation", "nplcit", "country", "doc-number", "kind", "category", "cited")


def _row(line: str) -> Citation:
    country, number, kind, category = line.split("\t")
    return Citation(publication(country, number, kind), category)

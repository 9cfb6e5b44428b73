"""Take a stream of concatenated documents apart, and parse each safely.

In:   bytes of one file, which may hold thousands of XML documents one after another.
Out:  each document's bytes and its offset; a tree from a parser that trusts nothing.
Why:  a weekly file is larger than memory, and one bad document must not spoil its neighbours."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from phage.claims.readers.unpack import BLOCK, Peek, Refused

LARGEST = 256 << 20
"""Bytes of one document; the largest grants, with sequence listings, have about 100 MB."""


class Malformed(Exception):
    """A document that is not what its format says."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file."""

    data: bytes
    offset: int


def documents(stream: Peek, start: re.Pattern[bytes]) -> Iterator[Document]:
    """Cut a stream before each match of ``start`` (which must begin at a line's begin).

    White space and other matter before the first match stays with the first document.
    """
    held = bytearray()
    offset = 0
    searched = 1  # the first byte of what is held begins a document already
    while block := stream.read(BLOCK):
        held += block
        begin = 0
        while found := start.search(held, max(searched, begin + 1)):
            document = bytes(held[begin : found.start()])
            if document.strip():
                yield Document(document, offset + begin)
            begin = searched = found.start()
            searched += 1
        offset += begin
        del held[:begin]
        # A mark may lie across two blocks: look again at the last bytes.
        searched = max(1, len(held) - 64)
        if len(held) > LARGEST:
            raise Refused(f"a document larger than {LARGEST >> 20} MB")
    if held.strip():
        yield Document(bytes(held), offset)


_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9.]*);")
_GREEK = {
    "agr": "α", "bgr": "β", "ggr": "γ", "dgr": "δ", "egr": "ε", "zgr": "ζ", "eegr": "η",
    "thgr": "θ", "igr": "ι", "kgr": "κ", "lgr": "λ", "mgr": "μ", "ngr": "ν", "xgr": "ξ",
    "ogr": "ο", "pgr": "π", "rgr": "ρ", "sfgr": "ς", "sgr": "σ", "tgr": "τ", "ugr": "υ",
    "phgr": "φ", "khgr": "χ", "psgr": "ψ", "ohgr": "ω",
}  # fmt: skip
"""ISO 8879 Greek letters, which HTML does not know; the rest of the ISO sets it does."""
_PLAIN = {"amp", "lt", "gt", "quot", "apos"}


def _character(found: re.Match[bytes]) -> bytes:
    name = found[1].decode()
    if name in _PLAIN:
        return found[0]
    known = _GREEK.get(name) or html.entities.html5.get(f"{name};")
    if known is None and name.lower() in _GREEK:
        known = _GREEK[name.lower()].upper()
    if known is None:
        return b"&amp;" + name.encode() + b";"  # stays visible, is never expanded
    return "".join(f"&#{ord(char)};" for char in known).encode()


def parse(document: bytes) -> etree._Element:
    """Parse one document: no DTD, no entities but characters, no network, bounded depth.

    >>> parse(b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;&mgr;</a>').text
    '&b;μ'
    """
    data = document.strip(b"\x00\xef\xbb\xbf \t\r\n\x1a")
    if b"<!DOCTYPE" in data[:4096]:
        data = _DOCTYPE.sub(b"", data, count=1)
    if _ENTITY.search(data):
        data = _ENTITY.sub(_character, data)
    try:
        return etree.fromstring(data, _parser())
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Malformed(f"not well-formed XML: {_first_line(error)}") from None


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        no_network=True,
        huge_tree=False,  # keeps libxml2's bounds on depth, names and text
        remove_comments=True,
    )


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


_STRING = etree.XPath("string()")


def text(element: etree._Element | None) -> str:
    """Give all text inside an element, white space folded."""
    if element is None:
        return ""
    return " ".join(str(_STRING(element)).split())


def found(element: etree._Element, path: str) -> str:
    """Give the folded text of the first element at a path; empty where there is none."""
    return text(element.find(path))

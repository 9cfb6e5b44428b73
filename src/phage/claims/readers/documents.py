"""Take a stream of concatenated documents apart, and parse each safely.

In:   bytes of one file, which may hold thousands of XML documents one after another.
Out:  each document's bytes and its offset; a tree from a parser that trusts nothing.
Why:  a weekly file is larger than memory, and one bad document must not spoil its neighbours."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Iterator, Sequence
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


_PRELUDES = (re.compile(rb"<\?xml\s"), re.compile(rb"<!DOCTYPE\s"))
_MARK = 64
"""A mark is shorter than this; one may lie across two blocks."""


def documents(stream: Peek, roots: Sequence[re.Pattern[bytes]]) -> Iterator[Document]:
    """Cut a stream of XML documents before each declaration, document type or root.

    The three come in this order, each at most once, so any step back begins a new document:
    a neighbour is found even where a declaration or a root is damaged.
    """
    patterns = [*enumerate(_PRELUDES), *((len(_PRELUDES), root) for root in roots)]
    held, offset, searched, stage = bytearray(), 0, 0, -1
    while True:
        block = stream.read(BLOCK)
        held += block
        limit = len(held) - _MARK if block else len(held)
        begin = 0
        for place, found in _marks(held, patterns, searched):
            if place >= limit:
                break
            searched = place + 1
            if found > stage:
                stage = found
                continue
            if held[begin:place].strip():
                yield Document(bytes(held[begin:place]), offset + begin)
            begin, stage = place, found
        searched = max(searched, limit, begin + 1) - begin
        del held[:begin]
        offset += begin
        if len(held) > LARGEST:
            raise Refused(f"a document larger than {LARGEST >> 20} MB")
        if not block:
            break
    if held.strip():
        yield Document(bytes(held), offset)


def _marks(
    held: bytearray, patterns: Sequence[tuple[int, re.Pattern[bytes]]], start: int
) -> list[tuple[int, int]]:
    return sorted(
        (found.start(), stage)
        for stage, pattern in patterns
        for found in pattern.finditer(held, start)
    )


def trimmed(data: bytes, name: bytes) -> bytes:
    """Cut what stands around one document: wrappers, page breaks, damaged neighbours.

    >>> trimmed(b"junk <a>1</a> </all>", b"a")
    b'<a>1</a>'
    """
    start = re.search(rb"<(?:\w+:)?" + name + rb"[\s>/]", data)
    closing = [found.end() for found in re.finditer(rb"</(?:\w+:)?" + name + rb"\s*>", data)]
    begin = data.rfind(b"<?xml", 0, start.start()) if start else -1
    begin = begin if begin >= 0 or not start else start.start()
    return data[max(begin, 0) : closing[-1] if closing else len(data)]


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


def raw_text(element: etree._Element) -> str:
    """Give all text inside an element as it stands."""
    return str(_STRING(element))


def found(element: etree._Element | None, path: str) -> str:
    """Give the folded text of the first element at a path; empty where there is none."""
    return "" if element is None else text(element.find(path))


def paragraphs(element: etree._Element | None) -> str:
    """Give a long text, one line for each of its parts."""
    if element is None:
        return ""
    lines = (text(part) for part in element if isinstance(part.tag, str))
    return "\n".join(line for line in lines if line) or text(element)


def set_apart(element: etree._Element, names: Sequence[str]) -> None:
    """Put white space around all blocks inside, so that no two words are glued by markup."""
    for block in element.iter(*names):
        if block.text:
            block.text = f" {block.text}"
        elif len(block) == 0:
            block.text = " "
        tail = block.tail
        if tail and not tail[0].isspace() and tail[0] not in ",.;:)":
            block.tail = f" {tail}"

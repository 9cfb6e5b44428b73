"""Take a stream of concatenated documents apart, and parse each safely.

In:   bytes of one file, which may hold thousands of XML documents one after another.
Out:  each document's bytes and its offset; a tree from a parser that trusts nothing.
Why:  a weekly file is larger than memory, and one bad document must not spoil its neighbours."""

from __future__ import annotations

import html.entities
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from phage.claims.readers.unpack import BLOCK, BROKEN, Peek, Refused

LARGEST = 256 << 20
"""Bytes of one document; the largest grants, with sequence listings, have about 100 MB."""

TAGS = 6_000_000
"""Tags of one document; each element takes about 120 bytes in memory, however short its name."""


class Malformed(Exception):
    """A document that is not what its format says."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file."""

    data: bytes
    offset: int


_DECLARATION = re.compile(rb"<\?xml\s")
_DOCTYPE_START = re.compile(rb"<!DOCTYPE\s")
_MARK = 64
"""A mark is shorter than this; one may lie across two blocks."""


def documents(stream: Peek, roots: Sequence[re.Pattern[bytes]]) -> Iterator[Document]:
    """Cut a stream into XML documents."""
    marks = [_DECLARATION, _DOCTYPE_START, *roots]
    if _DECLARATION.match(stream.peek(64).lstrip(b"\xef\xbb\xbf \t\r\n")):
        # Each document should begin with a declaration: one search instead of four.
        for piece in _cut(stream, [_DECLARATION]):
            if _count(piece.data, roots) == 1:
                yield piece
            else:
                yield from _recut(piece, marks)
    else:
        yield from _cut(stream, marks)


def _count(data: bytes, roots: Sequence[re.Pattern[bytes]]) -> int:
    first = next((found for root in roots if (found := root.search(data))), None)
    if first is None:
        return 0
    # The same name again, which is nearly always enough to look for, is found at memory speed.
    again = data.count(first[0][:-1], first.end())
    return 1 + (sum(1 for root in roots for _ in root.finditer(data, first.end())) if again else 0)


def _recut(piece: Document, marks: Sequence[re.Pattern[bytes]]) -> Iterator[Document]:
    for part in _cut(Peek(io.BytesIO(piece.data)), marks):
        yield Document(part.data, piece.offset + part.offset)


def _cut(stream: Peek, marks: Sequence[re.Pattern[bytes]]) -> Iterator[Document]:
    """Cut before each mark that cannot belong to the document begun.

    Declaration, document type and root come in this order, each at most once, so any step back
    begins a new document: a neighbour is found even where one of the three is damaged.
    """
    held, offset, searched, stage = bytearray(), 0, 0, -1
    broken: list[BaseException] = []
    while True:
        block = _block(stream, broken)
        held += block
        limit = len(held) - _MARK if block else len(held)
        begin = 0
        for place, found in _found(held, marks, searched):
            if place >= limit:
                break
            searched = place + 1
            if found <= stage:
                with memoryview(held) as view:
                    document = bytes(view[begin:place])
                if document and not document.isspace():
                    yield Document(document, offset + begin)
                begin = place
            stage = found
        searched = max(searched, limit, begin + 1) - begin
        del held[:begin]
        offset += begin
        if len(held) > LARGEST:
            raise Refused(f"a document larger than {LARGEST >> 20} MB")
        if not block:
            break
    if held.strip() and (not broken or _is_whole(bytes(held))):
        yield Document(bytes(held), offset)
    if broken:
        raise broken[0]


def _is_whole(data: bytes) -> bool:
    """Return whether a document that a broken stream ends with is there to its last tag."""
    root = re.search(rb"<([A-Za-z][\w:.-]*)", data)
    return root is not None and data.rstrip().endswith(b"</" + root[1] + b">")


def _block(stream: Peek, broken: list[BaseException]) -> bytes:
    try:
        return stream.read(BLOCK)
    except BROKEN as error:
        broken.append(error)
        return b""


def _found(
    held: bytearray, marks: Sequence[re.Pattern[bytes]], start: int
) -> list[tuple[int, int]]:
    return sorted(
        (found.start(), min(stage, 2))  # all roots are of one stage
        for stage, mark in enumerate(marks)
        for found in mark.finditer(held, start)
    )


def trimmed(data: bytes, name: bytes, root: int) -> bytes:
    """Cut what stands around one document: wrappers, page breaks, damaged neighbours.

    ``root`` is where its root element begins, ``name`` that element's name.

    >>> trimmed(b"junk <a>1</a> </all>", b"a", 5), trimmed(b"junk <?xml?><a>1</a>", b"a", 12)
    (b'<a>1</a>', b'<?xml?><a>1</a>')
    """
    preludes = (data.find(b"<?xml", 0, root), data.find(b"<!DOCTYPE", 0, root))
    begin = min((place for place in preludes if place >= 0), default=root)
    closing = data.rfind(name + b">")
    end = closing + len(name) + 1
    return data[begin : end if closing > root + len(name) else len(data)]


_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_ENTITY = re.compile(rb"&(?!amp;|lt;|gt;|quot;|apos;)([A-Za-z][A-Za-z0-9.]{0,40});")
_GREEK = {
    "agr": "α", "bgr": "β", "ggr": "γ", "dgr": "δ", "egr": "ε", "zgr": "ζ", "eegr": "η",
    "thgr": "θ", "igr": "ι", "kgr": "κ", "lgr": "λ", "mgr": "μ", "ngr": "ν", "xgr": "ξ",
    "ogr": "ο", "pgr": "π", "rgr": "ρ", "sfgr": "ς", "sgr": "σ", "tgr": "τ", "ugr": "υ",
    "phgr": "φ", "khgr": "χ", "psgr": "ψ", "ohgr": "ω",
}  # fmt: skip
"""ISO 8879 Greek letters, which HTML does not know; the rest of the ISO sets it does."""


def _character(found: re.Match[bytes]) -> bytes:
    name = found[1].decode()
    known = _GREEK.get(name) or html.entities.html5.get(f"{name};")
    if known is None and name.lower() in _GREEK:
        known = _GREEK[name.lower()].upper()
    if known is None:
        return b"&amp;" + name.encode() + b";"  # stays visible, is never expanded
    return "".join(f"&#{ord(char)};" for char in known).encode()


def parse(document: bytes, flaws: list[str] | None = None) -> etree._Element:
    """Parse one document: no DTD, no entities but characters, no network, bounded depth.

    With ``flaws``, damage to single characters (a bare ``&``, a stray ``<``, a character that XML
    forbids) is repaired and described there; damage to the structure stays an error, since claims
    would end up in the wrong place.

    >>> parse(b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;&mgr;</a>').text
    '&b;μ'
    >>> flaws = []
    >>> parse(b"<a>R & D, p < 5</a>", flaws).text, len(flaws)
    ('R & D, p < 5', 1)
    """
    if document.count(b"<") > TAGS:
        raise Refused(f"a document of more than {TAGS:,} tags")
    data = document.strip(b"\x00\xef\xbb\xbf \t\r\n\x1a")
    doctype = data.find(b"<!DOCTYPE", 0, 4096)
    inner = doctype >= 0 and b"[" in data[doctype : data.find(b">", doctype)]
    if inner and (declared := _DOCTYPE.match(data, doctype)):  # what it declares is never used
        data = data[:doctype] + data[declared.end() :]
    if _ENTITY.search(data):
        data = _ENTITY.sub(_character, data)
    try:
        return etree.fromstring(data, _PARSER)
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = f"not well-formed XML: {_first_line(error)}"
        root = None if flaws is None else _recovered(data)
        if root is None or flaws is None:
            raise Malformed(reason) from None
        flaws.append(f"read in recovery mode, {reason}")
        return root


_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)")
_STRAY = re.compile(rb"<(?![A-Za-z_:/!?])")
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcBC]|[eEfF]|1[0-9a-fA-F]));")  # fmt: skip


def _recovered(data: bytes) -> etree._Element | None:
    """Mend single characters, and parse again as strictly as before."""
    mended = _BARE.sub(b"&amp;", _STRAY.sub(b"&lt;", _FORBIDDEN.sub(b"\xef\xbf\xbd", data)))
    declared = re.search(rb"encoding=[\"']([\w-]+)", data[:200])
    if declared is None or declared[1].lower() in (b"utf-8", b"utf8"):
        mended = mended.decode("utf-8", "replace").encode()
    try:
        return etree.fromstring(mended, _PARSER)
    except (etree.XMLSyntaxError, ValueError):
        return None


_PARSER = etree.XMLParser(
    resolve_entities=False,
    load_dtd=False,
    dtd_validation=False,
    no_network=True,
    huge_tree=False,  # keeps libxml2's bounds on depth, names and text
    remove_comments=True,
)


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


_STRING = etree.XPath("string()", smart_strings=False)
_FOLDED = etree.XPath("normalize-space()", smart_strings=False)


def text(element: etree._Element | None) -> str:
    """Return all text inside an element, white space folded."""
    if element is None:
        return ""
    folded: str = _FOLDED(element)  # type: ignore[assignment]
    # XML knows four kinds of white space, Unicode many more.
    return folded if folded.isascii() else " ".join(folded.split())


def raw_text(element: etree._Element) -> str:
    """Return all text inside an element as it stands."""
    return str(_STRING(element))


def found(element: etree._Element | None, path: str) -> str:
    """Return the folded text of the first element at a path; empty where there is none."""
    return "" if element is None else text(element.find(path))


def paragraphs(element: etree._Element | None) -> str:
    """Return a long text, one line for each of its parts."""
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

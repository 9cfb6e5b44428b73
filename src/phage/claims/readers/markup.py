"""Patents in XML and SGML: which root is which format.

In:   a stream of documents.
Out:  patents; a ReadProblem for each document that is damaged, its neighbours unharmed.
Why:  weekly files mix kinds of documents, and only the root tells them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lxml import etree

from phage.claims.readers import epo, marec, ops, pap, redbook, sgml
from phage.claims.readers.documents import Document, Malformed, documents, parse, trimmed
from phage.claims.readers.sources import Entry
from phage.claims.report import ReadProblem
from phage.claims.types import Patent

Found = tuple[str, Patent] | ReadProblem


@dataclass(frozen=True, slots=True)
class Root:
    """How documents with one root element are read."""

    form: str
    patent: Callable[[etree._Element, bool], Patent]
    beside: tuple[bytes, ...] = ()
    """Other roots found in the same files."""
    declared: Callable[[etree._Element], int | None] = lambda root: None
    """The number of claims that a document says it has."""
    prepare: Callable[[bytes, bool], bytes] = lambda data, descriptions: data
    """What is done to a document's bytes before they are parsed."""


ROOTS: dict[bytes, Root] = {
    b"us-patent-grant": Root(
        "redbook",
        redbook.patent,
        (b"us-patent-application", b"sequence-cwu"),
        redbook.declared,
        redbook.lean,
    ),
    b"us-patent-application": Root(
        "redbook", redbook.patent, (b"sequence-cwu",), prepare=redbook.lean
    ),
    b"patent-application-publication": Root("pap", pap.patent),
    b"PATDOC": Root("sgml", sgml.patent, (), sgml.declared, sgml.closed),
    b"ep-patent-document": Root("epo", epo.patent),
    b"patent-document": Root("marec", marec.patent),
}
OPS = b"world-patent-data"
IGNORED = {b"sequence-cwu"}
"""Sequence listings and their like: documents of their own, but no patents."""
_NAMES = b"|".join(map(re.escape, [*ROOTS, OPS, *IGNORED]))
_ROOT = re.compile(rb"<(?:\w+:)?(" + _NAMES + rb")[\s>/]")
_ANY = re.compile(rb"<([A-Za-z_][\w:.-]{0,60})")
_NUMBER = re.compile(
    rb"(?:<B110>(?:<[^>]{1,20}>){0,3}|<doc-number>|ucid=\"|file=\")\s*([A-Z0-9][\w-]{4,20})"
)


def is_markup(head: bytes) -> bool:
    """Return whether a file begins like XML, or holds a root we know."""
    return head.startswith(b"<") or _ROOT.search(head) is not None


def read_markup(entry: Entry, descriptions: bool) -> Iterator[Found]:
    """Read one file of documents."""
    head = entry.stream.peek(1 << 18)
    known = _ROOT.search(head)
    if known is None:
        seen = [name.decode() for name in _ANY.findall(head[:65536])[:1]]
        what = f"XML with root <{seen[0]}>" if seen else "XML without a root"
        yield ReadProblem(entry.name, 0, f"unknown format: {what}")
        return
    name = known[1]
    names = [name, *(ROOTS[name].beside if name in ROOTS else ())]
    if name in IGNORED:
        names = [name, b"us-patent-grant", b"us-patent-application"]
    patterns = [re.compile(rb"<(?:\w+:)?" + one + rb"[\s>/]") for one in names]
    if name != OPS:  # a fixed prefix lets the search run at memory speed
        patterns = [re.compile(rb"<" + one + rb"[\s>/]") for one in names]
    for document in documents(entry.stream, patterns):
        yield from _document(entry.name, document, descriptions)


def _document(file: str, document: Document, descriptions: bool) -> Iterator[Found]:
    known = _ROOT.search(document.data, 0, 1 << 18)
    if known is None:
        if re.sub(rb"<[?!][^<>]*>|\s", b"", document.data):
            yield ReadProblem(file, document.offset, "damaged: no root element", _sniffed(document))
        return
    name = known[1]
    if name in IGNORED:
        return
    try:
        data = trimmed(document.data, name, known.start())
        found = [*_patents(name, data, descriptions)]
    except (Malformed, ValueError, ArithmeticError) as error:
        yield ReadProblem(file, document.offset, str(error), _sniffed(document))
        return
    for form, patent, flaws in found:
        yield form, patent
        if flaws:
            why = "; ".join(flaws)
            yield ReadProblem(file, document.offset, why, patent.number, partial=True)


def _patents(
    name: bytes, data: bytes, descriptions: bool
) -> Iterator[tuple[str, Patent, list[str]]]:
    """Read one document: each patent with its format and what is wrong with it."""
    flaws: list[str] = []
    if name == OPS:
        for one in ops.patents(parse(data, flaws), descriptions):
            yield "ops", one, flaws
        return
    kind = ROOTS[name]
    root = _parsed(data, kind.prepare(data, descriptions), flaws)
    patent = kind.patent(root, descriptions)
    reason = irregular(patent, kind.declared(root)) or _disorder(root)
    if not reason and kind.form != "marec" and not (patent.claims or patent.cancelled):
        reason = "no claims"  # kinds of one patent complete each other, all others should have some
    yield kind.form, patent, [*flaws, *([reason] if reason else [])]


def _parsed(data: bytes, prepared: bytes, flaws: list[str]) -> etree._Element:
    try:
        return parse(prepared)
    except Malformed:
        # Where parts were cut, what is reported should name the document's own lines.
        return parse(data if len(prepared) < len(data) else prepared, flaws)


_USUAL = [f"{number:05}" for number in range(1, 1000)]


def _disorder(root: etree._Element) -> str:
    """Return whether claims are labelled out of order: a piece of the document stands there twice.

    Two sets in one language count as one, so that the second is reported.
    """
    ends: dict[str, int] = {}
    for block in root.iter("claims", "subdoc-claims", "CL"):
        claims = list(block.iter("claim", "CLM"))
        spoken = block.get("lang") or ""
        last = ends.get(spoken, 0)
        if not last and [claim.get("num") for claim in claims] == _USUAL[: len(claims)]:
            ends[spoken] = len(claims)
            continue
        for claim in claims:
            digits = re.findall(r"\d+", claim.get("num") or "")
            digits = digits or re.findall(r"\d+$", claim.get("id") or claim.get("ID") or "")
            if digits and int(digits[0]) <= last:
                return f"claims out of order: {int(digits[0])} after {last}"
            last = int(digits[-1]) if digits else last
        ends[spoken] = last
    return ""


def irregular(patent: Patent, declared: int | None) -> str:
    """Describe what is wrong with a claim set that was read; empty if all is in order.

    >>> from phage.claims.types import Claim
    >>> irregular(Patent("US1A", (Claim(1, "A pump."), Claim(3, "It."))), None)
    'claims missing: 2'
    """
    numbers = {claim.number for claim in patent.claims} | set(patent.cancelled)
    if declared is not None and declared != len(numbers):
        return f"claims differ from the number declared: {declared} declared, {len(numbers)} found"
    missing = sorted(set(range(1, max(numbers, default=0))) - numbers)
    if missing:
        more = " …" if len(missing) > 5 else ""
        return f"claims missing: {', '.join(map(str, missing[:5]))}{more}"
    counts = {code: len(claims) for code, claims in patent.translations.items()}
    if any(count != len(patent.claims) for count in counts.values()):
        shown = ", ".join(
            f"{code} {n}" for code, n in {patent.language: len(patent.claims), **counts}.items()
        )
        return f"claims differ between languages: {shown}"
    return ""


def _sniffed(document: Document) -> str:
    found = _NUMBER.search(document.data, 0, 1 << 16)
    return found[1].decode("ascii", "replace") if found else ""

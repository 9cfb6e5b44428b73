"""Findings as comments in a copy of the Word file.

In:   the bytes of a .docx, the Patent read from it, its CheckReport.
Out:  the bytes of the copy, each comment at its words.
Why:  attorneys work in Word; a list of places beside it is a list to look up by hand."""

from __future__ import annotations

import bisect
import copy
import io
import itertools
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from docx.text.run import Run

from phage.checking.types import CheckReport, Finding
from phage.claims.readers.blanks import present
from phage.claims.readers.word import DELETED, is_on, word_lines
from phage.claims.types import Claim, Patent

AUTHOR, INITIALS = "phage check", "PC"
MOST = 1_000
"""Comments in one file; Word itself is slow with more."""
_TEXT, _RUN, _LOOKS = qn("w:t"), qn("w:r"), qn("w:rPr")
_PIECES = (_TEXT, qn("w:tab"), qn("w:br"), qn("w:noBreakHyphen"))
_STRUCK, _GONE = (qn("w:strike"), qn("w:dstrike")), tuple(qn(f"w:{name}") for name in DELETED)
_VALUE = qn("w:val")
Spot = tuple[int, int]
"""A paragraph of the XML and a place in its text."""


def commented(data: bytes, patent: Patent, report: CheckReport) -> bytes:
    """Return a copy of a Word file with one comment per finding, for the first ``MOST`` of them."""
    document = Document(io.BytesIO(data))
    paragraphs = list(document.element.iter(qn("w:p")))
    found = list(_spots(data, patent, report.findings[:MOST]))
    cuts: dict[int, set[int]] = {}
    for _, *spots in found:
        for paragraph, place in spots:
            cuts.setdefault(paragraph, set()).add(place)
    first: dict[Spot, Any] = {}
    last: dict[Spot, Any] = {}
    for index, places in cuts.items():
        for run, low, high in _cut(paragraphs[index], sorted(places)):
            first[index, low], last[index, high] = run, run
    for finding, start, end in found:
        if start in first and end in last:
            runs = [Run(first[start], document), Run(last[end], document)]
            document.add_comment(runs, _said(finding), author=AUTHOR, initials=INITIALS)
    copied = io.BytesIO()
    document.save(copied)
    return copied.getvalue()


def _spots(
    data: bytes, patent: Patent, findings: tuple[Finding, ...]
) -> Iterator[tuple[Finding, Spot, Spot]]:
    """Give, for each finding, where in the Word file its words begin and end."""
    lines = word_lines(data)
    text = present("\n".join(line.text for line in lines))
    begins = [0, *itertools.accumulate(len(line.text) + 1 for line in lines)]
    claims = {claim.number: claim for claim in reversed(patent.claims)}
    for number, group in itertools.groupby(findings, lambda finding: finding.claim):
        places = unfolded(claims[number], text)
        for finding in group:
            start, end = places[finding.place.start], places[finding.place.end - 1] + 1
            ends: list[Spot] = []
            for index in range(_line(begins, start), _line(begins, end - 1) + 1):
                line, begin = lines[index], begins[index]
                low = max(start - begin, line.lead)
                high = min(end - begin, len(line.text))
                if low < high:  # what Word counts is in no paragraph
                    shift = line.skipped - line.lead
                    ends += [(line.place, low + shift), (line.place, high + shift)]
            if ends:
                yield finding, ends[0], ends[-1]


def _said(finding: Finding) -> str:
    parts = [f"{finding.severity}: {finding.message}", finding.suggestion]
    return "\n".join([*filter(None, parts), f"{finding.rule}; {finding.source}"])


def unfolded(claim: Claim, text: str) -> list[int]:
    r"""Give, for each character of a claim's text, its place in the text it was split from.

    >>> unfolded(Claim(1, "A pump", (3, 10)), "1. A \n pump")
    [3, 4, 7, 8, 9, 10]
    """
    begin, end = claim.span or (0, len(text))
    places: list[int] = []
    at = begin
    for sign in claim.text:
        if sign == " ":
            places.append(at)
            while at < end and text[at].isspace():
                at += 1
        else:
            found = text.find(
                sign, at, end
            )  # what stands between was markup, which a claim leaves out
            at = found if found >= 0 else at
            places.append(at)
            at += 1
    return places


def _line(begins: list[int], place: int) -> int:
    """Return the line that a place of the text stands in."""
    return bisect.bisect_right(begins, place) - 1


def _cut(paragraph: Any, places: list[int]) -> Iterator[tuple[Any, int, int]]:  # noqa: ANN401  (XML)
    """Cut a paragraph's runs at places; return each run with its begin and its end."""
    at = 0
    pieces = list(_pieces(paragraph))
    for run, group in itertools.groupby(pieces, lambda piece: piece[0].getparent()):
        lengths = dict(group)
        end = at + sum(lengths.values())
        inside = places[bisect.bisect_right(places, at) : bisect.bisect_left(places, end)]
        if run.tag == _RUN:
            yield from _parts(run, lengths, at, inside)
        at = end


def _pieces(paragraph: Any) -> Iterator[tuple[Any, int]]:  # noqa: ANN401
    """Yield a paragraph's own pieces of text and their lengths; a text box inside it has others."""
    for piece in paragraph.iter(*_PIECES):
        length = len(piece.text or "") if piece.tag == _TEXT else 1
        if length and next(piece.iterancestors(paragraph.tag)) is paragraph and not _deleted(piece):
            yield piece, length


def _deleted(piece: Any) -> bool:  # noqa: ANN401
    """Return whether a piece of text is crossed out, or was moved elsewhere."""
    looks = piece.getparent().find(_LOOKS)
    lines = [] if looks is None else looks.iterchildren(*_STRUCK)
    return any(is_on(line.get(_VALUE) or "") for line in lines) or (
        next(piece.iterancestors(*_GONE), None) is not None
    )


def _parts(
    run: Any,  # noqa: ANN401
    lengths: dict[Any, int],
    at: int,
    places: list[int],
) -> Iterator[tuple[Any, int, int]]:
    """Share the children of a run among runs that look alike and begin at the places."""
    part, start, marks = run, at, set(places)
    for child in list(run):
        length = lengths.get(child, 0)
        if length and at in marks:
            yield part, start, at
            part, start = _next(part), at
        if part is not run and child.tag != _LOOKS:
            part.append(child)
        inside = places[bisect.bisect_right(places, at) : bisect.bisect_left(places, at + length)]
        if inside:
            whole, first = child.text, at
            _say(child, whole[: inside[0] - first])
            for low, high in itertools.pairwise([*inside, at + length]):
                yield part, start, low
                part, start = _next(part), low
                part.append(child.makeelement(child.tag))
                _say(part[-1], whole[low - first : high - first])
        at += length
    yield part, start, at


def _next(run: Any) -> Any:  # noqa: ANN401
    """Put an empty run behind a run; it looks like it."""
    second = run.makeelement(run.tag, run.attrib)
    second.extend(copy.deepcopy(one) for one in run.iterchildren(_LOOKS))
    run.addnext(second)
    return second


def _say(piece: Any, text: str) -> None:  # noqa: ANN401
    piece.text = text
    piece.set(qn("xml:space"), "preserve")

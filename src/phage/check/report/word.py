"""Findings as comments in a copy of the Word file.

In:   the bytes of a .docx, the Patent read from it, its Report.
Out:  the bytes of the copy, each comment at its words.
Why:  attorneys work in Word; a list of places beside it is a list to look up by hand."""

from __future__ import annotations

import bisect
import copy
import io
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from docx.text.run import Run

from phage.check.types import Finding, Report
from phage.claims.readers.word import word_lines
from phage.claims.types import Claim, Patent

AUTHOR, INITIALS = "phage check", "PC"
_PIECES = (qn("w:t"), qn("w:tab"), qn("w:br"), qn("w:noBreakHyphen"))


def commented(data: bytes, patent: Patent, report: Report) -> bytes:
    """Give a copy of a Word file with one comment per finding."""
    lines = word_lines(data)
    text = "\n".join(line.text for line in lines)
    begins: list[int] = []
    at = 0
    for line in lines:
        begins.append(at)
        at += len(line.text) + 1
    document = Document(io.BytesIO(data))
    paragraphs = list(document.element.iter(qn("w:p")))
    claims = {claim.number: claim for claim in reversed(patent.claims)}
    for finding in report.findings:
        claim = claims[finding.claim]
        places = unfolded(claim, text)
        start, end = places[finding.place.start], places[finding.place.end - 1] + 1
        runs = []
        for index in range(_line(begins, start), _line(begins, end - 1) + 1):
            line, begin = lines[index], begins[index]
            shift = line.skipped - line.lead - begin
            low = max(start, begin + line.lead) + shift
            high = min(end, begin + len(line.text)) + shift
            if low < high:
                runs += _runs(paragraphs[index], low, high)
        if runs:
            ends = [Run(run, document.paragraphs[0]) for run in (runs[0], runs[-1])]
            document.add_comment(ends, _said(finding), author=AUTHOR, initials=INITIALS)
    copied = io.BytesIO()
    document.save(copied)
    return copied.getvalue()


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
            found = text.find(sign, at)  # what stands between was markup, which a claim leaves out
            at = found if found >= 0 else at
            places.append(at)
            at += 1
    return places


def _line(begins: list[int], place: int) -> int:
    """Give the line that a place of the text stands in."""
    return bisect.bisect_right(begins, place) - 1


def _runs(paragraph: Any, low: int, high: int) -> list[Any]:  # noqa: ANN401  (an XML element)
    """Give the runs of a stretch of a paragraph; runs are cut where it begins and ends."""
    _cut(paragraph, low)
    _cut(paragraph, high)
    found: list[Any] = []
    at = 0
    for piece in paragraph.iter(*_PIECES):
        length = len(piece.text or "") if piece.tag == _PIECES[0] else 1
        run = piece.getparent()
        if low <= at and at + length <= high and length and run not in found:
            found.append(run)
        at += length
    return found


def _cut(paragraph: Any, place: int) -> None:  # noqa: ANN401
    """Cut the run that spans a place into two."""
    at = 0
    for piece in paragraph.iter(*_PIECES):
        length = len(piece.text or "") if piece.tag == _PIECES[0] else 1
        if at <= place < at + length:
            _cut_run(piece, place - at)
            return
        at += length


def _cut_run(piece: Any, offset: int) -> None:  # noqa: ANN401
    run = piece.getparent()
    before = [other for other in run if other.tag in _PIECES]
    if offset == 0 and before[0] is piece:
        return
    second = copy.deepcopy(run)
    twins = [other for other in second if other.tag in _PIECES]
    keep = before.index(piece)
    for other in twins[:keep]:
        second.remove(other)
    for other in before[keep + 1 if offset else keep :]:
        run.remove(other)
    if offset:
        whole = piece.text or ""
        piece.text, twins[keep].text = whole[:offset], whole[offset:]
        for part in (piece, twins[keep]):
            part.set(qn("xml:space"), "preserve")
    run.addnext(second)

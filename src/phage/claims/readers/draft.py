"""Drafts: plain text and Word files.

In:   a draft with numbered claims, alone or after a description.
Out:  one patent, named after the file.
Why:  an attorney has no XML, and wants the graph of what she is writing."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from phage.claims.language import detect
from phage.claims.normal import fold
from phage.claims.readers.blanks import HEADING, present
from phage.claims.readers.documents import Malformed
from phage.claims.readers.markup import irregular
from phage.claims.readers.sources import Entry
from phage.claims.readers.unpack import Peek, Refused, recoded
from phage.claims.readers.word import word_text
from phage.claims.report import ReadProblem
from phage.claims.split import split_set
from phage.claims.types import Claim, Patent

_LARGEST = 32 << 20
_NUMBERED = re.compile(
    r"(?:^|\n)[^\S\n]*(?:\(?\d{1,3}\s*[.)、．]|[【\[(]?(?:claim|請求項|청구항)\s*\d)", re.IGNORECASE
)
_STATUS = re.compile(
    r"\((?:currently\s+amended|previously\s+(?:presented|amended)|original|amended|new"
    r"|withdrawn|not\s+entered|reinstated)(?:\s*[-–—,]\s*[a-z ]{3,30})?\)\s*(?::\s*)?",
    re.IGNORECASE,
)
"""What a reply to a US office action puts before each claim (37 CFR 1.121)."""
_EASTERN = ("cp932", "gb18030", "cp949", "big5")
_EASTERN_CLAIMS = re.compile("請求項|请求项|权利要求|權利要求|청구항|청구범위|申請專利範圍")


def read_draft(entry: Entry, descriptions: bool) -> Iterator[Patent | ReadProblem]:
    """Read one draft."""
    try:
        data = entry.whole(_LARGEST)
        text = word_text(data) if data.startswith(b"PK") else decoded(data)
        found = patent(text, Path(entry.name.split("!")[-1]).name.split(".")[0], descriptions)
    except (Malformed, Refused, zipfile.BadZipFile, KeyError) as error:
        yield ReadProblem(entry.name, 0, str(error))
        return
    yield found
    if why := _twice(found) or irregular(found, None):
        yield ReadProblem(entry.name, 0, why, found.number, partial=True)


def decoded(data: bytes) -> str:
    """Decode a text file: UTF-8, UTF-16, or the code page of a Western or East Asian Windows.

    >>> decoded("1. A pump.".encode("utf-16")), decoded("Öl".encode("cp1252"))
    ('1. A pump.', 'Öl')
    """
    data = recoded(Peek(io.BytesIO(data))).read()
    if b"\x00" in data:
        raise Malformed("unknown format: binary data")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        for code in _EASTERN:
            with contextlib.suppress(UnicodeDecodeError):
                if _EASTERN_CLAIMS.search(text := data.decode(code)):
                    return text
        return data.decode("cp1252", "replace")


def has_claims(head: bytes) -> bool:
    """Return whether a text is a draft: it has numbered claims, or a heading for them."""
    text = head.decode("utf-8", "replace")
    return bool(HEADING.search(text)) or len(_NUMBERED.findall(text)) >= 2


def patent(text: str, name: str = "draft", descriptions: bool = False) -> Patent:
    r"""Read a draft's text; claim spans are places in it.

    >>> draft = patent("A pump\n\nClaims\n1. A pump.\n2. (New) The pump of claim 1.")
    >>> draft.title, [(c.number, c.text) for c in draft.claims]
    ('A pump', [(1, 'A pump.'), (2, 'The pump of claim 1.')])
    """
    text = present(text)
    headings = list(HEADING.finditer(text))
    start = headings[-1].end() if headings else 0
    found = split_set(text[start:])
    sure = headings or len(found.claims) > 1 or _NUMBERED.search(text)
    if not found.claims or not sure:
        raise Malformed("no claims found: number them '1.', '2.', …")
    before = text[: headings[-1].start()] if headings else ""
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    title = re.sub(r"^title\s*:\s*", "", lines[0], flags=re.IGNORECASE) if lines else ""
    placed = [_placed(claim, text, start) for claim in found.claims]
    taken = [*found.cancelled, *(claim.number for claim in found.claims)]
    return Patent(
        number=name,
        claims=tuple(_apart(placed, text, max(taken) + 1)),
        language=detect(" ".join(claim.text for claim in found.claims)),
        title=fold(title) if len(title) <= 300 else "",
        description="\n".join(lines[1:]) if descriptions else "",
        cancelled=found.cancelled,
    )


def _placed(claim: Claim, text: str, start: int) -> Claim:
    """Move a claim's place to that in the whole text, and leave its status out."""
    begin, end = (start + place for place in claim.span or (0, 0))
    printed, folded = _STATUS.match(text, begin, end), _STATUS.match(claim.text)
    if not printed or not folded or folded.end() == len(claim.text):
        return Claim(claim.number, claim.text, (begin, end))
    return Claim(claim.number, claim.text[folded.end() :], (printed.end(), end))


_LINE = re.compile(r"\n[^\S\n]*(?:claim\s+)?(\d+)(?=\s*[.:]\s+(\S))", re.IGNORECASE)
"""A line that begins with a number; the second group is where its words begin."""
_LISTS = re.compile(r"(?:[:;,]|\b(?:and|or|und|oder|et|ou))\s*\Z")
"""Before a list of steps, and between them."""
_NEAR = 40
"""Characters before a line that are searched: with all of the claim, the time is squared."""


def _apart(claims: list[Claim], text: str, free: int) -> Iterator[Claim]:
    """Cut claims apart that have one number; the second gets a free one, and keeps it as printed."""
    for claim in claims:
        begin, end = claim.span or (0, 0)
        own = str(claim.number)
        cuts = [
            line
            for line in _LINE.finditer(text, begin, end)
            if line[1] == own
            and not (line[2].islower() and _LISTS.search(text, _near(line, begin), line.start()))
        ]
        if not cuts:
            yield claim
            continue
        yield Claim(claim.number, *_part(text, begin, cuts[0].start()))
        for cut, stop in zip(cuts, [*(c.start() for c in cuts[1:]), end], strict=True):
            yield Claim(free, *_part(text, cut.start(2), stop), printed=claim.number)
            free += 1


def _near(line: re.Match[str], begin: int) -> int:
    return max(begin, line.start() - _NEAR)


def _part(text: str, begin: int, end: int) -> tuple[str, tuple[int, int]]:
    """Return the words of a part of a text, and where they begin and end."""
    part = text[begin:end].rstrip()
    return fold(part), (begin, begin + len(part))


def _twice(draft: Patent) -> str:
    """Name the number that stands before two claims."""
    for claim in draft.claims:
        if claim.printed:
            return (
                f"two claims have the number {claim.printed}: the second is read as {claim.number}"
            )
    return ""

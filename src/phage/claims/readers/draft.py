"""Drafts: plain text and Word files.

In:   a draft with numbered claims, alone or after a description.
Out:  one patent, named after the file.
Why:  an attorney has no XML, and wants the graph of what she is writing."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from phage.claims.language import detect
from phage.claims.normal import fold
from phage.claims.readers.documents import Malformed
from phage.claims.readers.sources import Entry
from phage.claims.readers.unpack import Refused
from phage.claims.readers.word import word_text
from phage.claims.report import Problem
from phage.claims.split import split_set
from phage.claims.types import Claim, Patent

_LARGEST = 32 << 20
_HEADING = re.compile(
    r"^[ \t#*_]*(?:(?:the\s+)?claims?|patentansprüche|ansprüche|patentanspruch|revendications?"
    r"|reivindicaciones|權利要求書?|权利要求书?|請求の範囲|特許請求の範囲|청구범위|특허청구범위"
    r"|(?:what|that which)\s+(?:is|i|we)\s+claim(?:ed)?[^\n:]{0,80}|(?:i|we)(?:/we)?\s+claim)"
    r"[ \t*_]*[:.]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NUMBERED = re.compile(
    r"(?:^|\n)\s*(?:\d{1,3}\s*[.)、．]|[【\[(]?(?:claim|請求項|청구항)\s*\d)", re.IGNORECASE
)


def read_draft(entry: Entry, descriptions: bool) -> Iterator[Patent | Problem]:
    """Read one draft."""
    try:
        data = entry.whole(_LARGEST)
        text = word_text(data) if data.startswith(b"PK") else decoded(data)
        yield patent(text, Path(entry.name.split("!")[-1]).name.split(".")[0], descriptions)
    except (Malformed, Refused, zipfile.BadZipFile, KeyError) as error:
        yield Problem(entry.name, 0, str(error))


def decoded(data: bytes) -> str:
    """Decode a text file: UTF-8, UTF-16 with its mark, or the Windows code page."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\x00" in data:
        raise Malformed("unknown format: binary data")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def patent(text: str, name: str = "draft", descriptions: bool = False) -> Patent:
    r"""Read a draft's text; claim spans are places in it.

    >>> draft = patent("A pump\n\nClaims\n1. A pump.\n2. The pump of claim 1.")
    >>> draft.title, [(c.number, c.text) for c in draft.claims]
    ('A pump', [(1, 'A pump.'), (2, 'The pump of claim 1.')])
    """
    headings = list(_HEADING.finditer(text))
    start = headings[-1].end() if headings else 0
    found = split_set(text[start:])
    if not found.claims or not (headings or _NUMBERED.search(text)):
        raise Malformed("no claims found: number them '1.', '2.', … under a line 'Claims'")
    before = text[: headings[-1].start()] if headings else ""
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    return Patent(
        number=name,
        claims=tuple(
            Claim(c.number, c.text, (c.span[0] + start, c.span[1] + start) if c.span else None)
            for c in found.claims
        ),
        language=detect(" ".join(claim.text for claim in found.claims)),
        title=fold(lines[0]) if lines and len(lines[0]) <= 300 else "",
        description="\n".join(lines[1:]) if descriptions else "",
        cancelled=found.cancelled,
    )

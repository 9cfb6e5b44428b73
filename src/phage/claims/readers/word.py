"""The text of a Word file, with the numbers that Word counts itself.

In:   the bytes of a ``.docx``.
Out:  one line per paragraph.
Why:  claims in Word are often a numbered list, whose numbers stand nowhere in the text."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from phage.claims.readers.documents import Malformed, parse
from phage.claims.readers.unpack import Refused

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LARGEST = 64 << 20
Level = tuple[str, int]
"""A list and a depth in it."""


class Line(NamedTuple):
    """One paragraph of a Word file as a line of text."""

    text: str
    """With the number that Word counts, if any."""
    lead: int
    """Where the paragraph's own words begin in it."""
    skipped: int
    """White space of the paragraph that was left out before them."""


def word_text(data: bytes) -> str:
    """Give the text of a Word file."""
    return "\n".join(line.text for line in word_lines(data))


def word_lines(data: bytes) -> list[Line]:
    """Give the paragraphs of a Word file in the order of its XML, one line each."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        if "word/document.xml" not in names:
            raise Malformed("not a Word file")
        body = _part(archive, "word/document.xml")
        lists = _part(archive, "word/numbering.xml") if "word/numbering.xml" in names else None
        styles = _part(archive, "word/styles.xml") if "word/styles.xml" in names else None
    return list(_lines(body, _formats(lists), _style_levels(styles)))


def _part(archive: zipfile.ZipFile, name: str) -> etree._Element:
    with archive.open(name) as part:
        data = part.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise Refused(f"{name} unpacks to more than {_LARGEST >> 20} MB")
    return parse(data)


def _value(element: etree._Element | None, path: str) -> str:
    found = None if element is None else element.find(path)
    return "" if found is None else found.get(f"{_W}val") or ""


def _formats(lists: etree._Element | None) -> dict[Level, tuple[str, int, str]]:
    """Give, for each list and depth, the abstract list it counts with, its start and its format."""
    formats: dict[Level, tuple[str, int, str]] = {}
    if lists is None:
        return formats
    abstract = {a.get(f"{_W}abstractNumId") or "": a for a in lists.iterfind(f"{_W}abstractNum")}
    for number in lists.iterfind(f"{_W}num"):
        name = number.get(f"{_W}numId") or ""
        shared = _value(number, f"{_W}abstractNumId")
        restarts = number.find(f"{_W}lvlOverride/{_W}startOverride") is not None
        for level in abstract[shared].iterfind(f"{_W}lvl") if shared in abstract else ():
            depth = int(level.get(f"{_W}ilvl") or 0)
            start = _value(number, f"{_W}lvlOverride/{_W}startOverride") if restarts else ""
            start = start or _value(level, f"{_W}start") or "1"
            counter = name if restarts else f"abstract {shared}"
            form = _value(level, f"{_W}numFmt")
            formats[name, depth] = (counter, int(start) if start.isdecimal() else 1, form)
    return formats


def _style_levels(styles: etree._Element | None) -> dict[str, Level]:
    levels: dict[str, Level] = {}
    for style in [] if styles is None else styles.iterfind(f"{_W}style"):
        properties = style.find(f"{_W}pPr/{_W}numPr")
        if properties is not None:
            levels[style.get(f"{_W}styleId") or ""] = _level(properties)
    return levels


def _level(properties: etree._Element) -> Level:
    depth = _value(properties, f"{_W}ilvl")
    return _value(properties, f"{_W}numId"), int(depth) if depth.isdecimal() else 0


def _lines(
    body: etree._Element, formats: dict[Level, tuple[str, int, str]], styles: dict[str, Level]
) -> Iterator[Line]:
    counts: dict[tuple[str, int], int] = {}
    for paragraph in body.iter(f"{_W}p"):
        whole = _words(paragraph)
        words = whole.strip()
        properties = paragraph.find(f"{_W}pPr/{_W}numPr")
        style = _value(paragraph, f"{_W}pPr/{_W}pStyle")
        level = styles.get(style) if properties is None else _level(properties)
        counter, start, form = formats.get(level or ("", 0), ("", 1, ""))
        if words and level and form == "decimal":
            key = (counter, level[1])
            counts[key] = counts.get(key, start - 1) + 1
            # Only the outermost numbers are claims'; deeper ones number a claim's parts.
            numbered = f"{counts[key]}. {words}" if level[1] == 0 else f"{counts[key]}) {words}"
        else:
            numbered = words
        yield Line(numbered, len(numbered) - len(words), len(whole) - len(whole.lstrip()))


def _words(paragraph: etree._Element) -> str:
    parts: list[str] = []
    for run in paragraph.iter(f"{_W}t", f"{_W}tab", f"{_W}br", f"{_W}noBreakHyphen"):
        parts.append({f"{_W}t": run.text or "", f"{_W}noBreakHyphen": "-"}.get(str(run.tag), " "))
    return "".join(parts)

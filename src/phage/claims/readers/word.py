"""The text of a Word file, with the numbers that Word counts itself.

In:   the bytes of a ``.docx``.
Out:  one line per paragraph, and where in the file its words stand.
Why:  claims in Word are often a numbered list, whose numbers stand nowhere in the text. The text
      is read as a stream: kilobytes of packed empty paragraphs would be gigabytes as a tree."""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from phage.claims.readers.blanks import GONE, emptied
from phage.claims.readers.documents import Malformed, parse
from phage.claims.readers.unpack import BLOCK, Refused, open_member

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "word/document.xml"
_LARGEST = 64 << 20
"""Bytes of the unpacked text."""
_SMALL = 4 << 20
"""Bytes of the unpacked lists and styles, which are read as a tree."""
_ELEMENTS = 1_000_000
"""Elements of the text; a draft of 400,000 characters has about 100,000."""
_LEVELS = 9
"""Depths of a list in Word."""
DELETED = ("del", "moveFrom")
"""What holds text that a tracked change took away."""
_STRUCK = ("strike", "dstrike")
Level = tuple[str, int]
"""A list and a depth in it."""
Formats = dict[Level, tuple[str, int, str]]


class Line(NamedTuple):
    """One paragraph of a Word file as a line of text."""

    text: str
    """With the number that Word counts, if any."""
    lead: int
    """Where the paragraph's own words begin in it."""
    skipped: int
    """White space of the paragraph that was left out before them."""
    place: int
    """Which paragraph of the XML it is, counted from 0 in the order in which they begin."""


def is_word(path: Path) -> bool:
    """Return whether a file is a Word file."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
        return _TEXT in archive.namelist()
    return False


def word_text(data: bytes) -> str:
    """Return the text of a Word file."""
    return "\n".join(line.text for line in word_lines(data))


def word_lines(data: bytes) -> list[Line]:
    """Return the paragraphs of a Word file in order; of several empty ones only the first."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        if _TEXT not in names:
            raise Malformed("not a Word file")
        lists = _part(archive, "word/numbering.xml") if "word/numbering.xml" in names else None
        styles = _part(archive, "word/styles.xml") if "word/styles.xml" in names else None
        return _lines(_paragraphs(archive), _formats(lists), _style_levels(styles))


def _blocks(archive: zipfile.ZipFile, name: str, limit: int) -> Iterator[bytes]:
    """Unpack a part, a block at a time."""
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"{name} is compressed with a method that Word never uses")
    size = 0
    with open_member(archive, name) as part:
        while block := part.read(BLOCK):
            size += len(block)
            if size > limit:
                raise Refused(f"{name} unpacks to more than {limit >> 20} MB")
            yield block


def _part(archive: zipfile.ZipFile, name: str) -> etree._Element:
    return parse(b"".join(_blocks(archive, name, _SMALL)))


@dataclass(slots=True)
class _Paragraph:
    """What is read of one paragraph."""

    place: int
    words: list[str] = field(default_factory=list)
    style: str = ""
    level: Level | None = None
    skipped: int = 0
    struck: bool = False
    """It has words that are crossed out; Word counts it, too."""


def is_on(value: str) -> bool:
    """Return whether a property such as "crossed out" holds: without a value it does.

    >>> is_on(""), is_on("true"), is_on("0")
    (True, True, False)
    """
    return value not in ("0", "false", "off")


class _Text:
    """Takes the events of a parser and keeps the paragraphs."""

    def __init__(self) -> None:
        self.paragraphs: list[_Paragraph] = []  # in the order in which they begin
        self.open: list[_Paragraph] = []  # a text box has paragraphs inside one
        self.path: list[str] = []
        self.runs: list[bool] = []  # whether each open run is crossed out
        self.gone = 0  # open elements whose text was taken away
        self.count = 0
        self.left = _ELEMENTS

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.left -= 1
        if self.left < 0:
            raise Refused(f"a Word file of more than {_ELEMENTS:,} elements")
        name = tag.removeprefix(_W) if tag.startswith(_W) else ""
        if name == "r":
            self.runs.append(False)
        elif name in DELETED:
            self.gone += 1
        if name == "p":
            self.open.append(_Paragraph(self.count))
            self.paragraphs.append(self.open[-1])
            self.count += 1
        elif self.open:
            self._inside(name, attributes.get(f"{_W}val") or "")
        self.path.append(name)

    def _inside(self, name: str, value: str) -> None:
        paragraph = self.open[-1]
        if name in ("tab", "br"):
            self._say(" ")
        elif name == "noBreakHyphen":
            self._say("-")
        elif name in _STRUCK and self.path[-2:] == ["r", "rPr"]:
            self.runs[-1] |= is_on(value)
        elif self.path[-2:] == ["p", "pPr"] and name == "pStyle":
            paragraph.style = paragraph.style or value
        elif self.path[-2:] == ["p", "pPr"] and name == "numPr":
            paragraph.level = ("", 0)
        elif self.path[-3:] == ["p", "pPr", "numPr"] and paragraph.level is not None:
            paragraph.level = _numbered(paragraph.level, name, value)

    def end(self, tag: str) -> None:
        name = self.path.pop()
        if name == "r":
            self.runs.pop()
        elif name in DELETED:
            self.gone -= 1
        if name != "p":
            return
        ended = self.open.pop()
        whole = "".join(ended.words)
        text = whole.strip()
        ended.words = [text] if text else []
        ended.skipped = len(whole) - len(whole.lstrip())
        before = self.paragraphs[-2] if len(self.paragraphs) > 1 else None
        if (
            ended is self.paragraphs[-1]
            and before is not None
            and not (text or ended.struck or before.words)
        ):
            self.paragraphs.pop()  # one empty line parts as well as a million

    def data(self, text: str) -> None:
        if self.open and self.path[-1] == "t":
            self._say(text)

    def _say(self, text: str) -> None:
        """Add to the words of the paragraph what is neither crossed out nor taken away."""
        if self.runs and self.runs[-1]:
            self.open[-1].struck = True
        elif not self.gone:
            self.open[-1].words.append(text)

    def doctype(self, *_parts: str | None) -> None:
        raise Refused("a Word file with a document type")

    def close(self) -> list[_Paragraph]:
        return self.paragraphs


def _paragraphs(archive: zipfile.ZipFile) -> list[_Paragraph]:
    parser = etree.XMLParser(
        target=_Text(),  # type: ignore[arg-type]  # tags and texts of XML are never bytes
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
    )
    try:
        for block in _blocks(archive, _TEXT, _LARGEST):
            parser.feed(block)
        found: list[_Paragraph] = parser.close()  # type: ignore[assignment]
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise Malformed(f"not well-formed XML: {reason}") from None
    return found


def _value(element: etree._Element | None, path: str) -> str:
    found = None if element is None else element.find(path)
    return "" if found is None else found.get(f"{_W}val") or ""


def _formats(lists: etree._Element | None) -> Formats:
    """Give, for each list and depth, the abstract list it counts with, its start and its format."""
    formats: Formats = {}
    if lists is None:
        return formats
    abstract = {
        one.get(f"{_W}abstractNumId") or "": list(islice(one.iterfind(f"{_W}lvl"), _LEVELS))
        for one in lists.iterfind(f"{_W}abstractNum")
    }
    for number in lists.iterfind(f"{_W}num"):
        name = number.get(f"{_W}numId") or ""
        shared = _value(number, f"{_W}abstractNumId")
        restarts = number.find(f"{_W}lvlOverride/{_W}startOverride") is not None
        restart = _value(number, f"{_W}lvlOverride/{_W}startOverride") if restarts else ""
        for level in abstract.get(shared, ()):
            depth = _whole(level.get(f"{_W}ilvl") or "", 0)
            start = restart or _value(level, f"{_W}start")
            counter = name if restarts else f"abstract {shared}"
            formats[name, depth] = (counter, _whole(start, 1), _value(level, f"{_W}numFmt"))
    return formats


def _whole(text: str, otherwise: int) -> int:
    """Read a number as Word writes it; Word never writes a longer one.

    >>> _whole("12", 0), _whole("9" * 5000, 0), _whole("²", 1)
    (12, 0, 1)
    """
    return int(text) if text.isdecimal() and len(text) <= 9 else otherwise


def _style_levels(styles: etree._Element | None) -> dict[str, Level]:
    levels: dict[str, Level] = {}
    for style in [] if styles is None else styles.iterfind(f"{_W}style"):
        properties = style.find(f"{_W}pPr/{_W}numPr")
        if properties is not None:
            levels[style.get(f"{_W}styleId") or ""] = _level(properties)
    return levels


def _level(properties: etree._Element) -> Level:
    return _value(properties, f"{_W}numId"), _whole(_value(properties, f"{_W}ilvl"), 0)


def _numbered(level: Level, name: str, value: str) -> Level:
    if name == "numId":
        return value, level[1]
    return (level[0], _whole(value, 0)) if name == "ilvl" else level


def _lines(paragraphs: list[_Paragraph], formats: Formats, styles: dict[str, Level]) -> list[Line]:
    lines, counts = list[Line](), dict[Level, int]()
    for paragraph in paragraphs:
        words, number = "".join(paragraph.words), ""
        level = paragraph.level or styles.get(paragraph.style)
        counter, start, form = formats.get(level or ("", 0), ("", 1, ""))
        if (words or paragraph.struck) and level and form == "decimal":
            key = (counter, level[1])
            counts[key] = counts.get(key, start - 1) + 1
            # Only the outermost numbers are claims'; deeper ones number a claim's parts.
            number = f"{counts[key]}. " if level[1] == 0 else f"{counts[key]}) "
            number = number if words or level[1] == 0 else ""
        lines.append(Line(number + words, len(number), paragraph.skipped, paragraph.place))
    return _struck(paragraphs, lines)


def _struck(paragraphs: list[_Paragraph], lines: list[Line]) -> list[Line]:
    """Mark claims that are crossed out as a whole as canceled."""
    behind = ""
    for place, (paragraph, line) in reversed([*enumerate(zip(paragraphs, lines, strict=True))]):
        if paragraph.struck and emptied(line.text, behind):
            lines[place] = line._replace(text=f"{line.text.strip()} {GONE}")
        elif not paragraph.words:
            lines[place] = line._replace(text="", lead=0)
        behind = lines[place].text or behind
    return lines

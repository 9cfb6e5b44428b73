"""One normal form for numbers, classes, dates and white space.

In:   what offices print: ``08621662``, ``G06F017/60``, ``20140107``.
Out:  what all later steps compare: ``US8621662B2``, ``G06F 17/60``, ``2014-01-07``.
Why:  two formats that name one thing in two ways must not make two things of it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable

_US = re.compile(r"([A-Z]{0,2})0*(\d+)$")
_WHOLE = re.compile(r"([A-Z]{2})[\s-]*([A-Z]{0,2}[\d][\d\s/,.-]*?)[\s-]*([A-Z]\d?)?$")
_NOISE = re.compile(r"[^A-Z0-9]")
_SLASHED = re.compile(r"([A-HY]\d{2}[A-Z])\s*0*(\d{1,4})\s*/\s*(\d{1,6})")
_COLUMNS = re.compile(r"([A-HY]\d{2}[A-Z])([\d ]{2}\d)(\d{2,6})(?!\d)")
_SUBCLASS = re.compile(r"([A-HY]\d{2}[A-Z])(?![A-Z0-9])")
_LONGEST = 80
"""Characters of a number; what is longer is not one, and patterns need not look at it."""
_DATE = re.compile(r"((?:1[5-9]|20)\d\d)[-/.]?(\d\d)[-/.]?(\d\d)(?!\d)")

_NAMED_MONTH = re.compile(
    r"(\d{1,2})[-/. ]([A-Za-z]{3})[a-z]{0,6}[-/., ]{1,2}((?:1[5-9]|20)\d\d)(?!\d)"
)
_MONTHS = [
    "",
    *["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
]


def fold(text: str) -> str:
    r"""Fold all white space, also the non-breaking kinds, to single blanks.

    >>> fold("  A\u00a0pump,\n  comprising: ")
    'A pump, comprising:'
    """
    return " ".join(text.split())


def shortened(text: str, size: int) -> str:
    """Cut a long text, at a word where one ends in its second half.

    >>> shortened("a pump with a shaft", size=8), shortened("pumping", size=4), shortened("a", size=1)
    ('a pump …', 'pump …', 'a')
    """
    if len(text) <= size:
        return text
    blank = text.rfind(" ", size // 2, size + 1)
    return f"{text[: size if blank < 0 else blank].rstrip()} …"


def sound(text: str) -> str:
    r"""Replace half a surrogate pair by a question mark: files and tokenizers reject it.

    >>> sound("a \ud800 pump")
    'a ? pump'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def printable(text: str, instead: str = "") -> str:
    """Remove or replace characters that XML 1.0 forbids, even escaped.

    >>> printable("a" + chr(0) + "b" + chr(0xD800) + "c")
    'abc'
    """
    return _UNWRITABLE.sub(instead, text)


def publication(office: str, number: str, kind: str = "") -> str:
    """Join office, number and kind of a publication.

    US numbers lose their leading zeros; US applications get the eleven digits that the office
    prints (the international exchange form drops one); EP numbers keep seven digits.

    >>> publication("US", "08621662", "B2"), publication("US", "D0697285", "S1")
    ('US8621662B2', 'USD697285S1')
    >>> publication("US", "2015340890", "A1"), publication("EP", "166996", "B2")
    ('US20150340890A1', 'EP0166996B2')
    >>> publication("WO", "WO2007/101938", "A ")
    'WO2007101938A'
    """
    if office == "US" and number.isdecimal() and len(number) <= 8 and kind.isalnum():
        return f"US{number.lstrip('0')}{kind.upper()}"  # nearly all there are
    office = office.strip().upper()
    digits = _NOISE.sub("", number.upper()).removeprefix(office)
    kind = _NOISE.sub("", kind.upper())
    if office == "US":
        digits = _us_digits(digits)
    elif office == "EP" and digits.isdigit():
        digits = digits.lstrip("0").zfill(7)
    return f"{office}{digits}{kind}" if digits else ""


def _us_digits(digits: str) -> str:
    if len(digits) == 11 and digits[:2] in ("20", "19") and digits.isdigit():
        return digits
    found = _US.match(digits) if len(digits) <= _LONGEST else None
    if not found:
        return digits
    letters, bare = found.groups()
    if not letters and len(bare) == 10 and bare[:2] == "20":
        bare = f"{bare[:4]}0{bare[4:]}"
    return letters + bare


def parts(whole: str) -> tuple[str, str, str]:
    """Take a publication number apart: office, number, kind; empty strings if it is not one.

    >>> parts("US-7650331-B1"), parts("USRE44672E1"), parts("EP0166996")
    (('US', '7650331', 'B1'), ('US', 'RE44672', 'E1'), ('EP', '0166996', ''))
    >>> parts("draft")
    ('', '', '')
    """
    whole = whole.strip()
    found = _WHOLE.match(whole.upper()) if len(whole) <= _LONGEST else None
    if not found:
        return "", "", ""
    return found[1], found[2], found[3] or ""


def whole_number(number: str) -> str:
    """Bring a publication number that is already whole into normal form; keep any other.

    >>> whole_number("US-2015340890-A1"), whole_number("my draft")
    ('US20150340890A1', 'my draft')
    """
    office, digits, kind = parts(number)
    return publication(office, digits, kind) if office else fold(number)


def application(office: str, number: str) -> str:
    """Join office and number of an application.

    >>> application("US", "13/175,987"), application("US", "US-201113175987-A")
    ('US13175987', 'US13175987')
    >>> application("EP", "85107895.4"), application("EP", "EP-99203729-A")
    ('EP85107895', 'EP99203729')
    """
    if office == "US" and number.isdecimal() and len(number) == 8:
        return f"US{number}"
    office = office.strip().upper()
    digits = re.sub(r"-[A-Z]\d?$", "", number.strip().upper())
    digits = re.sub(r"[^A-Z0-9.]", "", digits).removeprefix(office)
    if digits.startswith("PCT"):
        return digits
    if office == "EP":
        digits = digits.split(".")[0]  # the check digit, which most sources leave out
    if office == "US":
        digits = digits.replace(".", "")
        if len(digits) == 12 and digits[:2] in ("19", "20"):
            digits = digits[4:]  # the exchange form puts the year before series and number
    return f"{office}{digits}" if digits else ""


def classification(symbol: str) -> str:
    """Bring an IPC or CPC symbol into normal form; empty if it is not one.

    >>> classification("G06F017/60"), classification("B28B   1/00        20060101C I20051008RMEP")
    ('G06F 17/60', 'B28B 1/00')
    >>> classification("A47L  514"), classification("g06f 1516"), classification("A61K31/495")
    ('A47L 5/14', 'G06F 15/16', 'A61K 31/495')
    >>> classification("H02M"), classification("2 211")
    ('H02M', '')
    """
    symbol = symbol.strip().upper()
    if found := _SLASHED.match(symbol):
        return f"{found[1]} {found[2]}/{found[3].zfill(2)}"
    if found := _COLUMNS.match(symbol):
        return f"{found[1]} {found[2].strip().lstrip('0') or '0'}/{found[3]}"
    if found := _SUBCLASS.match(symbol):
        return found[1]
    return ""


def classifications(symbols: Iterable[str]) -> tuple[str, ...]:
    """Bring several into normal form, each once, in the order given.

    >>> classifications(["G06F017/60", "", "G06F 17/60", "H04L 9/00"])
    ('G06F 17/60', 'H04L 9/00')
    """
    return tuple(dict.fromkeys(filter(None, map(classification, symbols))))


def date(text: object) -> str:
    """Return ``YYYY-MM-DD``, or nothing where the day is not a real one.

    >>> date("20140107"), date(20140107), date("2014-01-07T00:00:00"), date("19610100")
    ('2014-01-07', '2014-01-07', '2014-01-07', '')
    >>> date("03-Apr-1989"), date("7 January 2014"), date("03-Foo-1989"), date("03/04/1989")
    ('1989-04-03', '2014-01-07', '', '')
    """
    given = str(text).strip()
    if found := _DATE.match(given):
        year, month, day = int(found[1]), int(found[2]), int(found[3])
    elif (found := _NAMED_MONTH.match(given)) and found[2].lower() in _MONTHS:
        year, month, day = int(found[3]), _MONTHS.index(found[2].lower()), int(found[1])
    else:
        return ""
    try:
        return datetime.date(year, month, day).isoformat()
    except ValueError:
        return ""


def language(code: str, default: str = "en") -> str:
    """Return a language's two letters; ``xx`` (unknown) and nothing give the default.

    >>> language("EN"), language("xx"), language("ger"), language("en-US")
    ('en', 'en', 'de', 'en')
    """
    code = code.strip().lower()
    code = _LONG.get(code, code.split("-")[0].split("_")[0])
    return code if len(code) == 2 and code.isalpha() and code != "xx" else default


_LONG = {
    "eng": "en", "ger": "de", "deu": "de", "fre": "fr", "fra": "fr", "spa": "es", "ita": "it",
    "jpn": "ja", "kor": "ko", "chi": "zh", "zho": "zh", "cn": "zh", "jp": "ja", "kr": "ko",
}  # fmt: skip

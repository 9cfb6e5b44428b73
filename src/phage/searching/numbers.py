"""Patent numbers as people write them.

In:   ``US 8,621,662 B2``, ``EP 1 234 567``, ``16/123,456``, ``WO 2019/123456 A1``, a link.
Out:  what to look for in an index: digits, with office and kind if they were written.
Why:  numbers are typed, pasted from letters or copied from web pages, each in its own form.
      Anything else is searched as text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from phage.claims.normal import application, parts, publication

OFFICES = (
    "AP|AR|AT|AU|BE|BG|BR|CA|CH|CL|CN|CO|CZ|DD|DE|DK|EA|EE|EP|ES|FI|FR|GB|GC|GR|HK|HR|HU|ID|IE|IL|IN"
    "|IS|IT|JP|KR|LT|LU|LV|MX|MY|NL|NO|NZ|OA|PE|PH|PL|PT|RO|RS|RU|SE|SG|SI|SK|SU|TH|TR|TW|UA|US|VN|WO"
    "|ZA|ZZ"
)
"""Codes that can precede a number; other letter pairs do not count. ZZ marks invented patents."""
_LONGEST = 120
_LINK = re.compile(r"^HTTPS?://[^/\s]+/(?:PATENT/)?([A-Z]{2}[A-Z]{0,2}\d{4,13}[A-Z]?\d?)(?:/\S*)?$")
_LEAD = re.compile(
    r"^(?:(?:THE|UNITED STATES|USPN|U\.\s?S\.|US(?=\s+[PAS][A-Z])|PATENTS?|PAT\.?|PUBLICATION|PUBL?\.?|APPLICATIONS?|APPLN?\.?"
    r"|SERIAL|SER\.?|DOCUMENT|DOC\.?|INTERNATIONAL|INT\.?|EUROPEAN|NUMBERS?|NOS?\.|NO|NR\.?|#|:)\s*)+"
    r"(?![A-Z]*\Z)"
)
_AMERICAN = re.compile(r"^(?:UNITED STATES|USPN|U\.\s?S\.|US(?=\s+[PAS][A-Z]))")
_PCT = re.compile(r"^PCT\s?/?\s?([A-Z]{2})\s?(\d{2}|\d{4})\s?/?\s?(\d{4,6})$")
_NATIVE = (("CN", re.compile(r"^(?:CN\s?)?ZL\s?")), ("JP", re.compile(r"^特[許開願表]第?")))
"""What stands before a number in China and Japan instead of the office."""
_KOREAN = re.compile(r"^[12]0-(?:\d{4}-)?\d{7}$")
_CHECK = re.compile(r"(?<=\d{8})\.[\dX]$")
"""The check digit after an application number."""
_SHAPE = re.compile(
    rf"^(?P<office>{OFFICES})?[\s.:-]*"
    r"(?P<series>RE|PP|DES|AI|D|H|T|P|X)?[\s.]*"
    r"(?P<digits>\d(?:[\s,.'/-]{0,2}\d){3,13})"
    r"[\s.,-]*(?:\(?(?P<kind>[A-Z]\d?)\)?)?$"
)
_SLASHED = re.compile(r"^(\d{2})/(\d{3}),?(\d{3})$")
"""US series code and application number."""


@dataclass(frozen=True, slots=True)
class PatentNumber:
    """One reading of what was typed: a publication or an application."""

    digits: str
    """The number without office and kind, as in the index column ``digits``."""
    office: str = ""
    kind: str = ""
    application: str = ""
    """In normal form, where the digits may be those of an application."""

    def __str__(self) -> str:
        """Return the number as offices print it.

        >>> str(PatentNumber("8621662", "US", "B2"))
        'US8621662B2'
        """
        return f"{self.office}{self.digits}{self.kind}"


def digits_of(number: str) -> str:
    """Return the part of a publication number between office and kind.

    >>> digits_of("US8621662B2"), digits_of("USD697285S1"), digits_of("172293")
    ('8621662', 'D697285', '172293')
    """
    return parts(number)[1] or number


def recognised(text: str) -> tuple[PatentNumber, ...]:
    """Read a text as a patent number, in every possible way; empty if it is an ordinary text.

    >>> [str(one) for one in recognised("U.S. Pat. No. 8,621,662 B2")]
    ['US8621662B2']
    >>> recognised("16/123,456")[0].application, recognised("a pump with 3 valves")
    ('US16123456', ())
    """
    if len(text) > _LONGEST:
        return ()
    plain = " ".join(unicodedata.normalize("NFKC", text).upper().split()).strip(" .;,()[]'‘’")
    if link := _LINK.match(plain):
        plain = link[1]
    american = "US" if _AMERICAN.match(plain) else ""
    plain = _LEAD.sub("", plain).strip()
    for office, lead in _NATIVE:
        plain = lead.sub(office, plain).removesuffix("号").removesuffix("號")
    if pct := _PCT.match(plain):
        return _international(*pct.groups())
    shape = _SHAPE.match(plain)
    if not shape:
        return ()
    office, series = shape["office"] or american, (shape["series"] or "").replace("DES", "D")
    if sum(map(str.isdigit, shape["digits"])) < (5 if not office and not series else 4):
        return ()
    return tuple(dict.fromkeys(_readings(office, series, shape["digits"], shape["kind"] or "")))


def _international(office: str, year: str, number: str) -> tuple[PatentNumber, ...]:
    years = [year] if len(year) == 4 else [year, _century(year)]
    spelled = {f"PCT{office}{y}{number.zfill(width)}" for y in years for width in (5, 6)}
    return tuple(PatentNumber(one, application=one) for one in sorted(spelled))


def _readings(office: str, series: str, printed: str, kind: str) -> list[PatentNumber]:
    home = office or ("US" if series or _SLASHED.match(printed) else "")
    if _KOREAN.match(printed):
        home = office or "KR"
    elif home != "US" and _CHECK.search(bare := printed.replace(" ", "")):
        printed = bare[:-2]
        home = office or ("EP" if len(printed) == 8 else "CN" if len(printed) == 12 else "")
    digits = re.sub(r"\D", "", printed)
    found: list[PatentNumber] = []
    if home == "US" and _SLASHED.match(printed):
        return [PatentNumber(digits, "US", kind, application("US", digits))]
    if home == "WO":
        return [PatentNumber(one, "WO", kind) for one in _world(digits, printed)]
    if not home:  # bare digits: the office is whatever the index has
        american = digits_of(publication("US", digits, "A1"))
        found = [PatentNumber(one, "", kind) for one in dict.fromkeys((digits, american))]
        return [*found, PatentNumber(digits, "", kind, application("US", digits))]
    number = digits_of(publication(home, series + digits, "A"))
    applied = "" if series else application(home, printed if home == "EP" else digits)
    found = [PatentNumber(number, home, kind, applied)]
    if home == "KR":  # with or without the kind of right, 10 or 20, before the year
        other = digits[2:] if len(digits) == 13 else f"10{digits}" if len(digits) == 11 else ""
        found += [PatentNumber(other, home, kind)] * bool(other)
    return found


def _world(digits: str, printed: str) -> list[str]:
    """Return the spellings of a WO number: two or four digits for the year, then five or six."""
    if len(digits) == 10 and digits[:2] in ("19", "20"):
        return [digits, f"{digits[2:4]}{digits[4:].removeprefix('0')}"]
    found = re.match(r"(\d{2})\D?(\d{5,6})$", printed.replace(" ", "")) or re.match(
        r"(\d{4})\D(\d{5,6})$", printed.replace(" ", "")
    )
    if not found:
        return [digits]
    year, number = found.groups()
    whole = year if len(year) == 4 else _century(year)
    return list(dict.fromkeys([f"{whole}{number.zfill(6)}", digits, f"{whole[2:]}{number}"]))


def _century(year: str) -> str:
    return f"{'19' if int(year) >= 78 else '20'}{year}"  # the PCT began in 1978


def condition(number: PatentNumber) -> str:
    """Return the condition, in SQL, that a row is the patent of this number."""
    where = f"digits = {quoted([number.digits])}"
    if number.office:
        where += f" AND office = {quoted([number.office])}"
    if number.application:
        where = f"{where} OR application = {quoted([number.application])}"
    return f"({where})"


def preference(
    row: dict[str, Any], readings: Sequence[PatentNumber]
) -> tuple[bool, bool, bool, str]:
    """Order rows that a number may mean: the right kind, a publication, the US, the first."""
    kinds = {one.kind for one in readings}
    published = row["digits"] in {one.digits for one in readings}
    return row["kind"] not in kinds, not published, row["office"] != "US", row["number"]


def quoted(values: Iterable[str]) -> str:
    """Write strings as an SQL list.

    >>> quoted(["US1A", "o'neil"])
    "'US1A', 'o''neil'"
    """
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values) or "''"

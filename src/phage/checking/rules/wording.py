"""Wording: terms that blur what is claimed.

In:   claim texts.
Out:  relative and optional language, trade marks, omnibus claims, functions, reference signs.
Why:  each of these has a section of its own in the offices' guidelines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from phage.checking.reading import LegalReading
from phage.checking.rules.types import Seen, place
from phage.checking.types import Office, Place, Severity

_WORDING = tomllib.loads((files("phage.checking") / "wording.toml").read_text("utf-8"))
_NO_PARTS = tuple(_WORDING.pop("no-part")["words"].split())
_PATTERNS: dict[tuple[str, str], tuple[dict[str, str], re.Pattern[str]]] = {
    (rule, language): (
        {hint: max(hint.split(), key=len) for hint in row["hints"]},
        re.compile(row["words"], re.IGNORECASE),
    )
    for rule, languages in _WORDING.items()
    for language, row in languages.items()
}
"""(rule, language or "all") → strings one of which must be there, each with its longest word, and
what to look for."""


def _matches(reading: LegalReading, rule: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield all places where a rule's words stand."""
    for language in (reading.language, "all"):
        hints, pattern = _PATTERNS.get((rule, language), ({}, None))
        if pattern is None:
            continue
        present = [hint for hint, word in hints.items() if word in reading.words]
        for number, lower in reading.lower.items() if present else ():
            if any(hint in lower for hint in present):
                for match in pattern.finditer(reading.claims[number].text):
                    yield number, match


def relative(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report terms of degree; a warning where the description does not have them.

    >>> from phage.checking.example import found
    >>> found("A bed having a relatively thin slat.")
    [('relative-term', 1, 'relatively thin', 'note')]
    """
    about = reading.patent.description.lower()
    for number, match in _matches(reading, "relative-term"):
        term = match[0].lower()
        unknown = bool(about) and term not in about
        yield Seen(
            "relative-term", place(reading, number, *match.span()),
            f"claim {number}: '{match[0]}' is a matter of degree",
            "give a value, or a standard in the description",
            severity=Severity.WARNING if unknown else None, term=term,
        )  # fmt: skip


def optional(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report preferences and examples.

    >>> from phage.checking.example import found
    >>> found("A bed having a slat, preferably of wood.")
    [('optional-language', 1, 'preferably', 'warning')]
    """
    for number, match in _matches(reading, "optional-language"):
        yield Seen(
            "optional-language", place(reading, number, *match.span()),
            f"claim {number}: '{match[0]}' leaves the scope of the claim open",
            "leave it out, or write a dependent claim", term=match[0].lower(),
        )  # fmt: skip


def trademark(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report trade marks; names of standards are notes.

    >>> from phage.checking.example import found
    >>> found("A bed having a Velcro strip.")
    [('trademark', 1, 'Velcro', 'warning')]
    """
    for number, match in _matches(reading, "trademark"):
        yield Seen(
            "trademark", place(reading, number, *match.span()),
            f"claim {number}: '{match[0]}' may be a trade mark",
            "use the generic name of the thing",
            severity=Severity.NOTE if match.lastgroup == "standard" else None,
            term=match[0].lower(),
        )  # fmt: skip


def omnibus(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a claim that points to the description or the drawings.

    >>> from phage.checking.example import found
    >>> found("A bed substantially as described herein.")
    [('omnibus', 1, 'substantially as described herein', 'error')]
    >>> found("A bed as herein described with reference to Figures 1 to 3.")[0][2]
    'as herein described with reference to Figures'

    The one claim of a design patent must say so (37 CFR 1.153).

    >>> found("The ornamental design for a bed, as shown and described.")
    []
    >>> found("A bed having legs designed as described herein.")
    [('omnibus', 1, 'as described herein', 'error')]
    """
    if _is_design(reading):
        return
    for number, match in _matches(reading, "omnibus"):
        yield Seen(
            "omnibus", place(reading, number, *match.span()),
            f"claim {number} refers to the description or the drawings",
            "write the features into the claim", term=match[0].lower(),
        )  # fmt: skip


def _is_design(reading: LegalReading) -> bool:
    return len(reading.lower) == 1 and any(
        "ornamental design" in text[:80] for text in reading.lower.values()
    )


def means(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report parts that are claimed by their function.

    >>> from phage.checking.example import found
    >>> found("A bed having means for folding a slat.")
    [('means-plus-function', 1, 'means for folding', 'note')]
    """
    for number, match in _matches(reading, "means-plus-function"):
        yield Seen(
            "means-plus-function", place(reading, number, *match.span()),
            f"claim {number}: '{match[0]}' is read under 35 U.S.C. 112(f)",
            "make sure that the description holds the structure", term=match[0].lower(),
        )  # fmt: skip


_CJK = chr(0x2E80)
"""From here on signs are of languages that do not set words apart."""
_SIGN = re.compile(r"([^\W\d_][\w-]*)\s*[(（]\s*(\d{1,4}[a-z]?['’]?)\s*[)）]")


_MARK = re.compile(r"\((\d{1,4}[a-z]?['’]?)\)")
_LIST = re.compile(r"\(\s*\d{1,4}\w?['’]?(?:\s*(?:[,;/–-]|and|or|to)\s*\d{1,4}\w?['’]?)+\s*\)")
_ITEM = re.compile(r"\d{1,4}[a-z]?['’]?")
_NAME = re.compile(
    r"\b(?P<article>an?|the|said)\s+"
    r"(?P<name>(?:(?!(?:an?|the|said)\s)[^\W\d_][\w-]*\s){0,2}[^\W\d_][\w-]*)\s*\Z",
    re.IGNORECASE,
)
_HEAD = re.compile(r"[^\W\d_][\w-]*(?=\s*\Z)")


class _Marked(NamedTuple):
    """A name with its sign: "the side wall (5)"; without an article, the last word only."""

    article: str
    name: str
    sign: str
    place: Place

    @property
    def part(self) -> tuple[str, str]:
        """The last word of the name, and the sign."""
        return self.name.rsplit(" ", 1)[-1].removesuffix("s"), self.sign


def _marked(reading: LegalReading, number: int) -> Iterator[_Marked]:
    text = reading.claims[number].text
    for mark in _MARK.finditer(text) if "(" in text else ():
        start = max(0, mark.start() - 80)
        before = text[start : mark.start()]
        article, found = "", _NAME.search(before)
        if found:
            article, at = found["article"].lower(), found.start("name")
        elif found := _HEAD.search(before):
            at = found.start()
        else:
            continue
        name = before[at:].strip()
        if name.rsplit(" ", 1)[-1].lower() not in _NO_PARTS:
            spot = place(reading, number, start + at, mark.end())
            yield _Marked(article, name.lower(), mark[1], spot)


def _others(claims: dict[int, list[_Marked]]) -> dict[tuple[str, str], set[str]]:
    """Return, for every part, the names that bring it in."""
    names: dict[tuple[str, str], set[str]] = {}
    for mark in (mark for marks in claims.values() for mark in marks):
        if mark.article not in ("the", "said"):
            names.setdefault(mark.part, set()).add(mark.name if mark.article else "")
    return names


def _listed(reading: LegalReading) -> set[str]:
    """Return the signs that stand in a list: "two side walls (5, 6)"."""
    lists = (found[0] for claim in reading.claims.values() for found in _LIST.finditer(claim.text))
    return {sign for found in lists for sign in _ITEM.findall(found)}


def two_signs(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a term that has another sign where it is taken up.

    >>> from phage.checking.example import found
    >>> found("A bed having a lever (2), wherein the lever (3) is red.", office="EP")
    [('reference-sign', 1, 'lever (3)', 'warning')]
    >>> found("A bed having two relays, one being a joining relay (2) and another of said relays (3) "
    ...     "being off, wherein the joining relay (3) is red.", office="EP")
    [('reference-sign', 1, 'joining relay (3)', 'warning')]
    >>> [row[0] for row in found("A bed having a lever (2) and a further lever (3), wherein the "
    ...     "lever (3) is red.", "A bed having two levers (2, 3), the lever (3) being red.",
    ...     "A bed having a lever (2) and a lever (3), the lever (3) being red.", office="EP")]
    ['independent-count', 'antecedent-number', 'introduced-twice']
    """
    if reading.language != "en":
        return  # "der Hebel" may be another lever
    claims = {number: list(_marked(reading, number)) for number in reading.claims}
    names, listed = _others(claims), _listed(reading)
    made: dict[str, dict[int, dict[str, Place]]] = {}  # name → claim → sign behind "a" → where
    for number, marks in claims.items():
        chain: set[int] = set()
        known: dict[str, dict[str, Place]] = {}  # name → what its claim and those above have
        for mark in marks:
            article, name, sign, spot = mark
            if article in ("a", "an"):
                made.setdefault(name, {}).setdefault(number, {}).setdefault(sign, spot)
                known.get(name, {}).setdefault(sign, spot)
            if article not in ("the", "said") or name not in made:
                continue
            if sign in listed or names.get(mark.part, set()) - {name}:
                continue
            if name not in known:
                chain = chain or {number, *reading.above(number)}
                known[name] = {
                    its: where
                    for at, signs in made[name].items()
                    if at in chain
                    for its, where in signs.items()
                }
            if known[name] and sign not in known[name]:
                other, where = next(iter(known[name].items()))
                known[name][sign] = spot
                yield Seen(
                    "reference-sign", spot,
                    f"claim {number}: '{spot.text.split('(')[0].strip()}' has reference sign {sign} here, but {other} before",
                    "give each part one sign", (where,), term=name,
                )  # fmt: skip


def signs(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a reference sign that stands behind two terms.

    >>> from phage.checking.example import found
    >>> found("A bed having a slat (1) and a foot (1).", office="EP")
    [('reference-sign', 1, 'foot (1)', 'warning')]
    >>> found("A bed having a slat (1) made in step (1), s (1), by formula (1).", office="EP")
    []
    """
    first: dict[str, tuple[str, Seen]] = {}
    for number, claim in reading.claims.items():
        if "(" not in claim.text and "（" not in claim.text:
            continue
        for match in _SIGN.finditer(claim.text):
            term = match[1].lower().removesuffix("s")
            if not term or term in _NO_PARTS or (term[-1:] > _CJK and term.endswith(_NO_PARTS)):
                continue
            spot = place(reading, number, *match.span())
            seen = Seen(
                "reference-sign", spot, f"claim {number}: reference sign {match[2]} is used for two terms",
                "give each part one sign", term=match[2],
            )  # fmt: skip
            known, where = first.setdefault(match[2], (term, seen))
            if known[:4] != term[:4]:
                yield Seen(
                    seen.rule, spot, f"{seen.message}: '{match[1]}' and '{known}'",
                    seen.suggestion, (where.place,), term=match[2],
                )  # fmt: skip

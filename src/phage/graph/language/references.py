"""Read referring phrases: the part of citations that all languages share.

In:   a language's phrases, as regular expressions.
Out:  a function from claim text to References.
Why:  six languages write "any of claims 1 and 3 to 5" with other words; the reading is the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from phage.graph.language.passage import Cover
from phage.graph.language.types import Ranges, Reach, Reference, References


@dataclass(frozen=True, slots=True)
class Phrases:
    """How a language refers to claims; all patterns are read without regard to case."""

    hints: tuple[str, ...]
    """Literal strings, lower case, one of which is in every ``word``: a cheap first look."""
    word: str
    """The word for claim where it may stand without a number."""
    run: str
    """A whole run of numbered claims: "claims 1 and 3 to 5". It is looked for in all text, so
    it should begin with a character or a class of them: the regex engine then skips ahead."""
    number: str
    """One number inside a run."""
    until: str
    """What joins the ends of a range inside a run."""
    relative: tuple[tuple[str, Reach], ...] = ()
    """Phrases without a number; tried only where a word stands without one. A group
    ``ordinal`` holds a number word ("the first claim"), a group ``count`` how many claims
    are meant ("the two preceding claims"), a group ``noun`` what they are to."""
    lead: str = ""
    """Words before a run that belong to the phrase: "according to any one of"."""
    trail: str = ""
    """Words after a run that belong to the phrase."""
    heading: str = ""
    """A claim number that is a heading or an office's remark, not a reference."""
    foreign: str = ""
    """Follows a run that counts the claims of another document: "of U.S. Pat. No. …"."""
    except_before: str = ""
    """Words that take the run after them out of the reference before it."""
    except_after: str = ""
    """Words that take the run before them out of the reference after it."""
    numerals: Mapping[str, int] = field(default_factory=dict)
    """Number words, lower case."""


def reader(phrases: Phrases) -> References:
    """Compile a language's phrases into its ``references`` function."""
    patterns = _Patterns(phrases)

    def references(text: str) -> tuple[Reference, ...]:
        found = _listed(text, patterns)
        lower = text.lower()
        if sum(map(lower.count, phrases.hints)) > len(found):
            found = _with_relative(text, found, patterns)
        return tuple(found) if len(found) < 2 else _without_exceptions(text, found, patterns)

    return references


class _Patterns:
    """Phrases, compiled once per language."""

    def __init__(self, phrases: Phrases) -> None:
        self.word = _compile(phrases.word)
        self.run = _compile(phrases.run)
        self.part = _compile(rf"(?P<until>{phrases.until})|(?P<number>{phrases.number})")
        self.relative = [(_compile(pattern), reach) for pattern, reach in phrases.relative]
        self.lead = _compile(rf"(?:{phrases.lead})$") if phrases.lead else None
        self.trail = _compile(phrases.trail) if phrases.trail else None
        self.heading = _compile(phrases.heading) if phrases.heading else None
        self.foreign = _compile(phrases.foreign) if phrases.foreign else None
        self.before = _compile(rf"(?:{phrases.except_before})\W*$")
        self.after = _compile(phrases.except_after)
        self.excepts = bool(phrases.except_before), bool(phrases.except_after)
        self.numerals = phrases.numerals


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _listed(text: str, patterns: _Patterns) -> list[Reference]:
    runs = list(patterns.run.finditer(text))
    if runs and patterns.heading:
        headings = [match.span() for match in patterns.heading.finditer(text)]
        taken = Cover(len(text), ())
        for start, end in headings:
            taken.add(start, end)
        runs = [m for m in runs if not taken.touches(m.start(), m.start() + 1)]
    found = []
    for match in runs:
        if patterns.foreign and patterns.foreign.match(text, match.end()):
            continue
        start, end = _phrase(text, match.start(), match.end(), patterns)
        found.append(Reference(start, end, Reach.LISTED, read_run(match.group(), patterns)))
    return found


def _phrase(text: str, start: int, end: int, patterns: _Patterns) -> tuple[int, int]:
    if patterns.lead and (lead := patterns.lead.search(text, max(0, start - 90), start)):
        start = lead.start()
    if patterns.trail and (trail := patterns.trail.match(text, end)):
        end = start + len(text[start : trail.end()].rstrip())
    return start, end


def read_run(run: str, patterns: _Patterns) -> Ranges:
    """Read the numbers of a run: "claims 1 and 3 to 5" → ((1, 1), (3, 5))."""
    ranges: list[tuple[int, int]] = []
    joins = False
    for match in patterns.part.finditer(run):
        if match.lastgroup == "until":
            joins = True
            continue
        number = _number(match.group(), patterns.numerals)
        if joins and ranges and ranges[-1][0] < number:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
        joins = False
    return tuple(ranges)


_MISREAD = str.maketrans("lI|i丨OoО〇○", "1111100000")


def _number(printed: str, numerals: Mapping[str, int]) -> int:
    """Read a number, also where print was misread: "l2" is 12, "1〇" is 10."""
    if printed.lower() in numerals:
        return numerals[printed.lower()]
    return int(printed.translate(_MISREAD))


_AROUND = 100
"""Characters either side of the word for claim in which a phrase without number is looked for."""


def _with_relative(text: str, found: list[Reference], patterns: _Patterns) -> list[Reference]:
    taken = Cover(len(text), found)
    for word in patterns.word.finditer(text):
        if taken.touches(word.start(), word.start() + 1):
            continue
        window = max(0, word.start() - _AROUND), word.end() + _AROUND
        for pattern, reach in patterns.relative:
            # Of all that fits nearby, that which holds the word.
            near = (m for m in pattern.finditer(text, *window) if m.end() > word.start())
            match = next(near, None)
            if match is None or match.start() > word.start():
                continue
            start, end = _phrase(text, *match.span(), patterns)
            if not taken.touches(start, end):
                named = match.groupdict()
                ranges = read_run(named.get("ordinal") or "", patterns)
                noun = (named.get("noun") or "").strip().lower()
                count = read_run(named.get("count") or "", patterns)[:1]
                many = count[0][0] if count else 1
                found.append(Reference(start, end, reach, ranges, count=many, noun=noun))
                taken.add(start, end)
                break
    return sorted(found, key=lambda reference: reference.start)


def _without_exceptions(
    text: str, found: list[Reference], patterns: _Patterns
) -> tuple[Reference, ...]:
    """Take out what stands behind "except claim 3"; the sign may stand on either side."""
    kept: list[tuple[Reference, list[tuple[int, int]]]] = []
    pending: list[tuple[int, int]] = []
    for reference in found:
        before, after = patterns.excepts
        if before and kept and _excepted(text, kept[-1][0].end, reference.start, patterns):
            kept[-1][1].extend(reference.ranges)
        elif after and patterns.after.match(text, reference.end):
            pending += reference.ranges
        else:
            kept.append((reference, pending))
            pending = []
    if pending and kept:  # "claims 1 to 5 (claim 3 excepted)"
        kept[-1][1].extend(pending)
    return tuple(
        replace(reference, excluded=tuple(excluded)) if excluded else reference
        for reference, excluded in kept
    )


def _excepted(text: str, start: int, end: int, patterns: _Patterns) -> bool:
    return patterns.before.search(text, max(start, end - _AROUND), end) is not None


def numbered(*words: str) -> dict[str, int]:
    """Give the words numbers from 1.

    >>> numbered("first", "second")
    {'first': 1, 'second': 2}
    """
    return {word: number for number, word in enumerate(words, start=1)}


def han_numerals() -> dict[str, int]:
    """Give the numbers 1 to 99 as Chinese and Japanese write them.

    >>> han_numerals()["二十三"]
    23
    """
    digits = ["", *"一二三四五六七八九"]
    tens = ["", "十", *(f"{digit}十" for digit in digits[2:])]
    return {
        ten + digit: 10 * high + low
        for high, ten in enumerate(tens)
        for low, digit in enumerate(digits)
        if ten + digit
    }

"""Read referring phrases: the part of citations that all languages share.

In:   a language's phrases, as regular expressions.
Out:  a function from claim text to References.
Why:  six languages write "any of claims 1 and 3 to 5" in different words; the reading is the
      same."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from phage.language.passage import Cover
from phage.language.types import Ranges, Reach, Reference, References
from phage.language.words import fill, load_table

Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class ReferencePatterns:
    """A language's ``citations.toml``, compiled; all patterns ignore case."""

    hints: tuple[str, ...]
    """Literal strings in lower case; every ``word`` contains one of them. Used as a cheap first
    test."""
    word: Pattern
    """The word for claim, as it may stand without a number."""
    run: Pattern
    """A whole run of numbered claims: "claims 1 and 3 to 5". It is searched in all text, so it
    should begin with a character or a character class: the regex engine then skips ahead."""
    part: Pattern
    """One ``number`` inside a run, or the ``until`` that joins the ends of a range."""
    relative: tuple[tuple[Pattern, Reach], ...]
    """Phrases without a number; tried only at a word for claim without a number. A group
    ``ordinal`` holds a number word ("the first claim"), a group ``count`` how many claims
    are meant ("the two preceding claims"), a group ``noun`` what they claim."""
    lead: Pattern | None
    """Words before a run that belong to the phrase: "according to any one of"."""
    trail: Pattern | None
    """Words after a run that belong to the phrase."""
    heading: Pattern | None
    """A claim number that is a heading or an office's remark, not a reference."""
    foreign: Pattern | None
    """Follows a run that names claims of another document: "of U.S. Pat. No. …"."""
    except_before: Pattern | None
    """Words that exclude the run after them from the reference before it."""
    except_after: Pattern | None
    """Words that exclude the run before them from the reference after it."""
    numerals: Mapping[str, int]
    """Number words, lower case."""
    subject: Mapping[str, Pattern]
    """Patterns that find the claimed thing; the language's own code uses them."""


@cache
def load_patterns(package: str) -> ReferencePatterns:
    """Compile the ``citations.toml`` in the folder of a language."""
    return compile_patterns(load_table(package, "citations.toml"))


def compile_patterns(table: Mapping[str, Any]) -> ReferencePatterns:
    """Compile the tables of a ``citations.toml``."""
    counted = {name: _counted(text) for name, text in table.get("counted", {}).items()}
    parts = fill(table["patterns"], {name: "|".join(words) for name, words in counted.items()})
    numerals = {word: number for words in counted.values() for word, number in words.items()}
    if table.get("han_numerals"):
        numerals |= han_numerals()

    def optional(name: str, form: str = "{}") -> Pattern | None:
        return _compile(form.format(parts[name])) if name in parts else None

    return ReferencePatterns(
        hints=tuple(table["hints"]),
        word=_compile(parts["word"]),
        run=_compile(parts["run"]),
        part=_compile(rf"(?P<until>{parts['until']})|(?P<number>{parts['number']})"),
        relative=tuple(
            (_compile(fill({"it": pattern}, parts)["it"]), Reach(reach))
            for reach, pattern in table.get("relative", ())
        ),
        lead=optional("lead", "(?:{})$"),
        trail=optional("trail"),
        heading=optional("heading"),
        foreign=optional("foreign"),
        except_before=optional("except_before", r"(?:{})\W*$"),
        except_after=optional("except_after"),
        numerals=numerals,
        subject={name: _compile(text) for name, text in fill(table["subject"], parts).items()},
    )


def _compile(pattern: str) -> Pattern:
    return re.compile(pattern, re.IGNORECASE)


def _counted(text: str) -> dict[str, int]:
    """Count the words of a list from 1; "word=5" sets a number.

    >>> _counted("first second last=1")
    {'first': 1, 'second': 2, 'last': 1}
    """
    numbered, number = dict[str, int](), 0
    for entry in text.split():
        word, _, given = entry.partition("=")
        number = int(given) if given else number + 1
        numbered[word] = number
    return numbered


def reader(patterns: ReferencePatterns) -> References:
    """Make a language's ``references`` function."""

    @lru_cache(maxsize=1024)  # "claim 1" stands in every other claim
    def numbers(run: str) -> Ranges:
        return read_run(run, patterns)

    def references(text: str) -> tuple[Reference, ...]:
        found = _listed(text, patterns, numbers)
        lower = text.lower()
        if sum(map(lower.count, patterns.hints)) > len(found):
            found = _with_relative(text, found, patterns)
        return tuple(found) if len(found) < 2 else _without_exceptions(text, found, patterns)

    return references


def _listed(
    text: str, patterns: ReferencePatterns, numbers: Callable[[str], Ranges]
) -> list[Reference]:
    runs = list(patterns.run.finditer(text))
    if runs and patterns.heading:
        headings = [match.span() for match in patterns.heading.finditer(text)]
        if headings:
            taken = Cover(len(text), ())
            for start, end in headings:
                taken.add(start, end)
            runs = [m for m in runs if not taken.touches(m.start(), m.start() + 1)]
    found = []
    for match in runs:
        if patterns.foreign and patterns.foreign.match(text, match.end()):
            continue
        start, end = _phrase(text, match.start(), match.end(), patterns)
        found.append(Reference(start, end, Reach.LISTED, numbers(match.group())))
    return found


def _phrase(text: str, start: int, end: int, patterns: ReferencePatterns) -> tuple[int, int]:
    if patterns.lead and (lead := patterns.lead.search(text, max(0, start - 90), start)):
        start = lead.start()
    if patterns.trail and (trail := patterns.trail.match(text, end)):
        end = start + len(text[start : trail.end()].rstrip())
    return start, end


def read_run(run: str, patterns: ReferencePatterns) -> Ranges:
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
    """Read a number, even if it was misread: "l2" is 12, "1〇" is 10."""
    if printed.lower() in numerals:
        return numerals[printed.lower()]
    return int(printed.translate(_MISREAD))


_AROUND = 100
"""Characters on either side of the word for claim that are searched for a phrase without a
number."""


def _with_relative(
    text: str, found: list[Reference], patterns: ReferencePatterns
) -> list[Reference]:
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
    text: str, found: list[Reference], patterns: ReferencePatterns
) -> tuple[Reference, ...]:
    """Remove the claims of "except claim 3"; the word may stand on either side."""
    kept: list[tuple[Reference, list[tuple[int, int]]]] = []
    pending: list[tuple[int, int]] = []
    for reference in found:
        before, after = patterns.except_before, patterns.except_after
        gap = max(kept[-1][0].end, reference.start - _AROUND) if kept else 0
        if before and kept and before.search(text, gap, reference.start):
            kept[-1][1].extend(reference.ranges)
        elif after and after.match(text, reference.end):
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


def han_numerals() -> dict[str, int]:
    """Return the numbers 1 to 99 as Chinese and Japanese write them.

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

"""Distinguish a claim that depends on another from one that only refers to it.

In:   the claimed thing ("An apparatus for …" → apparatus), per language.
Out:  functions (citing text, reference, cited text) → whether the reference is cross-category.
Why:  "an apparatus for performing the method of claim 1" names claim 1 but inherits no category,
      and the graph must say so."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from phage.language.references import ReferencePatterns
from phage.language.types import CrossCategory, Reference

_STATUS = re.compile(r"^\s*[(\[][^()\[\]]{1,40}[)\]]\s*")
"""Remarks that an office prints before a claim: "(Currently amended)", "[Original]"."""

OPENING = 4000
"""Characters within which a claim names its thing. The same number is read on either side of the
words between the thing and a reference. The longest real openings have a few hundred."""
_STOP = re.compile(r"[、。，,.；;：:]")

Subject = Callable[[str], str]
Same = Callable[[str, str], bool]


def embedded(subject: Subject, same: Same, patterns: ReferencePatterns) -> CrossCategory:
    """Judge claims of a language that puts the subject first: English, German, French.

    ``joins`` finds any word that could attach the reference to a noun after the subject; ``strong``
    finds those that surely do ("comprising", "using").
    """
    joint, sure = patterns.subject["joins"], patterns.subject["strong"]
    word = re.compile(r"[^\W\d_][\w-]*")

    @lru_cache(maxsize=1024)
    def named(opening: str) -> str:
        return subject(_STATUS.sub("", opening, 1))

    @lru_cache(maxsize=64)  # a claim that cites many others says the same before all of them
    def between(before: str, own: str) -> tuple[str, frozenset[str], bool]:
        rest = before[before.lower().find(own) + len(own) :].lower()
        return rest, frozenset(word.findall(rest)), bool(sure.search(rest))

    def cross(text: str, reference: Reference, cited: str) -> bool:
        status = _STATUS.match(text)
        before = _ends(text, status.end() if status else 0, reference.start)
        if not joint.search(before):  # "The pump of claim 1"
            return False
        own, other = named(text[:OPENING]), named(cited[:OPENING])
        if not own or not other:
            return False
        rest, words, surely = between(before, own)
        if same(own, other):
            # "A display device comprising the semiconductor device of claim 1"
            inner = own != other and rest.rstrip().endswith(f" {other}")
            return inner and surely
        return surely or any(same(found, other) for found in words)

    return cross


def _ends(text: str, start: int, end: int) -> str:
    """Return a stretch of text; if it is very long, only its beginning and end."""
    if end - start <= 2 * OPENING:
        return text[start:end]
    return f"{text[start : start + OPENING]} {text[end - OPENING : end]}"


def last_noun(text: str) -> str:
    """Return what a Japanese or Korean claim is to: the end of its last noun phrase.

    >>> last_noun("請求項1に記載の冷却装置。"), last_noun("제1항에 있어서, 냉각 장치.")
    ('装置', '장치')
    """
    return re.sub(r"[（(][^）)]*[）)]|\W", "", text[-40:])[-2:]


def trailing(patterns: ReferencePatterns) -> CrossCategory:
    """Judge claims of a language that puts the subject last: Japanese, Korean.

    ``depends`` follows the noun of a claim that takes up the one it cites ("…において");
    ``carries_on`` marks that the noun after the reference is an object of something else.
    """
    taken_up, on = patterns.subject["depends"], patterns.subject["carries_on"]

    def cross(text: str, reference: Reference, cited: str) -> bool:
        if taken_up.search(text, reference.start, reference.end):
            return False
        own, other = last_noun(text), last_noun(cited)
        if not own or not other or own == other:
            return False
        end = reference.end + OPENING
        stop = _STOP.search(text, reference.end, end)
        noun = text[reference.end : stop.start() if stop else end]
        if (taken := taken_up.search(noun)) and last_noun(noun[: taken.start()]) == other:
            return False
        return bool(on.search(text, reference.end, end))

    return cross

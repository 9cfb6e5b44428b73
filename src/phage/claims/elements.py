"""A claim → its elements: the preamble and the limitations.

In:   a claim.
Out:  elements with their places in its text, labelled as claim charts label them: 1[pre], 1[a].
Why:  infringement, novelty and amendments are argued element by element. White space is folded when
      a patent is read, so signs and words must show where an element ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase

from phage.claims.types import Claim

_LISTS = (
    r"compris(?:ing|es?)|consist(?:ing|s)(?: essentially)? of|includ(?:ing|es)|umfassend|umfasst"
    r"|aufweisend|comprenant|comprend"
)
_CLAUSES = (
    r"wherein|characteri[sz]ed (?:in that|by)|wobei|dadurch gekennzeichnet|dans (?:lequel|laquelle)"
    r"|caractérisée? en ce qu"
)
_TRANSITIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_LISTS}|having|containing|which)\b(?:,? [a-z]+){{0,6}}\s?:",
        rf"\b(?:{_LISTS}|{_CLAUSES})\b",
        r"\b(?:having|containing)\b",
    )
)
"""Where the preamble ends: before a colon, before the parts, or before what they have."""
_CLAUSE = re.compile(rf"\b(?:{_CLAUSES})\b", re.IGNORECASE)
_OWN = re.compile(
    rf"(?:(?!\b(?:{_LISTS}|{_CLAUSES})\b).){{0,200}}\bclaims? \d+[^:;]{{0,60}}?\b(?:{_CLAUSES})\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"[;；]\s*|(?<=compris)(?:ing|es)\s?:\s+|(?<=includ)(?:ing|es)\s?:\s+|\bto:\s+|\bby:\s+"
    rf"|,?\s+(?=(?:and )?(?:whereby|{_CLAUSES})\b)"
)
_PART = re.compile(
    r",\s+(?=(?:and |or )?(?:an?|at least (?:one|two)|one or more|a plurality of|(?:first|second) means"
    r"|means|two|three|four|several)\s)"
)
_STEP = re.compile(
    r",\s+(?=(?:and |then |and then )?(?!includ|compris|hav|be|contain|consist|us|extend|depend"
    r"|accord|caus|dur|follow|correspond|result|mak|enabl|allow|involv)[a-z]{2,}ing\s)"
)
_GERUND = re.compile(r"\s*(?:\(?[a-z0-9]{1,3}\)\s*)?[A-Za-z]{2,}ing\s")
_ASIDE = re.compile(r"\([^()]{0,300}\)|\[[^\[\]]{0,300}\]")
_EDGES = re.compile(r"[\s,;；:]+|(?:and|or|und|oder|et|ou)(?=[\s,;:])")
_TAIL = re.compile(r"(?:[\s,;；:]|(?<=[\s,;；:])(?:and|or|und|oder|et|ou))+$")
SHORT = 3
"""Letters and digits that an element needs; a shorter one joins its neighbour."""


@dataclass(frozen=True, slots=True)
class Element:
    """A part of a claim; ``claim.text[start:end] == text``."""

    label: str
    """``1[pre]`` is the preamble of claim 1, ``1[a]`` its first limitation."""
    claim: int
    start: int
    end: int
    text: str


def elements(claim: Claim) -> tuple[Element, ...]:
    """Split a claim into its preamble and its limitations.

    >>> text = "A pump comprising: a shaft; an impeller; and a seal, wherein the seal is a lip."
    >>> [(one.label, one.text) for one in elements(Claim(1, text))]  # doctest: +NORMALIZE_WHITESPACE
    [('1[pre]', 'A pump comprising'), ('1[a]', 'a shaft'), ('1[b]', 'an impeller'),
     ('1[c]', 'a seal'), ('1[d]', 'wherein the seal is a lip.')]
    >>> text = "The pump of claim 1, wherein the shaft turns."
    >>> [one.text for one in elements(Claim(2, text))]
    ['The pump of claim 1', 'wherein the shaft turns.']
    """
    text = claim.text
    cuts = sorted({0, *_cuts(text), len(text)})
    spans = [_trimmed(text, start, end) for start, end in pairwise(cuts)]
    spans = _merged(text, [(start, end) for start, end in spans if start < end])
    labels = _labels(claim.number, len(spans))
    return tuple(
        Element(label, claim.number, start, end, text[start:end])
        for label, (start, end) in zip(labels, spans, strict=True)
    )


def _cuts(text: str) -> Iterator[int]:
    """Yield the places at which elements begin; never one inside brackets."""
    asides = [found.span() for found in _ASIDE.finditer(text)]
    body, listing = _body(text)
    yield body
    strong = [found.end() for found in _STRONG.finditer(text, body)]
    yield from _outside(strong, asides)
    if listing and not any(sign in text[body:] for sign in ";；"):
        pattern = _STEP if _GERUND.match(text, body) else _PART
        end = min((cut for cut in strong if cut > body), default=len(text))
        yield from _outside([found.end() for found in pattern.finditer(text, body, end)], asides)


def _outside(cuts: list[int], asides: list[tuple[int, int]]) -> Iterator[int]:
    left = iter(asides)
    aside = next(left, None)
    for cut in cuts:
        while aside and aside[1] <= cut:
            aside = next(left, None)
        if not aside or cut <= aside[0]:
            yield cut


def _body(text: str) -> tuple[int, bool]:
    """Return where the preamble ends, and whether a list of parts or steps follows.

    "Wherein" belongs to what follows, "comprising" to what stands before.
    """
    own = _OWN.match(text)  # of a dependent claim, what stands before "wherein" is the reference
    for pattern in (_CLAUSE, *_TRANSITIONS) if own else _TRANSITIONS:
        if found := pattern.search(text, 0, own.end() if own and pattern is _CLAUSE else len(text)):
            clause = re.match(_CLAUSES, found[0], re.IGNORECASE)
            return (found.start(), False) if clause else (found.end(), True)
    return 0, False


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and (edge := _EDGES.match(text, start, end)):
        start = edge.end()
    tail = _TAIL.search(text, start, end)
    return start, tail.start() if tail else end


def _merged(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join what is too short to be an element to the one before it, or behind it at the start."""
    kept: list[tuple[int, int]] = []
    held = 0  # letters and digits of the last one
    for start, end in spans:
        own = sum(map(str.isalnum, text[start:end]))
        if kept and (own < SHORT or (len(kept) == 1 and held < SHORT)):
            kept[-1], held = (kept[-1][0], end), held + own
        else:
            kept.append((start, end))
            held = own
    return kept


def _labels(claim: int, count: int) -> list[str]:
    """Return the labels of a claim's elements; a claim of one element has no preamble.

    >>> _labels(1, 1), _labels(1, 3), _labels(7, 29)[-2:]
    (['1[a]'], ['1[pre]', '1[a]', '1[b]'], ['7[aa]', '7[ab]'])
    """
    names = [*ascii_lowercase, *(a + b for a in ascii_lowercase for b in ascii_lowercase)]
    names += [str(n) for n in range(len(names), count)]
    first = [] if count == 1 else ["pre"]
    return [f"{claim}[{name}]" for name in (*first, *names)][:count]

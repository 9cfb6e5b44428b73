"""Antecedents: what "the" takes up.

In:   a LegalReading.
Out:  missing, ambiguous, numbers that do not agree, introductions made twice.
Why:  the examiner's most frequent objection under 35 U.S.C. 112(b)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phage.checking.evidence import PASSED, limit, weigh
from phage.checking.reading import LegalReading
from phage.checking.rules.other_languages import named_nowhere
from phage.checking.rules.sources import (
    Made,
    as_new,
    can_refer,
    named,
    nearest,
    path_without,
    searched,
    sources,
)
from phage.checking.rules.types import Seen, introducing, place, printed
from phage.checking.scope import Introduction
from phage.checking.types import Office, Place, Severity, Step
from phage.checking.walk import Repeat, Resolution
from phage.checking.whole_set import introduced_elsewhere, repeats, unresolved
from phage.checking.words import HEADS

_LATER = re.compile(
    r"(?:the|said) (?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) (?!and\b)", re.IGNORECASE
)
"""Nobody says "the third arm" of an arm that was not introduced as the third."""
_TOGETHER = 60
"""Characters between two names of one phrase."""
_JOINED = 2
"""Characters between a name and the reference that belongs to it."""
_BEHIND = re.compile(r" ([A-Z]\d{0,2})(?=[\s,;.)])")
_DESIGNATOR = re.compile(r"[a-z] ([A-Z]\d{0,2}[a-z]?|\d{1,3}[A-Za-z]?)$")


def missing(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a definite mention without an introduction on every path.

    >>> from phage.checking.example import found
    >>> found("A cup comprising a rim and the lid.")
    [('antecedent-missing', 1, 'the lid', 'error')]
    >>> found("A lamp.", "The lamp of claim 1, having a dimmer.",
    ...     "The lamp of claim 1 or 2, wherein the dimmer is rotary.")
    [('antecedent-missing', 3, 'the dimmer', 'error')]
    >>> found("A cup comprising a rim.", "The cup of claim 1, wherein the gaskets are steel.")
    [('antecedent-missing', 2, 'the gaskets', 'error')]
    >>> found("A cup comprising a rim.", "The cup of claim 1, wherein the handle's grip is red.")
    [('antecedent-missing', 2, "the handle's", 'error')]
    >>> found("A cup comprising a first and a second rim.", "The cup of claim 1, wherein the third rim is wide.")
    [('antecedent-missing', 2, 'the third rim', 'warning')]
    >>> found("A cup.", "The cup of claim 1, having a grip.", "The cup of claim 1, having a foot.",
    ...     "The cup of claim 2 or 3, wherein the grip is red.")
    [('antecedent-missing', 4, 'the grip', 'error')]
    """
    yield from named_nowhere(reading)
    yield from _other_letter(reading)
    made = sources(reading)
    for found, signs in unresolved(reading, introduced_elsewhere(reading)):
        weight = weigh("missing", signs)
        # What the ladder lets pass is reported on strong evidence only.
        if weight >= limit("missing", "warning" if found.step in PASSED else "note"):
            yield _missing(reading, found, made, weight)


def _missing(reading: LegalReading, found: Resolution, made: Made, weight: int) -> Seen:
    number, term = found.claim, found.term
    spot = place(reading, number, found.start, found.end)
    new = as_new(term, spot)
    message, suggestion = f"claim {number}: '{spot.text}' was not introduced before", ""
    related: tuple[Place, ...] = ()
    near = nearest(reading, number, made.get(term, []))
    severity = Severity.ERROR
    if near is not None:
        related = (place(reading, near.claim, near.start, near.end),)
        lacking = path_without(reading, number, near.claim)
        if near.claim == number:
            suggestion = f"introduce it where it is first named: {new}"
        elif lacking:
            message = (
                f"claim {number} through claim {lacking}: no '{named(term, spot)}' was introduced"
            )
            suggestion = f"refer to claim {near.claim} only, or write {new}"
        else:
            message = (
                f"claim {number}: '{spot.text}' was not introduced {searched(reading, number)}"
            )
            suggestion = f"introduce it: {new}"
            if can_refer(reading, number, near.claim):
                suggestion = f"refer to claim {near.claim}, which introduces it, or write {new}"
    elif found.step is Step.QUALIFIED and (other := _other_name(found)):
        related = (place(reading, other.claim, other.start, other.end),)
        message += f"; '{related[0].text}' is a different name"
        suggestion = "use the name under which it was introduced"
        severity = Severity.ERROR if found.said else Severity.WARNING
    else:
        suggestion = f"introduce it: {new}"
    if found.step in PASSED:
        severity = Severity.WARNING
    if weight < limit("missing", "warning"):
        counted = any(one.several for one in found.antecedents)  # "the third pin" of five pins
        later = _LATER.match(spot.text) and not counted
        severity = Severity.WARNING if later else Severity.NOTE
    return Seen(
        "antecedent-missing", spot, message, suggestion, related, severity, found.step, term
    )


def _other_letter(reading: LegalReading) -> Iterator[Seen]:
    """Report "the layer C" where only layers A and B were introduced.

    >>> from phage.checking.example import found
    >>> found("A film having a layer A and a layer B.", "The film of claim 1, the layer C being red.")
    [('antecedent-missing', 2, 'the layer C', 'warning')]
    >>> found("A film having a layer.", "The film of claim 1, the layer C being red.")
    []
    """
    for number, claim in reading.claims.items():
        for found in claim.resolutions:
            own = _designated(claim.text, found) if found.step is Step.EXACT else ""
            if not own[:1].isupper():
                continue
            others = [_designated(reading.claims[o.claim].text, o) for o in found.antecedents]
            if own in others or not all(other[:1].isupper() for other in others):
                continue
            spot = _up_to(reading, found, own)
            name = spot.text.split(" ", 1)[1]
            if found.term in HEADS or name.lower() != f"{found.term} {own.lower()}":
                continue  # "the symbols R1 and R2", "the following condition B"
            near = _up_to(reading, found.antecedents[0], others[0])
            yield Seen(
                "antecedent-missing", spot,
                f"claim {number}: '{spot.text}' was not introduced before; only '{near.text}' was",
                f"introduce it: '{introducing(name)}'", (near,), Severity.WARNING, Step.NONE, name.lower(),
            )  # fmt: skip


def _up_to(reading: LegalReading, found: Introduction | Resolution, letter: str) -> Place:
    """Name the place of a thing with its letter."""
    end = reading.claims[found.claim].text.index(letter, found.start) + len(letter)
    return place(reading, found.claim, found.start, end)


def _other_name(found: Resolution) -> Introduction | None:
    """Return what comes near, unless it is the same words: "the first and second bolts"."""
    first = found.antecedents[0] if found.antecedents else None
    return None if first and (first.claim, first.start) == (found.claim, found.start) else first


def steps(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report, where asked to be strict, what the later steps of the ladder let pass.

    >>> from phage.checking.example import found
    >>> found("A device for a sphere, wherein the outer surface of the sphere is red.", strict=True)
    [('antecedent-missing', 1, 'the outer surface', 'note')]
    """
    sure = {(found.claim, found.start) for found in _passed_yet_missing(reading)}
    for claim in reading.claims.values():
        for found in claim.resolutions:
            late = found.step is Step.SHORTER or found.step in PASSED
            if late and not found.ambiguous and (claim.number, found.start) not in sure:
                spot = place(reading, claim.number, found.start, found.end)
                near = tuple(place(reading, i.claim, i.start, i.end) for i in found.antecedents[:1])
                yield Seen(
                    "antecedent-missing", spot,
                    f"claim {claim.number}: '{spot.text}' was not introduced under that name",
                    "", near, Severity.NOTE, found.step, found.term, strict=True,
                )  # fmt: skip


def _passed_yet_missing(reading: LegalReading) -> Iterator[Resolution]:
    for found, signs in unresolved(reading, introduced_elsewhere(reading)):
        if found.step in PASSED and weigh("missing", signs) >= limit("missing", "warning"):
            yield found


def ambiguous(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report a definite mention that fits two introductions.

    >>> from phage.checking.example import found
    >>> found("A lock comprising a first bolt and a second bolt.",
    ...     "The lock of claim 1, wherein the bolt is hollow.")
    [('antecedent-ambiguous', 2, 'the bolt', 'warning')]
    """
    for claim in reading.claims.values():
        for found in claim.resolutions:
            if not found.ambiguous and not found.split:
                continue
            first: dict[str, Introduction] = {}
            for item in found.antecedents:
                first.setdefault(item.term if found.ambiguous else str(item.claim), item)
            if len(first) < 2:
                continue
            related = tuple(place(reading, i.claim, i.start, i.end) for i in first.values())[:4]
            spot = place(reading, claim.number, found.start, found.end)
            names = " or ".join(f"'{one.text}' (claim {one.claim})" for one in related[:3])
            yield Seen(
                "antecedent-ambiguous", spot,
                f"claim {claim.number}: '{spot.text}' may be {names}",
                "use the full name" if found.ambiguous else "name the parent you mean",
                related, Severity.NOTE if found.split else None, found.step, found.term,
            )  # fmt: skip


def number(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report one thing taken up where several were introduced.

    >>> from phage.checking.example import found
    >>> found("A rack comprising a plurality of pins.", "The rack of claim 1, wherein the pin is red.")
    [('antecedent-number', 2, 'the pin', 'warning')]
    """
    for claim in reading.claims.values():
        for found in claim.resolutions:
            if found.number:
                first = found.antecedents[0]
                spot = place(reading, claim.number, found.start, found.end)
                related = place(reading, first.claim, first.start, first.end)
                yield Seen(
                    "antecedent-number", spot,
                    f"claim {claim.number}: '{spot.text}' is singular, but '{related.text}' are several",
                    f"write 'each of the', 'one of the' or 'the {named(found.term, related)}'",
                    (related,), None, found.step, found.term,
                )  # fmt: skip


def introduced_twice(reading: LegalReading, office: Office) -> Iterator[Seen]:
    """Report "a wheel" where the chain has a wheel already.

    >>> from phage.checking.example import found
    >>> found("A cart comprising a wheel.", "The cart of claim 1, comprising a wheel and a brake.")
    [('introduced-twice', 2, 'a wheel', 'warning')]
    """
    last: Repeat | None = None
    for repeat, signs in repeats(reading):
        again, first = repeat.again, repeat.first
        if _further(reading, again, first):
            continue
        weight = weigh("twice", signs)
        # "The cart of claim 1, comprising a wheel" gives a cart with a wheel a wheel.
        sure = weight >= limit("twice", "warning") or "comprising_again" in signs
        if sure or weight >= limit("twice", "note"):
            spot = place(reading, again.claim, again.start, again.end)
            related = place(reading, first.claim, first.start, first.end)
            name = f"{printed(again.term, spot)} {_designator(spot.text)}".rstrip()
            sure = sure and not (last and _one_phrase(last, repeat))
            last = repeat
            yield Seen(
                "introduced-twice", spot,
                f"claim {again.claim}: '{spot.text}' was introduced before, in claim {first.claim}",
                f"write 'the {name}', or 'another {name}' where a further one is meant",
                (related,), None if sure else Severity.NOTE, term=again.term,
            )  # fmt: skip


def _further(reading: LegalReading, again: Introduction, first: Introduction) -> bool:
    """Return whether a further thing is meant: "a node N2", "a socket according to claim 2".

    >>> from phage.checking.example import found
    >>> found("A cart comprising a wheel A, a wheel B, a node N1 and a node N2.")
    []
    >>> found("A plug.", "A socket.", "A set comprising a plug, and a socket according to claim 2.")[1:]
    []
    """
    claim = reading.claims[again.claim]
    if any(0 <= link.start - again.end <= _JOINED for link in claim.links):
        return True
    own, other = (_designated(reading.claims[one.claim].text, one) for one in (again, first))
    return bool(own and other) and own != other


def _designated(text: str, found: Introduction | Resolution) -> str:
    """Return the letter or number of a thing; "A" behind its name may have been read as "a"."""
    behind = _BEHIND.match(text, found.end)
    return _designator(text[found.start : found.end]) or (behind[1] if behind else "")


def _designator(words: str) -> str:
    """Return the letter or number that tells things of one name apart; empty if there is none.

    >>> _designator("a wheel A"), _designator("a node N1"), _designator("a USB port")
    ('A', 'N1', '')
    """
    found = _DESIGNATOR.search(words)
    return found[1] if found else ""


def _one_phrase(one: Repeat, next_: Repeat) -> bool:
    """Return whether two repetitions stand together in both places: one repeated phrase."""
    pairs = (one.again, next_.again), (one.first, next_.first)
    return all(a.claim == b.claim and abs(b.start - a.end) <= _TOGETHER for a, b in pairs)

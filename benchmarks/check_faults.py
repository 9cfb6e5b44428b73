"""Faults for granted claim sets, placed by plain regular expressions.

In:   a patent whose claims are in order.
Out:  copies with one fault each: which rule should find it, and where.
Why:  recall can be counted only where the truth is known. The places are found without the
      checker's own noun phrases, so that it cannot choose what it is asked."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from phage.claims import Claim, Patent


@dataclass(frozen=True)
class Fault:
    """A claim set with one fault."""

    kind: str
    rule: str
    patent: Patent
    claim: int
    start: int = 0
    end: int = 1 << 30


_STOP = (
    r"(?:is|are|was|has|have|and|or|of|for|to|in|on|at|by|with|from|having|comprising|including|that|"
    r"which|wherein|configured|adapted|coupled|connected|disposed|arranged|formed|located|"
    r"positioned|mounted|between|into|as|via|being|extending|through)\b"
)
_WORDS = (
    "first second third fourth other same another one two least plurality group set method process "
    "step steps claim claims following number more pair portion and or of to in each result case "
    "manner way time means"
)
_NOT = frozenset(_WORDS.split())
_PHRASE = rf"([a-z]{{3,}}(?: [a-z]{{3,}}){{0,2}}?)(?= {_STOP}|[,;.:])"
_A = re.compile(rf"\b(an?) {_PHRASE}")
_THE = re.compile(rf"\b(the|said) {_PHRASE}")
_SEVERAL = re.compile(
    rf"\b(a plurality of|a pair of|two) ([a-z]{{3,}}(?: [a-z]{{3,}}){{0,2}}?s)(?= {_STOP}|[,;.:])"
)
_CITE = re.compile(r"\bclaim (\d+)\b")


def _good(words: str) -> bool:
    parts = words.split()
    return not any(p in _NOT or p.endswith(("ly", "ing", "ed")) for p in parts)


def _texts(patent: Patent) -> dict[int, str]:
    return {claim.number: claim.text for claim in patent.claims}


def _single(patent: Patent) -> dict[int, int | None]:
    """Give the one parent of each claim; None for claims without a plain one."""
    parents: dict[int, int | None] = {}
    for claim in patent.claims:
        found = _CITE.findall(claim.text)
        ok = len(found) == 1 and "claims" not in claim.text[:200]
        parents[claim.number] = int(found[0]) if ok and int(found[0]) < claim.number else None
    return parents


def above_texts(number: int, patent: Patent) -> list[str]:
    """Give the texts of a claim's chain, itself not included, the first claim first."""
    texts, parents, parts = _texts(patent), _single(patent), []
    at = parents.get(number)
    while at is not None and at in texts:
        parts.append(texts[at])
        at = parents.get(at)
    return parts[::-1]


def _above(number: int, patent: Patent) -> str:
    return " ".join(above_texts(number, patent))


def indefinite(text: str) -> list[re.Match[str]]:
    """Find "a wheel" by a plain pattern: article and name."""
    return [match for match in _A.finditer(text) if _good(match[2])]


def with_text(patent: Patent, number: int, text: str) -> Patent:
    """Give a patent with another text for one claim."""
    claims = tuple(
        replace(claim, text=text) if claim.number == number else claim for claim in patent.claims
    )
    return replace(patent, claims=claims)


def cut(text: str, start: int, end: int, new: str) -> str:
    """Put other words into a text."""
    return text[:start] + new + text[end:]


def _body(claim: Claim) -> int:
    match = re.search(r"compris|wherein|includ|having|consist|[,:]", claim.text)
    return match.end() if match else len(claim.text)


def shuffled_claims(patent: Patent, rng: random.Random) -> Iterator[tuple[Claim, str]]:
    """Give the claims in random order, each with the text above it, if its parents are known."""
    claims = list(patent.claims)
    rng.shuffle(claims)
    for claim in claims:
        above = _above(claim.number, patent).lower()
        if above or "claim" not in claim.text.lower():
            yield claim, above


def article(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for the "a" that introduces a thing which is taken up later."""
    return _definite(patent, rng, "article")


def once(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for the "a" of a thing that is named once; "a length of" is none."""
    return _definite(patent, rng, "once")


def renamed(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for the "a" of a new thing whose head noun has stood before: "the back seam"."""
    return _definite(patent, rng, "renamed")


def several(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for "a plurality of" or "two" before things that are new."""
    for claim, above in shuffled_claims(patent, rng):
        for match in _SEVERAL.finditer(claim.text, _body(claim)):
            head = match[2].split()[-1][:-1]
            before = above + claim.text[: match.start()].lower()
            if head.endswith("s") or not _good(match[2]) or re.search(rf"\b{head}", before):
                continue
            text = cut(claim.text, match.start(1), match.end(1), "the")
            end = match.end() + 3 - len(match[1])
            yield Fault("several", "antecedent-missing", with_text(patent, claim.number, text),
                        claim.number, match.start(), end)  # fmt: skip
            return


def _definite(patent: Patent, rng: random.Random, kind: str) -> Iterator[Fault]:
    whole = " ".join(_texts(patent).values()).lower()
    for claim, above in shuffled_claims(patent, rng):
        found = [m for m in _A.finditer(claim.text, _body(claim)) if _good(m[2])]
        rng.shuffle(found)
        for match in found:
            head = match[2].split()[-1]
            before = above + claim.text[: match.start()].lower()
            taken_up = re.search(rf"\b(?:the|said) {match[2]}\b", whole) is not None
            if re.search(rf"\b{match[2] if kind == 'renamed' else head}", before):
                continue
            if kind == "renamed":
                if not re.search(rf"\b{head}", before):
                    continue
            elif taken_up != (kind == "article"):
                continue
            if kind == "once" and claim.text[match.end() :].startswith(" of"):
                continue  # what a thing has of itself
            text = cut(claim.text, match.start(1), match.end(1), "the")
            end = match.end() + 3 - len(match[1])
            yield Fault(kind, "antecedent-missing", with_text(patent, claim.number, text),
                        claim.number, match.start(), end)  # fmt: skip
            return


_FOREIGN = (
    "gearbox turbine lanyard carburetor stethoscope zipper trampoline flywheel keyboard hinge "
    "piston antenna bobbin condenser spatula capacitor tripod crucible paddle nozzle|check valve|"
    "drive shaft|heat exchanger|control lever|feed hopper|lens holder|signal encoder|fuel rail"
)
FOREIGN = [*_FOREIGN.split("|")[0].split(), *_FOREIGN.split("|")[1:]]


def foreign(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Speak of a thing that no claim has."""
    whole = " ".join(_texts(patent).values()).lower()
    claims = list(patent.claims)
    rng.shuffle(claims)
    for claim in claims:
        found = [m for m in _THE.finditer(claim.text, _body(claim)) if _good(m[2])]
        names = [n for n in FOREIGN if n.split()[-1] not in whole]
        if not found or not names:
            continue
        match, name = rng.choice(found), rng.choice(names)
        text = cut(claim.text, match.start(2), match.end(2), name)
        yield Fault("foreign", "antecedent-missing", with_text(patent, claim.number, text),
                    claim.number, match.start(), match.start(2) + len(name))  # fmt: skip
        return


def parent(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Refer to a claim that lacks what is spoken of."""
    texts, parents = _texts(patent), _single(patent)
    claims = [c for c in patent.claims if parents.get(c.number)]
    rng.shuffle(claims)
    for claim in claims:
        own = parents[claim.number]
        taken = [m for m in _THE.finditer(claim.text, _body(claim)) if _good(m[2])]
        for other in rng.sample(sorted(texts), len(texts)):
            if other >= claim.number or other == own:
                continue
            match = _CITE.search(claim.text)
            assert match is not None
            text = cut(claim.text, match.start(1), match.end(1), str(other))
            wrong = with_text(patent, claim.number, text)
            chain = _above(claim.number, wrong).lower()
            lost = [m for m in taken
                    if m[2].split()[-1] not in chain + claim.text[: m.start()].lower()
                    and re.search(rf"\ban? {m[2]}\b", _above(claim.number, patent))]  # fmt: skip
            if lost and chain:
                yield Fault("parent", "antecedent-missing", wrong, claim.number)
                return


def twice(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "a" for the "the" that takes up."""
    claims = list(patent.claims)
    rng.shuffle(claims)
    for claim in claims:
        above = _above(claim.number, patent)
        found = [m for m in _THE.finditer(claim.text, _body(claim)) if _good(m[2])]
        rng.shuffle(found)
        for match in found:
            name = match[2]
            before = f"{above} {claim.text[: match.start()]}"
            if name.endswith("s") or not re.search(rf"\ban? {name}\b", before):
                continue
            new = "an" if name[0] in "aeiou" else "a"
            text = cut(claim.text, match.start(1), match.end(1), new)
            end = match.end() + len(new) - len(match[1])
            yield Fault("twice", "introduced-twice", with_text(patent, claim.number, text),
                        claim.number, match.start(), end)  # fmt: skip
            return


def _referring(patent: Patent, rng: random.Random) -> list[tuple[Claim, re.Match[str]]]:
    found = []
    for claim in patent.claims:
        match = _CITE.search(claim.text, 0, 120)
        if match and int(match[1]) < claim.number:
            found.append((claim, match))
    rng.shuffle(found)
    return found


def _pointing(rule: str, choose: Callable[[Patent, int], int | None]) -> Injector:
    def inject(patent: Patent, rng: random.Random) -> Iterator[Fault]:
        for claim, match in _referring(patent, rng):
            number = choose(patent, claim.number)
            if number is not None:
                text = cut(claim.text, match.start(1), match.end(1), str(number))
                yield Fault(rule, rule, with_text(patent, claim.number, text), claim.number)
                return

    return inject


def _later(patent: Patent, number: int) -> int | None:
    later = [claim.number for claim in patent.claims if claim.number > number]
    return later[len(later) // 2] if later else None


def gap(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Leave a number out."""
    last = patent.claims[-1]
    if len(patent.claims) > 2:
        moved = replace(last, number=last.number + 1)
        yield Fault("number-gap", "number-gap",
                    replace(patent, claims=(*patent.claims[:-1], moved)), moved.number)  # fmt: skip


def duplicate(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Print a number twice."""
    if len(patent.claims) > 2:
        place = rng.randrange(1, len(patent.claims))
        claims = list(patent.claims)
        number = claims[place - 1].number
        claims[place] = replace(claims[place], number=number)
        yield Fault("number-duplicate", "number-duplicate",
                    replace(patent, claims=tuple(claims)), number)  # fmt: skip


def full_stop(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Leave the full stop out, or put a comma."""
    claim = rng.choice(patent.claims)
    if re.search(r"[a-z]{3}\.$", claim.text):
        text = claim.text[:-1] + rng.choice(["", ",", ";"])
        yield Fault(
            "no-full-stop", "no-full-stop", with_text(patent, claim.number, text), claim.number
        )


_HEAD = re.compile(
    r"The (?:[a-z-]+ ){0,4}?([a-z]+)(?= (?:of|according to|as claimed in|as recited in|in) claim \d)"
)


def category(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Call the claimed thing by another kind of name."""
    claims = list(patent.claims)
    rng.shuffle(claims)
    for claim in claims:
        match = _HEAD.match(claim.text)
        if match:
            steps = match[1] in ("method", "process")
            new = rng.choice(["apparatus", "device", "kit"] if steps else ["method", "process"])
            if new in " ".join(c.text[:80].lower() for c in patent.claims):
                new = "umbrella"
            text = "The " + new + claim.text[match.end() :]
            yield Fault("category", "category-mismatch", with_text(patent, claim.number, text),
                        claim.number)  # fmt: skip
            return


def multiple(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Let a multiple claim refer to a multiple claim."""
    parents = _single(patent)
    found = [
        (c, m) for c, m in _referring(patent, rng) if parents.get(c.number) and _HEAD.match(c.text)
    ]
    for low, one in found:
        for high, two in found:
            spare = [c.number for c in patent.claims if c.number < low.number]
            if high.number > low.number and len(spare) > 1:
                other = next(n for n in spare if n != int(one[1]))
                text = cut(low.text, *one.span(), f"claim {one[1]} or {other}")
                wrong = with_text(patent, low.number, text)
                kin = f"any one of claims {one[1]} or {low.number}"
                if int(one[1]) == low.number:
                    continue
                text = cut(high.text, *two.span(), kin)
                wrong = with_text(wrong, high.number, text)
                yield Fault("multiple", "multiple-on-multiple", wrong, high.number)
                return


Injector = Callable[[Patent, random.Random], Iterator[Fault]]
INJECTORS: dict[str, Injector] = {
    "article": article,
    "once": once,
    "foreign": foreign,
    "parent": parent,
    "renamed": renamed,
    "several": several,
    "twice": twice,
    "reference-missing": _pointing("reference-missing", lambda p, n: p.claims[-1].number + 7),
    "reference-later": _pointing("reference-later", _later),
    "reference-self": _pointing("reference-self", lambda p, n: n),
    "number-gap": gap,
    "number-duplicate": duplicate,
    "no-full-stop": full_stop,
    "category": category,
    "multiple": multiple,
}
HARDER = ("renamed", "several")
"""Faults that look like what granted claims do; counted apart."""

"""More ways to put a fault into granted claims, as another author would write them.

In:   a patent whose claims are in order.
Out:  copies with one fault each, as those of check_faults.py.
Why:  a checker that was fitted on one injector may know that injector only."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from check_faults import FOREIGN, Fault, above_texts, cut, indefinite, shuffled_claims, with_text
from phage.claims import Patent
from phage.language.en.noted import Article, Noted, Role, noted


def _first_named(patent: Patent, rng: random.Random) -> Iterator[tuple[int, str, str, Noted]]:
    """Give the mentions that introduce one thing by a name new to the chain, in random order."""
    for claim, above in shuffled_claims(patent, rng):
        known = {one.term for text in above_texts(claim.number, patent) for one in noted(text)[1]}
        new: list[Noted] = []
        for one in noted(claim.text)[1]:
            if one.term not in known and one.article is Article.A and one.role is Role.PART:
                new.append(one)
            known.add(one.term)
        rng.shuffle(new)
        for one in new:
            yield claim.number, claim.text, above, one


def _definite(patent: Patent, number: int, text: str, one: Noted, kind: str) -> Fault | None:
    match = re.match(r"an? ", text[one.start :])
    if match is None:
        return None
    wrong = cut(text, one.start, one.start + match.end(), "the ")
    end = one.end + len("the ") - match.end()
    return Fault(
        kind, "antecedent-missing", with_text(patent, number, wrong), number, one.start, end
    )


def named(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for the "a" of any thing whose name is new and is taken up later."""
    whole = " ".join(claim.text for claim in patent.claims).lower()
    for number, text, _, one in _first_named(patent, rng):
        taken_up = re.search(rf"\b(?:the|said) {re.escape(one.term)}\b", whole)
        if taken_up and (fault := _definite(patent, number, text, one, "named")):
            yield fault
            return


def any_name(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "the" for the "a" of any thing whose name is new."""
    for number, text, _, one in _first_named(patent, rng):
        if fault := _definite(patent, number, text, one, "any_name"):
            yield fault
            return


def appended(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """End a claim with a clause about a thing that no claim has."""
    whole = " ".join(claim.text for claim in patent.claims).lower()
    names = [name for name in FOREIGN if name.split()[-1] not in whole]
    claim = rng.choice(patent.claims)
    if names and claim.text.endswith("."):
        name = rng.choice(names)
        clause = rng.choice(
            [", wherein the {} is movable.", ", and the {}.", " by means of the {}."]
        )
        text = claim.text[:-1] + clause.format(name)
        start = text.rindex(f"the {name}")
        yield Fault("appended", "antecedent-missing", with_text(patent, claim.number, text),
                    claim.number, start, start + len(name) + 4)  # fmt: skip


_ITEM = re.compile(
    r"(?<=[;:,])(?: and)? (an? ((?:[a-z-]+ ){0,3}?[a-z-]+)(?=[;,] | [a-z]+ed | for | of | having | that )[^;,]*[;,])"
)


def removed(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Take out the element of a list that introduces what is taken up later."""
    for claim, above in shuffled_claims(patent, rng):
        found = list(_ITEM.finditer(claim.text))
        rng.shuffle(found)
        for match in found:
            name = match[2]
            if re.search(rf"\b{re.escape(name)}\b", above + claim.text[: match.start()].lower()):
                continue
            if re.search(rf"\ban? {re.escape(name)}\b", claim.text[match.end() :]):
                continue
            text = cut(claim.text, match.start(1), match.end(1) + 1, "")
            taken = re.search(rf"\b(?:the|said) {re.escape(name)}(?![a-z-])", text[match.start() :])
            if taken is None:
                continue
            start = match.start() + taken.start()
            yield Fault("removed", "antecedent-missing", with_text(patent, claim.number, text),
                        claim.number, start, start + len(taken[0]))  # fmt: skip
            return


def again(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Let a dependent claim have what its chain has already: "further comprising a wheel"."""
    for claim, above in shuffled_claims(patent, rng):
        if not above or not claim.text.endswith("."):
            continue
        found = [m for m in indefinite(above) if not m[2].endswith("s")]
        if not found:
            continue
        phrase = rng.choice(found)
        way = rng.choice([", further comprising {}.", ", wherein {} is movable.", ", and {}."])
        text = claim.text[:-1] + way.format(f"{phrase[1]} {phrase[2]}")
        start = text.rindex(f"{phrase[1]} {phrase[2]}")
        yield Fault("again", "introduced-twice", with_text(patent, claim.number, text),
                    claim.number, start, start + len(phrase[0]))  # fmt: skip
        return


def same_name(patent: Patent, rng: random.Random) -> Iterator[Fault]:
    """Write "a" for any "the" or "said" whose very name an "a" has introduced before."""
    for claim, _ in shuffled_claims(patent, rng):
        known = {
            one.term
            for text in above_texts(claim.number, patent)
            for one in noted(text)[1]
            if one.article is Article.A and not one.plural
        }
        found: list[Noted] = []
        for one in noted(claim.text)[1]:
            if one.definite and one.term in known and not one.plural and one.role is Role.PART:
                found.append(one)
            if one.article is Article.A and not one.plural:
                known.add(one.term)
        rng.shuffle(found)
        for one in found:
            match = re.match(r"(?:the|said) (?=[a-z])", claim.text[one.start :])
            if match is None:
                continue
            new = "an " if one.term[0] in "aeiou" else "a "
            text = cut(claim.text, one.start, one.start + match.end(), new)
            yield Fault("same_name", "introduced-twice", with_text(patent, claim.number, text),
                        claim.number, one.start, one.end + len(new) - match.end())  # fmt: skip
            return


OTHERS = {
    "named": named,
    "any_name": any_name,
    "appended": appended,
    "removed": removed,
    "again": again,
    "same_name": same_name,
}

"""The legal reading of a claim set: what every definite mention takes up, and where from.

In:   a Patent.
Out:  a LegalReading: for each claim its parents, its scope, and how each definite mention is resolved.
Why:  the paper's graph joins claims that share a term outside the chain; the law asks for the
      introduction inside it. Both take the same mentions, and neither changes the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from phage.checking.english import walk_english
from phage.checking.scope import Scope, shared, united
from phage.checking.walk import Resolution, Walk, Walker, walk_plain
from phage.claims.numbering import marked_cancelled
from phage.claims.types import Patent
from phage.language import Language, language_of
from phage.structure import CiteKind, Links, Reason, find_links


@dataclass(frozen=True, slots=True)
class LegalClaim:
    """One claim, as the law reads it."""

    number: int
    text: str
    links: Links = ()
    walk: Walk = field(default_factory=Walk)
    """Its mentions in order; definite ones with their resolution."""
    unchecked: str = ""
    """Why its antecedents were not checked; empty if they were."""

    @property
    def resolutions(self) -> tuple[Resolution, ...]:
        """Every definite mention, and how it was resolved."""
        return self.walk.resolutions


@dataclass(frozen=True, slots=True)
class LegalReading:
    """A patent's claims with their chains and resolved mentions."""

    patent: Patent
    language: str
    claims: Mapping[int, LegalClaim]
    """By number, in order; if two claims share a number, the first."""
    lower: Mapping[int, str] = field(repr=False, default_factory=dict)
    """Every claim in lower case: a cheap first look for words."""
    words: str = field(repr=False, default="")
    """All their words, each once: a cheaper look still."""

    def above(self, number: int) -> Iterator[int]:
        """Yield the claims above one, nearest first, each once."""
        seen = {number}
        waiting = [number]
        while waiting:
            for link in self.claims[waiting.pop(0)].links:
                for parent in link.parents:
                    if parent not in seen:
                        seen.add(parent)
                        waiting.append(parent)
                        yield parent


def read_legally(patent: Patent) -> LegalReading:
    """Read a claim set as the law does.

    >>> from phage.claims import Claim
    >>> patent = Patent("US1A", (Claim(1, "A pump comprising a shaft."),
    ...     Claim(2, "The pump of claim 1, wherein the rotor is fixed to the shaft.")))
    >>> [(r.term, str(r.step)) for r in read_legally(patent).claims[2].resolutions]
    [('rotor', 'none'), ('shaft', 'exact')]
    """
    language = language_of(patent.language, place=patent.number)
    texts: dict[int, str] = {}
    gone: set[int] = set()
    for claim in sorted(patent.claims, key=lambda claim: claim.number):
        if marked_cancelled(claim.text):
            gone.add(claim.number)
        else:
            texts.setdefault(claim.number, claim.text)
    links = find_links(texts, language, (*patent.cancelled, *sorted(gone)))
    walk = _walker(language)
    claims: dict[int, LegalClaim] = {}
    scopes = _Scopes(links)
    cited = {parent for found in links.values() for link in found for parent in link.parents}
    for number, text in texts.items():
        why = _unchecked(links[number], claims)
        if walk is None:
            why = f"phage has no rules for antecedents in {language.name}"
        if why or walk is None:
            claims[number] = LegalClaim(number, text, links[number], unchecked=why)
            continue
        above = scopes.above(number)
        found = walk(number, text, above, bool(links[number]))
        if number in cited:
            scopes.known[number] = above.extended(found.table, found.places())
        claims[number] = LegalClaim(number, text, links[number], found)
    lower = {number: text.lower() for number, text in texts.items()}
    words = " ".join(set(" ".join(lower.values()).split()))
    return LegalReading(patent, language.code, claims, lower, words)


def _walker(language: Language) -> Walker | None:
    """Return the function that reads the antecedents of a language."""
    if language.code == "en":
        return walk_english
    if language.mentions is None:
        return None
    return lambda number, text, above, refers: walk_plain(number, text, above, language)


_WHY = {
    Reason.MISSING: "claim {} does not exist",
    Reason.LATER: "claim {} comes later",
    Reason.SELF: "it refers to itself",
    Reason.CANCELLED: "claim {} is cancelled",
}


def _unchecked(links: Links, claims: Mapping[int, LegalClaim]) -> str:
    for link in links:
        for cited, reason in link.broken:
            return _WHY[reason].format(cited) if cited else "its reference names no claim"
        for parent in link.parents:
            if claims[parent].unchecked:
                return f"it depends on claim {parent}, which was not checked"
    return ""


class _Scopes:
    """The scopes of all claims read so far; alternatives are shared step by step, each once."""

    def __init__(self, links: Mapping[int, Links]) -> None:
        self.links = links
        self.known: dict[int, Scope] = {}
        self._shared: dict[tuple[int, ...], Scope] = {}

    def above(self, number: int) -> Scope:
        """Return what a claim inherits."""
        scopes: list[Scope] = []
        for link in self.links[number]:
            if link.kind is CiteKind.ALTERNATIVE:
                scopes.append(self._common(link.parents))
            else:
                scopes += [self.known[parent] for parent in link.parents]
        return scopes[0] if len(scopes) == 1 else united(scopes)

    def _common(self, parents: tuple[int, ...]) -> Scope:
        if parents not in self._shared:
            # "Any preceding claim" of claim 9 extends that of claim 8: look for the longest known.
            known = self._shared.get(parents[:-1])
            if known is None:
                known, rest = self.known[parents[0]], parents[1:]
            else:
                rest = parents[-1:]
            for parent in rest:
                known = shared(known, self.known[parent])
            self._shared[parents] = known
        return self._shared[parents]

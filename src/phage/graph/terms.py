"""Technical terms and how they flow from claim to claim.

In:   claim texts.
Out:  Mentions per claim; the pairs that E_term of the appendix proposes, with evidence.
Why:  "a shaft" here and "the shaft" there is a dependency that no claim number states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from phage.graph.types import Evidence, Relation
from phage.language.types import Component, Determiner, Language, Mention

Pairs = dict[tuple[int, int], tuple[Evidence, ...]]
"""(source, target) → the words that propose it."""


Named = TypeVar("Named", Mention, Component)


def explained(texts: Mapping[int, str], language: Language) -> dict[str, str]:
    """Collect the abbreviations that claims explain; the first claim that explains one decides."""
    meant: dict[str, str] = {}
    if language.abbreviations:
        for text in texts.values():
            meant = {**language.abbreviations(text), **meant}
    return meant


def spell_out(
    found: Mapping[int, tuple[Named, ...]], meant: Mapping[str, str]
) -> Mapping[int, tuple[Named, ...]]:
    """Map abbreviations to their terms, so that "the UE" matches "user equipment (UE)"."""

    def full(item: Named) -> Named:
        front, last = ("", *item.term.rsplit(" ", 1))[-2:]
        long = meant.get(last) or meant.get(last.removesuffix("s"))
        return replace(item, term=f"{front} {long}".strip()) if long else item

    return {n: tuple(map(full, items)) for n, items in found.items()} if meant else found


def drop_frequent(
    mentions: Mapping[int, Sequence[Mention]], rho: float
) -> dict[int, tuple[Mention, ...]]:
    """Drop terms that stand in more than ``rho`` of the claims (sets of three or more)."""
    if len(mentions) < 3:
        return {number: tuple(found) for number, found in mentions.items()}
    counts: dict[str, int] = {}
    for found in mentions.values():
        for term in {mention.term for mention in found}:
            counts[term] = counts.get(term, 0) + 1
    limit = rho * len(mentions)
    return {
        number: tuple(mention for mention in found if counts[mention.term] <= limit)
        for number, found in mentions.items()
    }


def term_edges(texts: Mapping[int, str], mentions: Mapping[int, Sequence[Mention]]) -> Pairs:
    """Join the claim that introduces a term to the later ones that speak of it as known.

    ``mentions`` holds the claims in printed order. Pairs inside the citation closure are still
    here; ``build_graph`` takes them out.
    """
    defined: dict[str, int] = {}
    pairs: dict[tuple[int, int], list[Evidence]] = {}
    for number, found in mentions.items():
        for mention in found:
            if mention.determiner is Determiner.INDEF:
                defined.setdefault(mention.term, number)
    for number, found in mentions.items():
        seen: set[str] = set()
        for mention in found:
            source = defined.get(mention.term, number)
            if mention.determiner is not Determiner.DEF or source >= number:
                continue
            if mention.term not in seen:
                seen.add(mention.term)
                phrase = texts[number][mention.start : mention.end]
                pairs.setdefault((source, number), []).append(
                    Evidence(number, mention.start, mention.end, phrase, Relation.TERM,
                             term=mention.term)
                )  # fmt: skip
    return {pair: tuple(evidence) for pair, evidence in pairs.items()}

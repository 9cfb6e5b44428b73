"""Functional couplings: components that one of the 13 verbs joins.

In:   claim texts and their mentions.
Out:  Components per claim; the pairs that E_func of the appendix proposes, with evidence.
Why:  "the shaft is coupled to the housing" leans on whichever claim speaks of the housing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from phage.errors import PhageError
from phage.graph.terms import Pairs
from phage.graph.types import Evidence, Relation
from phage.language.types import Component, Language, Mention
from phage.structure import MOST, too_many

PARSERS = ("pattern", "spacy")
"""``pattern`` is built in; ``spacy`` parses English as in the paper."""
DIRECTIONS = ("forward", "both")
"""``forward``: from earlier claims to later ones; ``both``: from any other claim."""


def find_components(
    texts: Mapping[int, str],
    mentions: Mapping[int, tuple[Mention, ...]],
    language: Language,
    parser: str = "pattern",
    dense: list[int] | None = None,
) -> dict[int, tuple[Component, ...]]:
    """Find, per claim, the terms that a functional verb joins, in order of appearance.

    ``dense`` takes the numbers of claims whose verbs do not see all of their clause.
    """
    if parser not in PARSERS:
        raise PhageError(f"unknown parser '{parser}'", remedy=f"use {' or '.join(PARSERS)}")
    if parser == "spacy" and language.code == "en":
        from phage.language.en.dependency import parsed_components

        parsed = parsed_components([(text, mentions[number]) for number, text in texts.items()])
        return dict(zip(texts, parsed, strict=True))
    if language.components is None:
        return dict.fromkeys(texts, ())
    crowded = [] if dense is None else dense
    return {
        number: language.components(text, mentions[number], partial(crowded.append, number))
        for number, text in texts.items()
    }


def coupling_edges(
    texts: Mapping[int, str],
    mentions: Mapping[int, Sequence[Mention]],
    components: Mapping[int, Sequence[Component]],
    direction: str = "forward",
) -> Pairs:
    """Join each claim that holds a component's term to the claim that couples it.

    ``direction`` says whether it must be the later one. Pairs inside the citation closure are
    still here; ``build_graph`` takes them out.
    """
    if direction not in DIRECTIONS:
        raise PhageError(
            f"unknown direction '{direction}' of couplings",
            remedy=f"use functional = '{DIRECTIONS[0]}' or '{DIRECTIONS[1]}'",
        )
    both = direction == "both"
    holders = _holders(mentions) if both else {}
    count = 0
    pairs: dict[tuple[int, int], list[Evidence]] = {}
    for number, found in mentions.items():
        seen: set[str] = set()
        for component in components.get(number, ()):
            if component.term in seen:
                continue
            seen.add(component.term)
            phrase = texts[number][component.start : component.end]
            evidence = Evidence(
                number, component.start, component.end, phrase, Relation.FUNC,
                term=component.term, verb=component.verb,
            )  # fmt: skip
            sources = holders.get(component.term, ())
            count += len(sources)
            if count > MOST:
                raise too_many("couplings between claims")
            for source in sources:
                if source != number:
                    pairs.setdefault((source, number), []).append(evidence)
        if not both:  # a claim sees the holders before it
            _holders({number: found}, holders)
    return {pair: tuple(evidence) for pair, evidence in pairs.items()}


def _holders(
    mentions: Mapping[int, Sequence[Mention]], known: dict[str, list[int]] | None = None
) -> dict[str, list[int]]:
    """Give, per term, the claims that hold it."""
    holders = {} if known is None else known
    for number, found in mentions.items():
        for term in {mention.term for mention in found}:
            holders.setdefault(term, []).append(number)
    return holders

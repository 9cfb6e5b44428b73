"""Score the implicit edges of both parsers against the gold sets.

In:   tests/graph/gold.jsonl, gold-second.jsonl and the USPTO week beside the checkout.
Out:  results/gold.json: precision, recall, F1 of term and func edges, micro over the patents,
      with a 95 % interval (bootstrap over patents); ``--errors`` lists every wrong edge.
Why:  the appendix defines the edges by formula; whether its ingredients are found is judged here.

    python benchmarks/gold.py --errors
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from phage.claims import Patent, read
from phage.errors import PhageError
from phage.graph.build import build_graph
from phage.graph.types import ClaimGraph, Edge, GraphSettings, Relation, closure
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parents[1]
GOLD = ROOT / "tests" / "graph" / "gold.jsonl"
SECOND = GOLD.with_name("gold-second.jsonl")
"""Read after the rules stood still; docs/log.md has the scores of that state."""
WEEK = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
OUT = ROOT / "results" / "gold.json"
PARSERS = ("pattern", "spacy")
RHO = 0.8
DRAWS = 2000

Pair = tuple[int, int]
Reasons = dict[Pair, set[str]]
"""(source, target) → the terms that propose the edge."""


@dataclass(slots=True)
class Marked:
    """What a reader marked in one claim."""

    claim: int
    mentions: list[tuple[str, str]]
    components: list[str]


@dataclass(slots=True)
class Count:
    """Edges of one kind: found and true, found and false, missed; per patent."""

    patents: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, found: Iterable[Pair], true: Iterable[Pair]) -> None:
        """Count one patent."""
        found, true = set(found), set(true)
        self.patents.append((len(found & true), len(found - true), len(true - found)))

    def report(self) -> dict[str, Any]:
        """Give the scores over all patents, and how far chance could move F1."""
        chance = random.Random(1)
        draws = sorted(
            scores(chance.choices(self.patents, k=len(self.patents)))["f1"] for _ in range(DRAWS)
        )
        interval = [draws[round(DRAWS * 0.025)], draws[round(DRAWS * 0.975) - 1]]
        return {**scores(self.patents), "f1_interval_95": interval}


def scores(patents: Iterable[tuple[int, int, int]]) -> dict[str, Any]:
    """Sum over patents, then precision, recall, F1.

    >>> scores([(3, 1, 1), (0, 0, 0)])["f1"]
    0.75
    """
    right, wrong, missed = map(sum, zip(*patents, strict=True))
    return {
        "true_positive": right,
        "false_positive": wrong,
        "false_negative": missed,
        "precision": round(right / (right + wrong), 4) if right + wrong else 1.0,
        "recall": round(right / (right + missed), 4) if right + missed else 1.0,
        "f1": round(2 * right / (2 * right + wrong + missed), 4) if right + wrong + missed else 1.0,
    }


def load(path: Path = GOLD) -> dict[str, list[Marked]]:
    """Read the gold file: patent → its claims in printed order."""
    patents: dict[str, list[Marked]] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        mentions = [(kind, term) for kind, term in row["mentions"]]
        patents.setdefault(row["patent"], []).append(
            Marked(row["claim"], mentions, row["components"])
        )
    return patents


def gold_edges(claims: list[Marked], excluded: frozenset[Pair]) -> tuple[Reasons, Reasons]:
    """Let the term and func edges follow from what was marked.

    >>> first = Marked(1, [("indef", "shaft")], [])
    >>> second = Marked(2, [("def", "shaft"), ("indef", "pin")], ["pin", "shaft"])
    >>> third = Marked(3, [("indef", "gear")], [])
    >>> gold_edges([first, second, third], frozenset())
    ({(1, 2): {'shaft'}}, {(1, 2): {'shaft'}})
    """
    terms = _terms_of(claims)
    defined: dict[str, int] = {}
    for row in claims:
        for kind, term in row.mentions:
            if kind == "indef" and term in terms[row.claim]:
                defined.setdefault(term, row.claim)
    term_pairs: Reasons = {}
    func_pairs: Reasons = {}
    for row in claims:
        for kind, term in row.mentions:
            if kind == "def" and term in terms[row.claim]:
                pair = (defined.get(term, row.claim), row.claim)
                term_pairs.setdefault(pair, set()).add(term)
        for component, earlier in product(row.components, terms):
            if component in terms[earlier]:
                func_pairs.setdefault((earlier, row.claim), set()).add(component)
    return _outside(term_pairs, excluded), _outside(func_pairs, excluded)


def _terms_of(claims: list[Marked]) -> dict[int, set[str]]:
    """Give T(c) of each claim, without the terms that stand in too many."""
    terms = {row.claim: {term for _, term in row.mentions} for row in claims}
    if len(claims) < 3:
        return terms
    counts = Counter(term for held in terms.values() for term in held)
    frequent = {term for term, count in counts.items() if count > RHO * len(claims)}
    return {claim: held - frequent for claim, held in terms.items()}


def _outside(pairs: Reasons, excluded: frozenset[Pair]) -> Reasons:
    """Keep what runs from an earlier claim to a later one and no citation already says."""
    return {
        (source, target): why
        for (source, target), why in pairs.items()
        if source < target and (source, target) not in excluded
    }


def found_edges(graph: ClaimGraph, signal: Relation) -> Reasons:
    """Give the pairs of a graph that carry a signal; a BOTH edge carries two."""
    return {
        (edge.source, edge.target): _terms(edge, signal)
        for edge in graph.edges
        if edge.relation in (signal, Relation.BOTH)
    }


def _terms(edge: Edge, signal: Relation) -> set[str]:
    return {item.term for item in edge.evidence if item.signal is signal}


def score(
    patents: Mapping[str, Patent], gold: Mapping[str, list[Marked]], parser: str, errors: bool
) -> dict[str, Any]:
    """Score one parser."""
    counts = {Relation.TERM: Count(), Relation.FUNC: Count()}
    for number, claims in gold.items():
        graph = build_graph(patents[number], GraphSettings(parser=parser))
        cites = [(e.source, e.target) for e in graph.edges if e.relation is Relation.CITE]
        marked = gold_edges(claims, closure(cites))
        for signal, true in zip(counts, marked, strict=True):
            found = found_edges(graph, signal)
            counts[signal].add(found, true)
            if errors:
                _list(parser, number, signal, found, true)
    return {str(signal): count.report() for signal, count in counts.items()}


def _list(parser: str, number: str, signal: Relation, found: Reasons, true: Reasons) -> None:
    for pair in sorted(found.keys() ^ true.keys()):
        sign, terms = ("+", found[pair]) if pair in found else ("-", true[pair])
        print(parser, number, sign, signal, pair, "; ".join(sorted(terms)))


def main() -> None:
    """Score both parsers and write the results."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("--week", type=Path, default=WEEK)
    arguments.add_argument("--errors", action="store_true", help="list every wrong edge")
    arguments.add_argument("--parser", choices=PARSERS, help="one parser only; writes no result")
    given = arguments.parse_args()
    if not given.week.exists():
        raise SystemExit(f"{given.week}: the real patents are not beside the checkout")
    gold, second = load(), load(SECOND)
    wanted = gold.keys() | second.keys()
    patents = {patent.number: patent for patent in read(given.week) if patent.number in wanted}
    parsers = [given.parser] if given.parser else PARSERS
    scored = score_set(patents, gold, parsers, given.errors)
    print("second set")
    apart = score_set(patents, second, parsers, given.errors)
    if not given.parser:
        told = provenance([GOLD, SECOND, given.week])
        write_json(OUT, {**scored, "second_set": apart, "provenance": told})


def score_set(
    patents: Mapping[str, Patent],
    gold: Mapping[str, list[Marked]],
    parsers: Iterable[str],
    errors: bool,
) -> dict[str, Any]:
    """Score each parser that is installed on one set."""
    result: dict[str, Any] = {}
    for parser in parsers:
        try:
            result[parser] = score(patents, gold, parser, errors)
        except PhageError as error:
            print(f"{parser}: {error}")
            continue
        for signal, numbers in result[parser].items():
            print(parser, signal, json.dumps(numbers))
    return {"patents": len(gold), "claims": sum(map(len, gold.values())), "parsers": result}


if __name__ == "__main__":
    main()

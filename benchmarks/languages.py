"""Compare the graphs of one text in two languages.

In:   the multilingual families beside the checkout.
Out:  results/languages.json: for each language, over the documents that also have English claims
      of the same number with the same citations: how far the implicit edges agree.
Why:  no one has marked gold in five more languages; a translation says the same, so that the
      English graph, which is measured, judges the others. It is a floor: translators choose other
      words ("arranged" is none of the 13 verbs, "angeordnet" translates one), and Chinese often
      leaves the known unmarked.

    python benchmarks/languages.py
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from phage.claims import Claim, Patent
from phage.graph.build import build_graph
from phage.graph.types import ClaimGraph, Relation
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parents[1]
FAMILIES = ROOT.parent / "shared" / "data" / "multilingual-families.jsonl.xz"
OUT = ROOT / "results" / "languages.json"
LANGUAGES = ("de", "fr", "zh", "ja", "ko")


def load(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read the claim sets: document → language → claims."""
    documents: dict[str, dict[str, list[str]]] = defaultdict(dict)
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            documents[row["id"]][row["lang"]] = [" ".join(text.split()) for text in row["claims"]]
    return documents


def graph_of(number: str, texts: list[str], language: str) -> ClaimGraph:
    """Build the graph of one language version."""
    claims = tuple(Claim(place, text) for place, text in enumerate(texts, start=1))
    return build_graph(Patent(number, claims, language=language))


def pairs(graph: ClaimGraph, signal: Relation) -> set[tuple[int, int]]:
    """Give the pairs that carry a signal."""
    both = () if signal is Relation.CITE else (Relation.BOTH,)
    return {(e.source, e.target) for e in graph.edges if e.relation in (signal, *both)}


def compare(documents: dict[str, dict[str, list[str]]], language: str) -> dict[str, Any]:
    """Count the edges that both versions, only one, or the other holds."""
    counts: Counter[str] = Counter()
    for number, versions in documents.items():
        texts, other = versions.get("en"), versions.get(language)
        if not texts or not other or not len(texts) == len(other) > 2:
            continue
        english, spoken = graph_of(number, texts, "en"), graph_of(number, other, language)
        if pairs(english, Relation.CITE) != pairs(spoken, Relation.CITE):
            continue
        counts["documents"] += 1
        for signal in (Relation.TERM, Relation.FUNC):
            one, two = pairs(english, signal), pairs(spoken, signal)
            counts[f"{signal} both"] += len(one & two)
            counts[f"{signal} English only"] += len(one - two)
            counts[f"{signal} {language} only"] += len(two - one)
    return {"counts": dict(counts)} | {
        str(signal): _agreement(
            counts[f"{signal} both"],
            counts[f"{signal} English only"],
            counts[f"{signal} {language} only"],
        )
        for signal in (Relation.TERM, Relation.FUNC)
    }


def _agreement(both: int, english: int, other: int) -> dict[str, float]:
    return {
        "share_of_english_found": round(both / (both + english), 3) if both + english else 0.0,
        "share_also_in_english": round(both / (both + other), 3) if both + other else 0.0,
    }


def main() -> None:
    """Compare every language with English and write the results."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("--families", type=Path, default=FAMILIES)
    given = arguments.parse_args()
    if not given.families.exists():
        raise SystemExit(f"{given.families}: the real patents are not beside the checkout")
    documents = load(given.families)
    result = {language: compare(documents, language) for language in LANGUAGES}
    for language, numbers in result.items():
        print(language, json.dumps(numbers))
    write_json(OUT, {"languages": result, "provenance": provenance([given.families])})


if __name__ == "__main__":
    main()

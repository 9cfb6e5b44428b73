"""Cite edges against the office's tags, and language versions against each other.

python benchmarks/citations.py [-o results/citations.json]

The week: ``claim-ref`` tags are the truth, ranges completed as the text says (the office tags only
their ends, or only the first number); reissues are scored apart, for their added claims carry no
tags. ``raw`` scores against the tags as they are, reissues included. References that no edge can come of (later, missing, the claim itself) are left out on both
sides. The families: cite edges of each language version against its English one (or the first),
where both have the same number of claims. All disagreements are listed; docs/citations.md holds
the verdicts."""

from __future__ import annotations

import argparse
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phage.claims import Claim, Patent, read
from phage.graph.citations import cite_edges
from phage.language import LANGUAGES
from phage.provenance import provenance
from phage.storage import write_json

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
WEEK = DATA / "uspto-grants-2014-01-07.xml.xz"
FAMILIES = DATA / "multilingual-families.jsonl.xz"

# Deliberately plain, and not our grammar: a list that holds a range.
RUN = re.compile(r"claims?\s+(\d+(?:(?:\s|,|;|and|or|to|through|thru|-|–)+\d+)+)", re.IGNORECASE)
PART = re.compile(r"\d+|to|through|thru|-|–", re.IGNORECASE)

Edges = set[tuple[int, int]]


def completed(claim: Claim) -> set[int]:
    """Complete the office's references where the text gives a range."""
    numbers = set(claim.references)
    for run in RUN.finditer(claim.text):
        parts = PART.findall(run[1])
        if int(parts[0]) not in numbers or all(part.isdigit() for part in parts):
            continue
        last, joins = 0, False
        for part in parts:
            if not part.isdigit():
                joins = True
                continue
            numbers.update(range(last + 1 if joins else int(part), int(part) + 1))
            last, joins = int(part), False
    return numbers


@dataclass  # not frozen: it counts
class Score:
    """Edges of one extractor against the office's."""

    raw: bool = False
    """Take the tags as they are; no range is completed."""
    right: int = 0
    added: int = 0
    missed: int = 0
    seconds: float = 0.0
    disagreements: list[dict[str, Any]] = field(default_factory=list)

    def add(self, patent: Patent, mode: str) -> None:
        """Score one patent."""
        start = time.perf_counter()
        edges, _ = cite_edges(patent.claims, LANGUAGES["en"], patent.cancelled, mode)
        self.seconds += time.perf_counter() - start
        present = {claim.number for claim in patent.claims}
        for claim in patent.claims:
            tagged = set(claim.references) if self.raw else completed(claim)
            office = {n for n in tagged & present if n < claim.number}
            own = {edge.source: edge for edge in edges if edge.target == claim.number}
            self.right += len(office & own.keys())
            self.added += len(own.keys() - office)
            self.missed += len(office - own.keys())
            if office != own.keys():
                phrases = {item.phrase for edge in own.values() for item in edge.evidence}
                self.disagreements.append(
                    {
                        "patent": patent.number,
                        "claim": claim.number,
                        "only_ours": sorted(own.keys() - office),
                        "only_office": sorted(office - own.keys()),
                        "phrases": sorted(phrases),
                    }
                )

    def to_json(self, keep: bool = True) -> dict[str, Any]:
        """Give the figures, and every disagreement."""
        found, office = self.right + self.added, self.right + self.missed
        row: dict[str, Any] = {
            "edges_office": office,
            "edges_found": found,
            "precision": round(self.right / found, 5) if found else None,
            "recall": round(self.right / office, 5) if office else None,
            "seconds": round(self.seconds, 2),
        }
        if keep:
            row["disagreements"] = self.disagreements
        return row


def week() -> dict[str, Any]:
    """Score both modes on the week."""
    scores = {name: Score() for name in ("full", "paper", "reissues")}
    scores["raw"] = Score(raw=True)
    patents = reissues = 0
    for patent in read(WEEK):
        patents += 1
        scores["raw"].add(patent, "full")
        if patent.number.startswith("USRE"):
            reissues += 1
            scores["reissues"].add(patent, "full")
            continue
        for mode in ("full", "paper"):
            scores[mode].add(patent, mode)
    return {
        "patents": patents,
        "reissued": reissues,
        **{
            name: score.to_json(keep=name in ("full", "reissues")) for name, score in scores.items()
        },
    }


def versions() -> Iterator[tuple[Patent, Patent]]:
    """Give each language version with the one it is compared to."""
    families: dict[str, list[Patent]] = defaultdict(list)
    for patent in read(FAMILIES):
        if patent.language in LANGUAGES:
            families[patent.family or patent.number].append(patent)
    for members in families.values():
        order = sorted(members, key=lambda p: list(LANGUAGES).index(p.language))
        english = [p for p in order if p.language == "en"]
        for patent in order:
            # Versions of one publication are translations; else the family's English one.
            same = [p for p in order if p.number == patent.number]
            other = same[0] if len(same) > 1 else next(iter(english), patent)
            if other is not patent and patent.language != "en":
                yield patent, other


def pairs(patent: Patent) -> tuple[Edges, dict[int, set[str]]]:
    """Give edges and phrases by place: offices renumber when claims are cancelled."""
    edges, _ = cite_edges(patent.claims, LANGUAGES[patent.language], patent.cancelled)
    place = {claim.number: index for index, claim in enumerate(patent.claims, start=1)}
    phrases: dict[int, set[str]] = defaultdict(set)
    for edge in edges:
        phrases[place[edge.target]] |= {item.phrase for item in edge.evidence}
    return {(place[edge.source], place[edge.target]) for edge in edges}, phrases


def families() -> dict[str, Any]:
    """Compare language versions."""
    rows: dict[str, dict[str, Any]] = {}
    disagreements = []
    for patent, other in versions():
        ep = patent.number == other.number and patent.office == "EP"
        names = (patent.language, *(("ep",) if ep else ()))
        ours, theirs = pairs(patent), pairs(other)
        union = ours[0] | theirs[0]
        for name in names:
            row = rows.setdefault(name, {"pairs": 0, "same_count": 0, "exact": 0, "jaccard": 0.0})
            row["pairs"] += 1
            if len(patent.claims) == len(other.claims):
                row["same_count"] += 1
                row["exact"] += ours[0] == theirs[0]
                row["jaccard"] += len(ours[0] & theirs[0]) / len(union) if union else 1.0
        if len(patent.claims) == len(other.claims) and ours[0] != theirs[0]:
            for number in sorted({target for _, target in ours[0] ^ theirs[0]}):
                disagreements.append(
                    {
                        "version": f"{patent.number} {patent.language}",
                        "against": f"{other.number} {other.language}",
                        "claim": number,
                        "ours": sorted(ours[1][number]),
                        "theirs": sorted(theirs[1][number]),
                    }
                )
    for row in rows.values():
        row["agreement"] = round(row["exact"] / row["same_count"], 4)
        row["jaccard"] = round(row["jaccard"] / row["same_count"], 4)
    return {"languages": rows, "disagreements": disagreements}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/citations.json"))
    out = parser.parse_args().out
    if not WEEK.exists():
        print(f"skipped: {WEEK} is not here")
        return
    result = {"week": week(), "families": families(), **provenance([WEEK, FAMILIES])}
    write_json(out, result)
    for name in ("full", "paper", "reissues"):
        row = result["week"][name]
        print(name, {key: value for key, value in row.items() if key != "disagreements"})
    for name, row in result["families"]["languages"].items():
        print(name, row)


if __name__ == "__main__":
    main()

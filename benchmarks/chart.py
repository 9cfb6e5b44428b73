"""How often a claim chart finds the right passage.

python benchmarks/chart.py [-o results/chart.json] [--read results/chart-read.tsv]

Three tasks on the USPTO week and the A61B 5 set; the weight and the vectors are chosen on patents
that the test does not contain.

``rewritten``: a dependent claim, put into other words by fixed edits (benchmarks/chart_rewrites.py),
    must find its source among all elements of its patent and of the two nearest patents by words.
    ``hard`` leaves out a third of the words, too.
``pairs``: a dependent claim of an application must find the claim of the same number in another
    publication with the same title, filing date and references between claims.
``numerals``: elements of claims with reference numerals must find sentences of their description
    that have the same numerals; the numerals themselves are taken out before scoring.
``read``: counts of results/chart-read.tsv, passages that were read by hand."""

from __future__ import annotations

import argparse
import csv
import lzma
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chart_rewrites import rewritten
from phage.claims import Patent, read
from phage.claims.elements import elements
from phage.compare.chart import CLOSE, WEIGHT, coverage
from phage.compare.passages import passages
from phage.encoder import Encoder
from phage.provenance import provenance
from phage.storage import read_json, write_json

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "data"
WEEK = DATA / "uspto-grants-2014-01-07.xml.xz"
SEED, VALIDATION, TEST, CLAIMS, NEAREST = 22, 30, 60, 4, 2
WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
_NUMERAL = re.compile(r"\s?\((\d{1,4}[a-z]?'?(?:\s?[,;/-]\s?\d{1,4}[a-z]?'?)*)\)")
_PLAIN_NUMERAL = re.compile(r"\b\d{1,4}[a-z]?'?\b")
Case = tuple[str, list[str], set[int]]
"""An element, the passages it may find, and which of them are right."""


class Scorer:
    """Scores passages in each way, encoding each text once."""

    def __init__(self) -> None:
        """Load the encoder."""
        self.encoder = Encoder.from_pretrained("phage-mini")
        self.known: dict[str, np.ndarray] = {}

    def vectors(self, texts: list[str]) -> np.ndarray:
        """Give two vectors for each text: its own, and the mean of its tokens."""
        new = list(dict.fromkeys(text for text in texts if text not in self.known))
        for text, one in zip(new, self.encoder.read(new), strict=True):
            self.known[text] = np.stack([one.patent, one.vectors[0]])
        return np.stack([self.known[text] for text in texts])  # (N, 2, D)

    def __call__(self, asked: list[str], offered: list[str]) -> dict[str, np.ndarray]:
        """Give one matrix of scores per way."""
        found = self.vectors([*asked, *offered])
        own, mean = found[:, 0], found[:, 1]
        n = len(asked)
        ways = {"words": coverage(asked, offered)}
        for name, vectors in (("text vector", own), ("token mean", mean)):
            ways[name] = np.clip(vectors[:n] @ vectors[n:].T, 0, 1)
        for name in ("text vector", "token mean"):
            for weight in WEIGHTS:
                both = weight * ways[name] + (1 - weight) * ways["words"]
                ways[f"fused {weight}, {name}"] = both
        return ways


def week() -> list[Patent]:
    """Give the utility grants with at least five dependent claims, shuffled."""
    patents = [p for p in read(WEEK) if p.kind.startswith("B") and len(p.claims) > 5]
    random.Random(SEED).shuffle(patents)
    return patents


def nearest(patents: list[Patent], count: int) -> list[list[int]]:
    """Give the nearest patents of the first ``count`` by the words of abstract and claims."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [" ".join((p.title, p.abstract, *(c.text for c in p.claims))) for p in patents]
    made = TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.3).fit_transform(texts)
    found = []
    for row in range(count):
        like = (made @ made[row].T).toarray().ravel()
        like[row] = -1
        found.append([int(n) for n in np.argsort(-like, kind="stable")[:NEAREST]])
    return found


def body(text: str) -> str:
    """Cut the reference of a dependent claim off."""
    return re.sub(
        r"^.{0,200}?\bclaims? \d+[^,:]{0,40}?(?:,|:| wherein| further| comprising)", "", text
    )


def dependent(patent: Patent) -> list[int]:
    """Give the places of dependent claims that have something to say."""
    return [
        place
        for place, claim in enumerate(patent.claims)
        if re.search(r"\bclaims? \d", claim.text[:200]) and len(body(claim.text).split()) >= 6
    ]


def rewritten_cases(
    patents: list[Patent], span: range, near: list[list[int]], dropped: float
) -> Iterator[list[Case]]:
    """Give the cases of each patent; they share their passages."""
    for row in span:
        patent = patents[row]
        places = dependent(patent)
        random.Random(patent.number).shuffle(places)
        offered = [p for n in (row, *near[row]) for p in _claim_passages(patents[n])]
        texts = [text for _, _, text in offered]
        cases: list[Case] = []
        for place in places[:CLAIMS]:
            claim = patent.claims[place]
            right = {
                at
                for at, (number, name, _) in enumerate(offered)
                if number == patent.number
                and name.startswith(f"claim {claim.number}[")
                and not name.endswith("[pre]")
            }
            cases.append(
                (rewritten(body(claim.text), f"{patent.number} {place}", dropped), texts, right)
            )
        yield [case for case in cases if case[0] and case[2]]


def _claim_passages(patent: Patent) -> list[tuple[str, str, str]]:
    bare = replace(patent, abstract="", description="")
    return [(patent.number, one.place, one.text) for one in passages(bare)]


def pair_cases() -> Iterator[list[Case]]:
    """Give the cases of publications that share title, filing date and shape of the claim set."""
    groups: dict[tuple[str, str], list[Patent]] = defaultdict(list)
    for patent in read(DATA / "a61b5-claims.jsonl.xz"):
        if patent.title and patent.filing_date and len(patent.claims) > 5:
            groups[patent.title.lower(), patent.filing_date].append(patent)
    for found in sorted(groups.values(), key=lambda group: group[0].number):
        if len(found) != 2 or len(found[0].claims) != len(found[1].claims):
            continue
        one, other = found
        if _references(one) != _references(other):
            continue
        offered = _claim_passages(other)
        texts = [text for _, _, text in offered]
        cases: list[Case] = []
        for place in dependent(one):
            if one.claims[place].text == other.claims[place].text:
                continue
            number = other.claims[place].number
            right = {
                at
                for at, (_, name, _) in enumerate(offered)
                if name.startswith(f"claim {number}[") and not name.endswith("[pre]")
            }
            if right:
                cases.append((body(one.claims[place].text), texts, right))
        if cases:
            yield cases


def _references(patent: Patent) -> list[list[str]]:
    return [re.findall(r"\bclaims? (\d+)", claim.text) for claim in patent.claims]


def described() -> dict[str, str]:
    """Read the descriptions of the week."""
    found: dict[str, str] = {}
    with lzma.open(
        DATA / "uspto-grants-2014-01-07.descriptions.txt.xz", "rt", encoding="utf-8"
    ) as file:
        for block in file.read().split("\n\n"):
            number, _, text = block.strip().partition("\n")
            found[number.strip()] = text
    return found


def numeral_cases(patents: list[Patent]) -> Iterator[tuple[list[Case], list[list[float]]]]:
    """Give elements with numerals, and for each passage the share of the numerals it has."""
    texts = described()
    for patent in patents:
        text = texts.get(patent.number, "")
        claim = patent.claims[0]
        if not text or len(_NUMERAL.findall(claim.text)) < 4:
            continue
        raw = [p.text for p in passages(Patent(patent.number, description=text))]
        have = [set(_PLAIN_NUMERAL.findall(one)) for one in raw]
        bare = [re.sub(r"\s+", " ", _PLAIN_NUMERAL.sub("", one)) for one in raw]
        cases, shares = [], []
        for element in elements(claim):
            names = {
                n for group in _NUMERAL.findall(element.text) for n in _PLAIN_NUMERAL.findall(group)
            }
            if names and any(names <= one for one in have):
                share = [len(names & one) / len(names) for one in have]
                right = {at for at, value in enumerate(share) if value == 1}
                cases.append((_NUMERAL.sub("", element.text), bare, right))
                shares.append(share)
        if cases:
            yield cases, shares


class Tally:
    """Ranks of the first right passage, by way."""

    def __init__(self) -> None:
        """Begin empty."""
        self.ranks: dict[str, list[int]] = defaultdict(list)
        self.offered = 0

    def add(self, score: Scorer, cases: list[Case]) -> None:
        """Score the cases of one patent, which share their passages."""
        if not cases:
            return
        texts = cases[0][1]
        for way, matrix in score([case[0] for case in cases], texts).items():
            for (_, _, right), row in zip(cases, matrix, strict=True):
                best = max(row[at] for at in right)
                wrong = sum(1 for at, value in enumerate(row) if value >= best and at not in right)
                self.ranks[way].append(1 + wrong)
        self.offered += len(texts) * len(cases)

    def to_json(self) -> dict[str, Any]:
        """Give top-1 and mean reciprocal rank of each way."""
        count = len(next(iter(self.ranks.values())))
        return {
            "elements": count,
            "passages_each": round(self.offered / count),
            "ways": {
                way: {
                    "top1": round(sum(rank == 1 for rank in ranks) / count, 4),
                    "mrr": round(sum(1 / rank for rank in ranks) / count, 4),
                }
                for way, ranks in self.ranks.items()
            },
        }


def hand_read(path: Path) -> dict[str, Any]:
    """Count the verdicts of the passages that were read."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    by_close: dict[str, Counter[str]] = {"close": Counter(), "not_close": Counter()}
    for row in rows:
        by_close["close" if float(row["score"]) >= CLOSE else "not_close"][row["verdict"]] += 1
    return {
        "elements": len(rows),
        "verdicts": dict(Counter(row["verdict"] for row in rows).most_common()),
        **{name: dict(counts.most_common()) for name, counts in by_close.items()},
        "close_from": CLOSE,
    }


def main() -> None:
    """Measure, choose, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", type=Path, default=ROOT / "results" / "chart.json")
    parser.add_argument("--read", type=Path, default=ROOT / "results" / "chart-read.tsv")
    parser.add_argument("--only-read", action="store_true", help="count the verdicts anew, no more")
    chosen = parser.parse_args()
    if chosen.only_read:
        write_json(chosen.o, {**read_json(chosen.o), "read": hand_read(chosen.read)})
        return
    started = time.monotonic()
    score, patents = Scorer(), week()
    near = nearest(patents, VALIDATION + TEST)
    spans = {"validation": range(VALIDATION), "test": range(VALIDATION, VALIDATION + TEST)}
    tallies: dict[str, dict[str, Tally]] = {part: defaultdict(Tally) for part in spans}
    levels = {"rewritten": 0.0, "hard": 1 / 3}
    for part, span in spans.items():
        for row in span:
            for name, dropped in levels.items():
                for cases in rewritten_cases(patents, range(row, row + 1), near, dropped):
                    tallies[part][name].add(score, cases)
        show(part, tallies[part], started)
    for place, cases in enumerate(pair_cases()):
        tallies["test" if place % 3 else "validation"]["pairs"].add(score, cases)
    show("pairs", tallies["validation"], started)
    for place, (cases, _) in enumerate(numeral_cases(patents)):
        tallies["test" if place % 3 else "validation"]["numerals"].add(score, cases)
        if place >= 26:
            break
    found = {part: {n: t.to_json() for n, t in tasks.items()} for part, tasks in tallies.items()}
    result = {
        "validation": found["validation"],
        "test": found["test"],
        "weight": WEIGHT,
        "best_on_validation": best(found["validation"]),
        "seed": SEED,
        "seconds": round(time.monotonic() - started),
        **provenance([WEEK, DATA / "a61b5-claims.jsonl.xz"]),
    }
    if chosen.read.is_file():
        result["read"] = hand_read(chosen.read)
    write_json(chosen.o, result)


def show(part: str, tasks: dict[str, Tally], started: float) -> None:
    """Print how far it is."""
    print(part, f"{time.monotonic() - started:.0f} s", flush=True)
    for name, tally in tasks.items():
        found = tally.to_json()
        print(" ", name, found["elements"], found["passages_each"], flush=True)
        for way, figures in found["ways"].items():
            print("   ", way, figures["top1"], figures["mrr"], flush=True)


def best(tasks: dict[str, Any]) -> str:
    """Name the way with the best mean reciprocal rank over the tasks."""
    ways = next(iter(tasks.values()))["ways"]
    return max(ways, key=lambda way: sum(task["ways"][way]["mrr"] for task in tasks.values()))


if __name__ == "__main__":
    main()

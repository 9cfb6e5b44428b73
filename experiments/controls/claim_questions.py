"""Questions to claim vectors: which claim is the parent, which patent has a claim like this one.

python experiments/controls/claim_questions.py [-o gpu/claims.json.xz]

In:   the week and the Indian patents.
Out:  one small file with the claims of test patents and what is asked of them.
Why:  a GPU machine has neither corpora nor parsers. References are removed from all claims, so that
      no number gives a parent away."""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims import Claim, Patent
from phage.evaluation.datasets import DATA_SETS
from phage.evaluation.tasks import Split
from phage.language import language_of
from phage.provenance import provenance
from phage.storage import atomic
from phage.structure import CiteKind, Link, find_links, is_independent

SETS = {
    "week": ("uspto-week", "uspto-grants-2014-01-07.xml.xz"),
    "indian": ("cited-pairs", "indian-patents.jsonl.xz"),
}
INPUTS = Path("gpu/claims.json.xz")
FEWEST = 5
"""Claims that a patent must have before it is asked for parents."""
LEFT = re.compile(r"\bclaims?\s*\d", re.IGNORECASE)


@dataclass(frozen=True)
class Questions:
    """Patents of a data set with bare claims, and what is asked of them."""

    numbers: list[str]
    claims: list[list[str]]
    parents: Any
    """(C,) row of the claim that each claim depends on, all patents in one line; -1: not asked."""
    independent: Any
    """(C,) 1 or 0."""
    relevance: Any
    """(R, 2) patents that should find each other."""
    closed: Any
    """(…, 2) patents that are left out of each other's rankings."""
    notes: dict[str, Any]

    @property
    def starts(self) -> Any:
        """Count up to the first claim of each patent (P + 1,)."""
        return np.cumsum([0, *map(len, self.claims)])

    @property
    def texts(self) -> list[str]:
        """List all claims in one line."""
        return [text for claims in self.claims for text in claims]

    @property
    def patents(self) -> list[Patent]:
        """Give the patents as an encoder reads them: claims alone."""
        sets = [tuple(Claim(n, t) for n, t in enumerate(texts, 1)) for texts in self.claims]
        return [Patent(*pair) for pair in zip(self.numbers, sets, strict=True)]


def load(path: Path) -> dict[str, Questions]:
    """Read the prepared file: data set → questions."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        sets = json.load(file)["sets"]
    for one in sets.values():
        one |= {name: np.array(one[name], np.int64) for name in ("parents", "independent")}
        one |= {n: np.array(one[n], np.int64).reshape(-1, 2) for n in ("relevance", "closed")}
    return {name: Questions(**one) for name, one in sets.items()}


def bare(text: str, links: Sequence[Link]) -> str:
    """Take the references out of a claim.

    >>> links = find_links({1: "A pump.", 2: "The pump of claim 1, with a rotor."}, language_of("en"))
    >>> bare("The pump of claim 1, with a rotor.", links[2])
    'The pump, with a rotor.'
    """
    for link in reversed(links):
        text = f"{text[: link.start]} {text[link.end :]}"
    return re.sub(r"\s+(?=[,.;:])", "", " ".join(text.split()))


def spell(patent: Patent) -> tuple[list[str], list[int], list[bool]]:
    """Return the bare claims, the place of each one's only parent or -1, and which are independent."""
    texts = {claim.number: claim.text for claim in patent.claims}
    links = find_links(texts, language_of(patent.language), patent.cancelled)
    claims, places = [bare(text, links[n]) for n, text in texts.items()], list(texts)
    parents = []
    for text, number in zip(claims, texts, strict=True):
        one = links[number][0] if len(links[number]) == 1 else None
        sure = one and one.kind is CiteKind.DEPENDENT and one.parents and not LEFT.search(text)
        parents.append(places.index(one.parents[0]) if one and sure else -1)
    return claims, parents, [is_independent(links[number]) for number in texts]


def choose(kind: str, path: Path, count: int) -> dict[str, Any]:
    """Choose the queries of a data set, what they should find, and other test patents up to a count."""
    data = DATA_SETS[kind][1](path, "whole")
    (task,) = data.tasks.choose(names=["retrieval"]).tasks
    patents, tested = list(data.texts(task.corpus)), {p.number for p in data.patents(Split.TEST)}
    test = [patent.number in tested for patent in patents]
    kept = set(task.relevance.ravel().tolist())
    more = [row for row, patent in enumerate(patents)
            if test[row] and row not in kept and len(patent.claims) >= FEWEST]  # fmt: skip
    more.sort(key=lambda row: hashlib.sha256(patents[row].number.encode()).digest())
    rows = sorted([*kept, *more[: max(0, count - sum(test[row] for row in kept))]])
    place = {row: at for at, row in enumerate(rows)}
    found: dict[str, Any] = {"numbers": [], "claims": [], "parents": [], "independent": []}
    for row in rows:
        claims, parents, free = spell(patents[row])
        asked, at = test[row] and len(claims) >= FEWEST, len(found["parents"])
        found["parents"] += [at + one if asked and one >= 0 else -1 for one in parents]
        found["independent"] += map(int, free)
        found["numbers"].append(patents[row].number)
        found["claims"].append(claims)
    for name, pairs in (("relevance", task.relevance), ("closed", task.closed)):
        both = [] if pairs is None else pairs.tolist()
        found[name] = [[place[a], place[b]] for a, b in both if a in place and b in place]
    return {**found, "notes": dict(data.tasks.notes)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="of the corpora")
    parser.add_argument("--patents", type=int, default=600, help="of each test part")
    parser.add_argument("-o", "--output", type=Path, default=INPUTS)
    options = parser.parse_args()
    files = {name: options.data / file for name, (_, file) in SETS.items()}
    sets = {name: choose(SETS[name][0], path, options.patents) for name, path in files.items()}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with atomic(options.output) as partial, lzma.open(partial, "wt", encoding="utf-8") as out:
        json.dump({"sets": sets, "provenance": provenance(files.values())}, out)
    for name, one in load(options.output).items():
        asked = int((one.parents >= 0).sum())
        print(f"{name}: {len(one.numbers)} patents, {len(one.texts)} claims, {asked} parents asked")


if __name__ == "__main__":
    main()

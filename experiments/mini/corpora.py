"""The training patents of phage-mini: three corpora, without what any of them is scored on.

python experiments/mini/corpora.py [--data FOLDER] [-o runs/phage-mini/train.parquet]

In:   the week with its descriptions, A61B 5 and the Indian patents.
Out:  one file of patents for ``phage train --data`` and ``phage teacher``; beside it, what it was
      made from (``train.json``).
Why:  each corpus has its own split; an Indian patent may be the invention of a US test patent. None
      that is a copy of a test or validation patent of any corpus is written."""

from __future__ import annotations

import argparse
import hashlib
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from phage.claims import Patent, write
from phage.claims.copies import Copies
from phage.evaluation.datasets import DATA_SETS
from phage.evaluation.tasks import Split
from phage.provenance import provenance
from phage.storage import sha256, write_json
from phage.training.sampling import Sieve

CORPORA = {
    "uspto-week": "uspto-grants-2014-01-07.xml.xz",
    "cited-pairs": "indian-patents.jsonl.xz",
    "ipc-groups": "a61b5-claims.jsonl.xz",
}
DESCRIPTIONS = "uspto-grants-2014-01-07.descriptions.txt.xz"
MOST = {"ipc-groups": 20_000}
"""Patents taken of a corpus: one field must not outweigh all others, and 480 steps see no more."""


def descriptions(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    r"""Give numbers and texts: a number line, paragraphs, a blank line.

    >>> list(descriptions(["US1A\n", "A pump.\n", "It pumps.\n", "\n", "US2A\n", "A seal.\n"]))
    [('US1A', 'A pump. It pumps.'), ('US2A', 'A seal.')]
    """
    part: list[str] = []
    for line in (*lines, ""):
        if line.strip():
            part.append(line.strip())
        elif part:
            yield part[0], " ".join(part[1:])
            part = []


def some(patents: list[Patent], most: int | None) -> list[Patent]:
    """Keep at most so many, chosen by a hash of their numbers, in order."""
    keys = [hashlib.sha256(f"size {patent.number}".encode()).digest() for patent in patents]
    kept = sorted(range(len(patents)), key=keys.__getitem__)[:most]
    return [patents[row] for row in sorted(kept)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/phage-mini/train.parquet"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="of the corpora")
    options = parser.parse_args()
    read = {name: DATA_SETS[name][1](options.data / file) for name, file in CORPORA.items()}
    held = [
        p for one in read.values() for s in (Split.TEST, Split.VALIDATION) for p in one.patents(s)
    ]
    sieve = Sieve(("application", "family", "title"), Copies(held, titles=True))
    with lzma.open(options.data / DESCRIPTIONS, "rt", encoding="utf-8") as lines:
        texts = dict(descriptions(lines))
    kept = {
        name: some(list(filter(sieve, one.patents(Split.TRAIN))), MOST.get(name))
        for name, one in read.items()
    }
    trained = [patent for some_of_it in kept.values() for patent in some_of_it]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write([replace(p, description=texts.get(p.number, "")) for p in trained], options.output)
    files = [options.data / file for file in (*CORPORA.values(), DESCRIPTIONS)]
    counts = {name: len(patents) for name, patents in kept.items()}
    made = provenance(files, patents=counts, sha256=sha256(options.output))
    write_json(options.output.with_suffix(".json"), made)
    print(f"{options.output}: {len(trained):,} patents; {sieve.dropped}")


if __name__ == "__main__":
    main()

"""Draw antecedent findings for two readers, and put their verdicts together.

python benchmarks/check_read.py draw -o findings.jsonl
python benchmarks/check_read.py merge findings.jsonl first.tsv second.tsv [-o results/check-read.tsv]
python benchmarks/check_read.py

``draw``: 100 errors and warnings at random from the patents that no weight was fitted on, each with its
    claim and the whole chain above; nothing tells how sure the checker is.
``merge``: a reader's file has a line per finding: its number, "real", "false" or "unclear", and why.
    Prints how many each calls real, on how many they agree, and Cohen's kappa.
Without a command it prints these figures of results/check-read.tsv."""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).parent))

from check import ANTECEDENT, DEVELOPED, ROOT, utility
from phage.checking import check, read_legally
from phage.claims import Patent
from phage.storage import atomic

READ = ROOT / "results" / "check-read.tsv"
COUNT = 100
VERDICTS = ("real", "false", "unclear")
COLUMNS = ["number", "claim", "start", "rule", "words",
           "first", "second", "first_reason", "second_reason"]  # fmt: skip

TABS: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE, "quotechar": None}


def findings(patent: Patent) -> Iterator[dict[str, Any]]:
    """Give a patent's errors and warnings about antecedents, with the claims to read them in."""
    reading = read_legally(patent)
    for found in check(patent).findings:
        if found.rule in ANTECEDENT and found.severity != "note":
            place, chain = found.place, sorted(reading.above(found.claim))
            text = reading.claims[found.claim].text
            marked = f"{text[: place.start]}[[{place.text}]]{text[place.end :]}"
            yield {
                "patent": patent.number, "rule": found.rule, "claim": found.claim,
                "start": place.start, "words": place.text, "message": found.message,
                "text": marked,
                "parents": {str(number): reading.claims[number].text for number in chain},
            }  # fmt: skip


def draw(seed: str) -> list[dict[str, Any]]:
    """Draw findings, each as likely as any other, in random order."""
    every = [found for patent in utility()[DEVELOPED:] for found in findings(patent)]
    chosen = random.Random(seed).sample(every, COUNT)
    return [{"n": n, **found} for n, found in enumerate(chosen, 1)]


def verdicts(path: Path) -> dict[int, tuple[str, str]]:
    """Read a reader's file: number → verdict and reason."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, **TABS) if row and row[0].isdigit()]
    read = {int(number): (verdict, reason) for number, verdict, reason in rows}
    if wrong := {verdict for verdict, _ in read.values()} - set(VERDICTS):
        raise SystemExit(f"{path}: no verdict: {', '.join(sorted(wrong))}")
    return read


def kappa(pairs: list[tuple[str, str]]) -> float:
    """Return Cohen's kappa.

    >>> kappa([("real", "real"), ("false", "false")])
    1.0
    """
    agreed = sum(one == two for one, two in pairs) / len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    chance = sum(first[verdict] * second[verdict] for verdict in VERDICTS) / len(pairs) ** 2
    return (agreed - chance) / (1 - chance)


def merge(drawn: Path, readers: tuple[Path, Path]) -> list[dict[str, Any]]:
    """Put what was drawn and both readers' verdicts into rows, by patent."""
    first, second = map(verdicts, readers)
    rows = []
    for line in drawn.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        (one, why), (two, why_too) = first[found["n"]], second[found["n"]]
        values = (found["patent"], found["claim"], found["start"], found["rule"], found["words"])
        rows.append(dict(zip(COLUMNS, (*values, one, two, why, why_too), strict=True)))
    return sorted(rows, key=lambda row: (row["number"], row["claim"], row["start"]))


def tell(rows: list[dict[str, Any]]) -> None:
    """Print how the readers judge, and how far they agree."""
    pairs = [(row["first"], row["second"]) for row in rows]
    print("real:", *(sum(pair[i] == "real" for pair in pairs) for i in (0, 1)))
    print("agree:", sum(one == two for one, two in pairs), "kappa:", round(kappa(pairs), 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command")
    drawing = commands.add_parser("draw")
    drawing.add_argument("--seed", default="2026-11-18")
    drawing.add_argument("-o", "--out", type=Path, required=True)
    merging = commands.add_parser("merge")
    merging.add_argument("drawn", type=Path)
    merging.add_argument("readers", type=Path, nargs=2)
    merging.add_argument("-o", "--out", type=Path, default=READ)
    asked = parser.parse_args()
    if asked.command == "draw":
        lines = [json.dumps(found, ensure_ascii=False) for found in draw(asked.seed)]
        with atomic(asked.out) as path:
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif asked.command == "merge":
        rows = merge(asked.drawn, tuple(asked.readers))
        with atomic(asked.out) as path, path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n", **TABS)
            writer.writeheader()
            writer.writerows(rows)
        tell(rows)
    else:
        with READ.open(encoding="utf-8", newline="") as file:
            tell(list(csv.DictReader(file, **TABS)))


if __name__ == "__main__":
    main()

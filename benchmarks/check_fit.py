"""Fit the weights of evidence of ``phage check``: src/phage/checking/evidence.toml.

python benchmarks/check_fit.py [--patents 700] [-o src/phage/checking/evidence.toml]

A granted claim set is taken as right, the same set with one fault (benchmarks/check_faults.py) as
wrong at that place. A logistic regression tells the two apart by the signs of phage.checking.evidence.
It learns from the part of the week that the rules were developed on; benchmarks/check.py measures on
the rest. The limits are the weights at which so many of the faults are still found as warnings."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).parent))

from check import DEVELOPED, utility
from check_faults import INJECTORS, Fault
from phage.checking.evidence import Signs
from phage.checking.reading import LegalReading, read_legally
from phage.checking.rules.antecedents import introduced_elsewhere, repeats, unresolved
from phage.claims import Patent
from phage.storage import atomic

KINDS = {"missing": ("article", "once", "foreign", "parent"), "twice": ("twice",)}
FOUND = {"missing": 0.904, "twice": 0.83}
"""Share of the faults that shall be warnings."""
NOTED = {"missing": 0.97, "twice": 0.92}
Row = tuple[Signs, int, int, int, str]
"""Signs, claim, start, end, term."""


def rows(table: str, reading: LegalReading) -> Iterator[Row]:
    """Give the signs of every place where a finding of one kind may be."""
    if table == "twice":
        for repeat, signs in repeats(reading):
            again = repeat.again
            yield signs, again.claim, again.start, again.end, again.term
        return
    for found, signs in unresolved(reading, introduced_elsewhere(reading)):
        yield signs, found.claim, found.start, found.end, found.term


def hit(table: str, fault: Fault, before: set[tuple[str, int]]) -> Signs | None:
    """Give the signs at a fault; None where the checker sees nothing there."""
    found = [
        (signs, (term, claim))
        for signs, claim, start, end, term in rows(table, read_legally(fault.patent))
        if claim == fault.claim and start < fault.end and fault.start < end
    ]
    new = [signs for signs, key in found if key not in before]
    return new[0] if new else None


def collect(table: str, patents: list[Patent]) -> tuple[list[Signs], list[Signs], int]:
    """Give the signs of granted claims and of faults, and how many faults have none."""
    granted: list[Signs] = []
    faults: list[Signs] = []
    lost = 0
    for patent in patents:
        own = list(rows(table, read_legally(patent)))
        granted += [signs for signs, *_ in own if "comprising_again" not in signs]
        before = {(term, claim) for _, claim, _, _, term in own}
        for kind in KINDS[table]:
            for fault in INJECTORS[kind](patent, random.Random(f"fit {patent.number} {kind}")):
                signs = hit(table, fault, before if kind == "parent" else set())
                lost += signs is None
                faults += [signs] if signs is not None else []
    return granted, faults, lost


def fit(table: str, patents: list[Patent]) -> dict[str, int]:
    """Fit one table, in tenths, and its limits."""
    granted, faults, lost = collect(table, patents)
    vectorizer = DictVectorizer()
    signs = vectorizer.fit_transform([*granted, *faults])
    truth = np.repeat([0, 1], [len(granted), len(faults)])
    model = LogisticRegression(C=0.3, max_iter=1000).fit(signs, truth)
    weights = {
        name: round(10 * float(weight))
        for name, weight in zip(vectorizer.feature_names_, model.coef_[0], strict=True)
    }
    weights = {name: weight for name, weight in sorted(weights.items()) if weight}
    bias = round(10 * float(model.intercept_[0]))
    scores = np.sort([bias + sum(weights.get(s, 0) * n for s, n in f.items()) for f in faults])
    total = len(faults) + lost
    for name, share in (("warning", FOUND[table]), ("note", NOTED[table])):
        place = max(0, len(faults) - int(share * total))
        weights[name] = int(scores[place])
    print(table, len(granted), "places,", total, "faults,", lost, "not seen", flush=True)
    return {"bias": bias, "warning": weights.pop("warning"), "note": weights.pop("note"), **weights}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patents", type=int, default=1700)
    out = Path(__file__).parent.parent / "src" / "phage" / "checking" / "evidence.toml"
    parser.add_argument("-o", "--out", type=Path, default=out)
    asked = parser.parse_args()
    patents = utility()[:DEVELOPED][:: max(1, DEVELOPED // asked.patents)]
    text = "# Fitted by benchmarks/check_fit.py: tenths of a log-odds. Do not edit by hand.\n"
    for table in KINDS:
        text += f"\n[{table}]\n"
        text += "".join(f"{name} = {weight}\n" for name, weight in fit(table, patents).items())
    with atomic(asked.out) as file:
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

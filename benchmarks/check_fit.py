"""Fit the weights of evidence of ``phage check``: src/phage/checking/evidence.toml.

python benchmarks/check_fit.py [--patents 700] [-o src/phage/checking/evidence.toml]

A granted claim set is taken as right, the same set with one fault (benchmarks/check_faults.py) as
wrong at that place. A logistic regression tells the two apart by the signs of phage.checking.evidence.
It learns from the part of the week that the rules were developed on; benchmarks/check.py measures on
the rest. The limit for warnings is the weight at which granted patents have so many of them."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).parent))

from check import DEVELOPED, utility
from check_faults import INJECTORS, Fault
from check_other_faults import OTHERS
from phage.checking.evidence import Signs
from phage.checking.reading import LegalReading, read_legally
from phage.checking.whole_set import introduced_elsewhere, repeats, unresolved
from phage.claims import Patent
from phage.storage import atomic

KINDS = {
    "missing": {"article": 1.5, "once": 1.5, "foreign": 2.5, "parent": 2, "renamed": 0.3,
                "several": 0.5, "named": 1, "any_name": 0.5, "removed": 2},
    "twice": {"twice": 1.5, "same_name": 0.8, "again": 0.2},
}  # fmt: skip
"""What is fitted on, and how much a fault weighs; a granted place weighs 1."""
ALARMS = {"missing": 0.72, "twice": 0.64}
"""Warnings that a granted patent may have, on average."""
NOTED = 0.95
"""Share of the faults that shall be notes at least."""
Row = tuple[Signs, int, int, int, str]
"""Signs, claim, start, end, term."""
Place = tuple[str, Signs]
"""Term, or kind of fault, and signs."""
ALWAYS = 1 << 30
"""The weight of what is a warning whatever else speaks against it."""


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


def collect(table: str, patents: list[Patent]) -> tuple[list[list[Place]], list[Place], int]:
    """Give the places of each granted set, those of faults with their kinds, and how many have none."""
    granted: list[list[Place]] = []
    faults: list[Place] = []
    lost = 0
    for patent in patents:
        own = list(rows(table, read_legally(patent)))
        granted.append([(term, signs) for signs, _, _, _, term in own])
        before = {(term, claim) for _, claim, _, _, term in own}
        for kind in KINDS[table]:
            for fault in (INJECTORS | OTHERS)[kind](
                patent, random.Random(f"fit {patent.number} {kind}")
            ):
                signs = hit(table, fault, before if kind == "parent" else set())
                lost += signs is None
                faults += [(kind, signs)] if signs is not None else []
    return granted, faults, lost


def warning_limit(granted: list[list[Place]], score: Callable[[Signs], int], alarms: float) -> int:
    """Give the least weight at which granted patents have no more than so many warnings each."""
    best = Counter[int]()
    always = 0
    for own in granted:
        heaviest: dict[str, int] = {}
        for term, signs in own:  # one cause is one finding
            weight = ALWAYS if "comprising_again" in signs else score(signs)
            heaviest[term] = max(weight, heaviest.get(term, weight))
        always += sum(weight == ALWAYS for weight in heaviest.values())
        best.update(weight for weight in heaviest.values() if weight != ALWAYS)
    left = alarms * len(granted) - always
    for weight in sorted(best, reverse=True):
        left -= best[weight]
        if left < 0:
            return weight + 1
    return min(best)


def fit(table: str, patents: list[Patent]) -> dict[str, int]:
    """Fit one table, in tenths, and its limits."""
    granted, faults, lost = collect(table, patents)
    right = [signs for own in granted for _, signs in own if "comprising_again" not in signs]
    vectorizer = DictVectorizer()
    signs = vectorizer.fit_transform([*right, *(signs for _, signs in faults)])
    truth = np.repeat([0, 1], [len(right), len(faults)])
    heavy = np.array([1.0] * len(right) + [KINDS[table][kind] for kind, _ in faults])
    model = LogisticRegression(C=0.3, max_iter=3000).fit(signs, truth, sample_weight=heavy)
    weights = {
        name: round(10 * float(weight))
        for name, weight in zip(vectorizer.feature_names_, model.coef_[0], strict=True)
    }
    weights = {name: weight for name, weight in sorted(weights.items()) if weight}
    bias = round(10 * float(model.intercept_[0]))

    def score(found: Signs) -> int:
        return bias + sum(weights.get(sign, 0) * times for sign, times in found.items())

    warning = warning_limit(granted, score, ALARMS[table])
    weighed = sorted(score(signs) for _, signs in faults)
    total = len(faults) + lost
    note = min(warning, weighed[max(0, len(faults) - int(NOTED * total))])
    print(table, len(right), "places,", total, "faults,", lost, "not seen", flush=True)
    return {"bias": bias, "warning": warning, "note": note, **weights}


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

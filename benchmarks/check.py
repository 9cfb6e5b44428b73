"""How good ``phage check`` is: false alarms, recall on injected faults, speed.

python benchmarks/check.py [-o results/check.json] [--part alarms|recall|speed|languages]

``alarms``: findings per granted utility patent of the whole USPTO week, by rule and severity;
    the part that the ladder was developed on and the rest are counted apart.
``recall``: one fault of each kind per patent (benchmarks/check_faults.py, check_other_faults.py), on
    patents that the ladder was not developed on; the first ``SAMPLE`` of those served to choose
    signs and are left out. A hit is a finding of the rule at the fault that was not there before.
``speed``: patents a second of one core in processor time, reading excluded, and time per length.
``languages``: see benchmarks/check_languages.py."""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
sys.path.insert(0, str(Path(__file__).parent))

from check_faults import HARDER, INJECTORS, Fault
from check_languages import FILES, languages
from check_other_faults import OTHERS
from phage.checking import CheckReport, check
from phage.checking.rulebook import EDITION
from phage.claims import Claim, Patent, read
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parent.parent
WEEK = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"
SEED, DEVELOPED, SAMPLE = 1, 3400, 400
ANTECEDENT = ("antecedent-missing", "antecedent-ambiguous", "antecedent-number", "introduced-twice")


def utility() -> list[Patent]:
    """Give the utility grants of the week, shuffled; the first ``DEVELOPED`` were looked at."""
    patents = [p for p in read(WEEK) if p.number[2:3].isdigit() and p.kind.startswith("B")]
    random.Random(SEED).shuffle(patents)
    return patents


def alarms(patents: list[Patent]) -> dict[str, Any]:
    """Count errors and warnings by rule."""
    heavy = [
        Counter(f.rule for f in check(patent).findings if f.severity != "note")
        for patent in patents
    ]
    parts = {"developed_on": heavy[:DEVELOPED], "not_looked_at": heavy[DEVELOPED:], "all": heavy}
    return {name: _summed(part) for name, part in parts.items()}


def _summed(heavy: list[Counter[str]]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    for one in heavy:
        counts.update(one)
    patents = len(heavy)
    others = sum(n for rule, n in counts.items() if rule not in ANTECEDENT)
    clean = sum(not any(one[rule] for rule in ANTECEDENT) for one in heavy)
    return {
        "patents": patents,
        "antecedent_per_patent": round(sum(counts[r] for r in ANTECEDENT) / patents, 3),
        "others_per_100": round(100 * others / patents, 2),
        "without_antecedent_findings": round(clean / patents, 3),
        "per_100_by_rule": {r: round(100 * n / patents, 2) for r, n in counts.most_common()},
    }


def _hit(fault: Fault, report: CheckReport, before: set[Any], notes: bool) -> bool:
    return any(
        found.rule == fault.rule
        and found.claim == fault.claim
        and found.place.start < fault.end
        and fault.start < found.place.end
        and (notes or found.severity != "note")
        and (found.key, str(found.severity)) not in before
        for found in report.findings
    )


def recall(patents: list[Patent]) -> dict[str, Any]:
    """Count what is found of the faults: errors and warnings, and notes as well."""
    rows: dict[str, list[int]] = {}
    for patent in patents[DEVELOPED + SAMPLE :]:
        before = {(f.key, str(f.severity)) for f in check(patent).findings}
        for kind, inject in (INJECTORS | OTHERS).items():
            for fault in inject(patent, random.Random(patent.number + kind)):
                report = check(fault.patent)
                group = ", harder" if kind in HARDER else ", other kinds" if kind in OTHERS else ""
                for name in (kind, f"rule {fault.rule}{group}"):
                    row = rows.setdefault(name, [0, 0, 0])
                    row[0] += 1
                    row[1] += _hit(fault, report, before, notes=False)
                    row[2] += _hit(fault, report, before, notes=True)
    return {
        name: {
            "faults": total,
            "errors_and_warnings": round(heavy / total, 3),
            "with_notes": round(every / total, 3),
        }
        for name, (total, heavy, every) in rows.items()
    }


def speed(patents: list[Patent]) -> dict[str, Any]:
    """Time the check alone, and a claim set of growing length."""
    for patent in patents[:50]:
        check(patent)
    gc.freeze()
    start = time.process_time()
    for patent in patents[DEVELOPED : DEVELOPED + SAMPLE]:
        check(patent)
    rate = SAMPLE / (time.process_time() - start)
    lengths = {}
    for count in (500, 1000, 2000, 4000):
        parts = ", ".join(f"a bolt{n} on the plate of the bolt{n}" for n in range(count))
        start = time.process_time()
        check(Patent("long", (Claim(1, f"A pump comprising {parts}."),)))
        lengths[str(count)] = round(time.process_time() - start, 3)
    return {
        "patents_per_cpu_second": round(rate, 1),
        "seconds_by_parts_of_one_claim": lengths,
        "load_before": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parts = {
        "alarms": alarms,
        "recall": recall,
        "speed": speed,
        "languages": lambda _: languages(),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=Path("results/check.json"))
    parser.add_argument("--part", action="append", choices=list(parts))
    asked = parser.parse_args()
    if missing := [path for path in (WEEK, *FILES) if not path.exists()]:
        print(f"skipped: {missing[0]} is not here")
        return
    patents = utility()
    result: dict[str, Any] = json.loads(asked.out.read_text()) if asked.out.exists() else {}
    for name in asked.part or parts:
        result[name] = parts[name](patents)
        print(name, json.dumps(result[name]), flush=True)
    write_json(asked.out, {**result, "rules": EDITION, **provenance([WEEK, *FILES])})


if __name__ == "__main__":
    main()

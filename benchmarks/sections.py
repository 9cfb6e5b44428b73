"""What reading another section is worth: two results of one model, question by question.

python benchmarks/sections.py TAC.json CLAIMS.json [-o results/mini/tac.json]

In:   two files of `phage evaluate MODEL --section …` on one data set, their samples beside them.
Out:  every measure of both, and the difference with its interval and p.
Why:  `phage report` compares models by their names; here it is the same model."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from phage.evaluation.randomisation import TEST
from phage.evaluation.results import load_result
from phage.evaluation.significance import compare_results
from phage.storage import write_json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/mini/tac.json"))
    options = parser.parse_args()
    one, other = (load_result(path) for path in (options.one, options.other))
    sections = one.notes["section"], other.notes["section"]
    told = {
        f"{task} {name}": {
            sections[0]: value["mean"],
            sections[1]: other.tasks[task]["measures"][name]["mean"],
        }
        for task, about in one.tasks.items()
        for name, value in about["measures"].items()
    }
    for found in compare_results([options.one], [options.other]):
        told[f"{found.task} {found.measure}"]["difference"] = asdict(found.difference)
        print(f"{found.task:16} {found.measure:14} {found.one:.3f} {found.other:.3f}"
              f" p {found.difference.p:.3f}")  # fmt: skip
    write_json(
        options.output,
        {
            "model": one.model, "data_set": one.data_set, "test": TEST, "measures": told,
            "provenance": {sections[0]: one.provenance, sections[1]: other.provenance},
        },
    )  # fmt: skip


if __name__ == "__main__":
    main()

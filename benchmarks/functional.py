"""Couplings read forward and both ways, beside the paper's counts.

python benchmarks/functional.py [-o results/functional.json]

In:   the utility grants of the USPTO week beside the checkout.
Out:  the paper's tables for both readings of E_func, one result each.
Why:  the appendix prints c_j ≠ c_i where the text calls the graph acyclic; the counts tell which of
      the two the paper's figures come from."""

from __future__ import annotations

import argparse
from pathlib import Path

from phage.claims import read
from phage.graph import GraphSettings, build_graph
from phage.graph.couplings import DIRECTIONS
from phage.graph.paper import PAPER
from phage.graph.statistics import Tally, statistics
from phage.provenance import provenance
from phage.storage import write_json

ROOT = Path(__file__).parent.parent
WEEK = ROOT.parent / "shared" / "data" / "uspto-grants-2014-01-07.xml.xz"


def main() -> None:
    """Count both readings and write the result."""
    arguments = argparse.ArgumentParser(description=main.__doc__)
    arguments.add_argument("-o", "--out", type=Path, default=ROOT / "results" / "functional.json")
    given = arguments.parse_args()
    tallies = {name: Tally() for name in DIRECTIONS}
    for patent in read(WEEK):
        if patent.number.startswith("US") and patent.number[2:3].isdigit():  # utility grants
            for name, tally in tallies.items():
                tally.add(build_graph(patent, GraphSettings(functional=name)))
    found = {name: statistics(tally).to_json() for name, tally in tallies.items()}
    for name, row in (*found.items(), ("paper", PAPER.to_json())):
        means = {relation: round(share["mean"], 2) for relation, share in row["relations"].items()}
        spread = {key: round(row["basic"][key]["mean"], 3) for key in ("edges", "density")}
        print(name, row["patents"], means, spread)
    write_json(given.out, {**found, "provenance": provenance([WEEK])})


if __name__ == "__main__":
    main()

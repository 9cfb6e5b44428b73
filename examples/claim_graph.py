"""Claims pasted as text → the typed graph, every edge with the words that prove it.

Run from anywhere: python examples/claim_graph.py [draft.txt]
"""

from __future__ import annotations

import sys
from pathlib import Path

from phage import Patent, build_graph
from phage.claims.split import split
from phage.graph import Relation

DRAFT = """
1. A pump comprising a housing and a shaft arranged in the housing.
2. The pump of claim 1, wherein the shaft carries an impeller.
3. The pump of claim 1 or 2, further comprising a seal.
4. A boat comprising the pump of any one of claims 1 to 3.
5. A method of sealing a pump, wherein a seal is mounted on the shaft.
"""


def main(path: str = "") -> None:
    """Print the edges and what could not be one."""
    text = Path(path).read_text(encoding="utf-8") if path else DRAFT
    graph = build_graph(Patent("draft", tuple(split(text))))
    for edge in graph.edges:
        kind = f" ({edge.kind})" if edge.relation is Relation.CITE else ""
        words = "; ".join(evidence.phrase for evidence in edge.evidence)
        print(f"{edge.source} → {edge.target}  {edge.relation}{kind}: {words}")
    for remark in graph.diagnostics:
        print(f"claim {remark.claim}: '{remark.phrase}' is not an edge, {remark.reason}")


if __name__ == "__main__":
    main(*sys.argv[1:2])

"""Step 2: Patent → ClaimGraph, typed edges with their evidence."""

from phage.graph.build import build_graph
from phage.graph.types import ClaimGraph, Diagnostic, Edge, Evidence, GraphSettings, Relation
from phage.structure import CiteKind, Reason

__all__ = [
    "CiteKind",
    "ClaimGraph",
    "Diagnostic",
    "Edge",
    "Evidence",
    "GraphSettings",
    "Reason",
    "Relation",
    "build_graph",
]

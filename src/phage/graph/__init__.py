"""Step 2: Patent → ClaimGraph, typed edges with their evidence."""

from phage.graph.build import build_graph
from phage.graph.types import (
    CiteKind,
    ClaimGraph,
    Diagnostic,
    Edge,
    Evidence,
    GraphSettings,
    Reason,
    Relation,
)

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

"""A claim graph for other tools.

In:   a ClaimGraph, and the Patent for its words.
Out:  JSON, GraphML, DOT, a NetworkX graph, or the HeteroData of PyTorch Geometric.
Why:  people have their own tools for graphs; ours should feed them, evidence included."""

from __future__ import annotations

import json
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from phage.claims.normal import printable
from phage.claims.types import Patent
from phage.errors import PhageError
from phage.extras import require
from phage.graph.drawing.layout import broken_claims
from phage.graph.drawing.palette import LIGHT
from phage.graph.types import ClaimGraph, Edge, Relation

_NODE = {"number": "int", "independent": "boolean", "broken": "boolean", "text": "string"}
_EDGE = {"relation": "string", "kind": "string", "evidence": "string"}
_STYLE = {
    Relation.CITE: "solid",
    Relation.TERM: "solid",
    Relation.FUNC: "dashed",
    Relation.BOTH: "bold",
}


def to_json(graph: ClaimGraph, patent: Patent | None = None) -> str:
    """Write the graph's JSON form; with the patent, also each claim's words under ``texts``."""
    row = graph.to_json()
    if patent:
        row["texts"] = {str(claim.number): claim.text for claim in patent.claims}
    return printable(json.dumps(row, ensure_ascii=False, indent=2)) + "\n"


def to_networkx(graph: ClaimGraph, patent: Patent | None = None) -> Any:  # noqa: ANN401
    """Return a ``networkx.DiGraph``: nodes are claim numbers, edges run from earlier to later."""
    networkx = require("networkx", extra="draw")
    found = networkx.DiGraph(patent=graph.patent, language=graph.language)
    for number, values in _nodes(graph, patent).items():
        found.add_node(number, **values)
    for edge in graph.edges:
        found.add_edge(edge.source, edge.target, **_values(edge))
    return found


def to_pyg(graph: ClaimGraph, vectors: Any = None) -> Any:  # noqa: ANN401  (an array, a HeteroData)
    """Return a ``HeteroData`` of PyTorch Geometric: claims as nodes, one edge type per relation.

    ``vectors`` (n, D) are the claims' features, in the order of ``graph.claims``.
    """
    data = require("torch_geometric.data", extra="gnn").HeteroData()
    torch = require("torch", extra="gnn")
    data["claim"].number = torch.tensor(graph.claims)
    data["claim"].num_nodes = len(graph.claims)
    if vectors is not None:
        if len(vectors) != len(graph.claims):
            raise PhageError(
                f"{len(vectors)} vectors for {len(graph.claims)} claims",
                place=graph.patent,
                remedy="encode the patent of this graph: next(encoder.read([patent])).vectors",
            )
        data["claim"].x = torch.as_tensor(vectors)
    place = {number: index for index, number in enumerate(graph.claims)}
    for relation in Relation:
        pairs = [(place[e.source], place[e.target]) for e in graph.edges if e.relation == relation]
        index = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T.contiguous()  # (2, E)
        data["claim", str(relation), "claim"].edge_index = index
    return data


def to_graphml(graph: ClaimGraph, patent: Patent | None = None) -> str:
    """Write GraphML, for Gephi, yEd, Cytoscape, NetworkX."""
    keys = [
        f'  <key id="{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>'
        for kind, names in (("node", _NODE), ("edge", _EDGE))
        for name, type_ in names.items()
    ]
    nodes = [
        f'    <node id="{number}">{_data(values)}</node>'
        for number, values in _nodes(graph, patent).items()
    ]
    edges = [
        f'    <edge source="{edge.source}" target="{edge.target}">{_data(_values(edge))}</edge>'
        for edge in graph.edges
    ]
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
            *keys,
            f'  <graph id={quoteattr(printable(graph.patent))} edgedefault="directed">',
            *nodes,
            *edges,
            "  </graph>",
            "</graphml>\n",
        ]
    )


def to_dot(graph: ClaimGraph, patent: Patent | None = None) -> str:
    """Write DOT, for Graphviz.

    >>> print(to_dot(ClaimGraph("US1A", (1, 2), (Edge(1, 2, Relation.CITE),))).splitlines()[-2])
      1 -> 2 [label="cite", color="#5b6b7c", style=solid];
    """
    lines = [f"digraph {_quote(graph.patent)} {{", "  node [shape=box, style=rounded];"]
    for number, values in _nodes(graph, patent).items():
        words = str(values["text"])
        label = f"{number}  {words[:60]}" + ("…" if len(words) > 60 else "")
        bold = ", penwidth=2" if values["independent"] else ""
        bold = ', style="rounded,dashed"' if values["broken"] else bold
        lines.append(f"  {number} [label={_quote(label.strip())}{bold}];")
    for edge in graph.edges:
        tip = _values(edge)["evidence"]
        hint = f", tooltip={_quote(tip)}" if tip else ""
        colour, style = LIGHT.relations[edge.relation], _STYLE[edge.relation]
        lines.append(
            f"  {edge.source} -> {edge.target} "
            f'[label="{edge.relation}", color="{colour}", style={style}{hint}];'
        )
    return "\n".join([*lines, "}\n"])


def _nodes(graph: ClaimGraph, patent: Patent | None) -> dict[int, dict[str, Any]]:
    texts = {claim.number: claim.text for claim in patent.claims} if patent else {}
    broken = broken_claims(graph)
    citing = {edge.target for edge in graph.edges if edge.relation is Relation.CITE}
    return {
        number: {
            "number": number,
            "independent": number not in citing and number not in broken,
            "broken": number in broken,
            "text": texts.get(number, ""),
        }
        for number in graph.claims
    }


def _values(edge: Edge) -> dict[str, str]:
    return {
        "relation": str(edge.relation),
        "kind": str(edge.kind or ""),
        "evidence": "; ".join(dict.fromkeys(item.phrase for item in edge.evidence)),
    }


def _data(values: dict[str, Any]) -> str:
    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else escape(printable(str(value)))

    return "".join(f'<data key="{name}">{text(value)}</data>' for name, value in values.items())


def _quote(text: str) -> str:
    escaped = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'

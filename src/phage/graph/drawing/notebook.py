"""Patents, claim graphs and edges in a notebook.

In:   a Patent, a ClaimGraph, edges.
Out:  pieces of HTML: the drawing, tables, claims; nothing fetched, no script, all text escaped.
Why:  the last line of a cell should show what it is about. Colours follow the notebook's theme, and
      where it has none, the reader's; large claim sets are folded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape

from phage.claims.normal import printable
from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.graph.build import build_graph
from phage.graph.drawing.palette import DARK, LIGHT
from phage.graph.drawing.scene import compose
from phage.graph.drawing.svg import to_svg, variables
from phage.graph.types import ClaimGraph, Edge
from phage.notebook import themed

OPEN = 40
"""Claims up to which a drawing is shown unfolded."""
DRAWN = 100
"""Claims up to which a patent's graph is built to be shown; longer sets take seconds."""
LISTED = 500
"""Edges that a table lists."""
TOLD = 100
"""Claims of a patent whose text is shown."""
FIRST = 3
"""Claims shown unfolded."""
_STYLE = """
.phage-view{color:var(--ink);background:var(--ground);border:1px solid var(--rule);border-radius:8px;
padding:12px 16px;font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;
max-width:1000px;box-sizing:border-box;overflow-wrap:anywhere}
.phage-view h4{margin:0 0 4px;font-size:16px;color:var(--ink)}
.phage-view .facts,.phage-view summary{color:var(--muted);font-size:13px}
.phage-view summary{cursor:pointer;padding:4px 0}
.phage-view .picture{overflow-x:auto}
.phage-view p{margin:6px 0;padding-left:2.2em;text-indent:-2.2em}
.phage-view p b{display:inline-block;min-width:2.2em;text-indent:0}
.phage-view table{border-collapse:collapse;width:100%;font-size:13px;color:var(--ink);border:0}
.phage-view tr,.phage-view tbody tr:nth-child(odd){background:none}
.phage-view td,.phage-view th{text-align:left;vertical-align:top;padding:3px 10px 3px 0;
border:0;border-bottom:1px solid var(--rule);color:inherit;white-space:normal}
.phage-view .cite{color:var(--cite)}.phage-view .term{color:var(--term)}
.phage-view .func{color:var(--func)}.phage-view .both{color:var(--both)}
.phage-view .bar{display:inline-block;height:8px;border-radius:4px;background:var(--term)}
"""


def view(body: str) -> str:
    """Frame a piece of HTML, with its style."""
    colours = themed("phage-view", variables(LIGHT), variables(DARK), ("", " .claim-graph"))
    return f'<div class="phage-view"><style>{colours}{_STYLE}</style>{body}</div>'


def patent_html(patent: Patent) -> str:
    """Show what a patent is, its claim graph and its claims."""
    facts = [
        patent.publication_date,
        f"{len(patent.claims)} claims",
        patent.language,
        ", ".join(patent.assignees[:3]),
        ", ".join((patent.cpc or patent.ipc)[:4]),
    ]
    head = f"<h4>{text(f'{patent.number} {patent.title}')}</h4>"
    head += f'<div class="facts">{text(" · ".join(filter(None, facts)))}</div>'
    return view(head + _drawn(patent) + _claims(patent.claims))


def graph_html(graph: ClaimGraph) -> str:
    """Show the drawing of a graph, and its edges in a folded table."""
    counts = f"{len(graph.edges):,} edges, with the words that prove them"
    return view(_picture(graph, None) + folded(counts, _edge_table(graph.edges)))


def edges_html(edges: Sequence[Edge]) -> str:
    """Show edges as a table."""
    return view(_edge_table(edges))


def folded(title: str, body: str) -> str:
    """Put something behind a line that opens it."""
    return f"<details><summary>{text(title)}</summary>{body}</details>"


def text(words: object) -> str:
    """Escape a text."""
    return escape(printable(str(words)))


def _drawn(patent: Patent) -> str:
    if not patent.claims:
        return ""
    if len(patent.claims) > DRAWN:
        why = f"the graph of more than {DRAWN} claims is drawn by build_graph(patent)"
        return f'<div class="facts">{text(why)}</div>'
    try:
        return _picture(build_graph(patent), patent)
    except PhageError as error:  # a language without rules; the claims can still be read
        return f'<div class="facts">{text(error.message)}</div>'


def _picture(graph: ClaimGraph, patent: Patent | None) -> str:
    prefix = f"g{hashlib.sha256(graph.patent.encode('utf-8', 'replace')).hexdigest()[:8]}-"
    drawing = to_svg(compose(graph, patent), f"claim graph of {graph.patent}", prefix)
    framed = f'<div class="picture">{drawing}</div>'
    if len(graph.claims) <= OPEN:
        return framed
    return folded(f"claim graph of {len(graph.claims):,} claims", framed)


def _claims(claims: Sequence[Claim]) -> str:
    lines = [f"<p><b>{claim.number}</b>{text(claim.text)}</p>" for claim in claims[:TOLD]]
    if len(claims) > TOLD:
        lines.append(f"<p>and {len(claims) - TOLD:,} more, in patent.claims</p>")
    rest = lines[FIRST:]
    return "".join(lines[:FIRST]) + (
        folded(f"{len(claims) - FIRST:,} more claims", "".join(rest)) if rest else ""
    )


def _edge_table(edges: Sequence[Edge]) -> str:
    rows = "".join(
        f"<tr><td>{edge.source} → {edge.target}</td>"
        f'<td><b class="{edge.relation}">{edge.relation}</b>{f" ({edge.kind})" if edge.kind else ""}'
        f"</td><td>{_words(edge)}</td></tr>"
        for edge in edges[:LISTED]
    )
    more = f"<p>and {len(edges) - LISTED:,} more</p>" if len(edges) > LISTED else ""
    head = "<tr><th>claims</th><th>relation</th><th>evidence</th></tr>"
    return f"<table>{head}{rows}</table>{more}"


def _words(edge: Edge) -> str:
    found = dict.fromkeys(item.phrase for item in edge.evidence)
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return text(", ".join(f"“{phrase}”" for phrase in list(found)[:5]) + more)

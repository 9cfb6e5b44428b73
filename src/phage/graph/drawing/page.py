"""A claim graph as one HTML page.

In:   a ClaimGraph, the Patent for its words, findings to list with its claims.
Out:  a self-contained page: the drawing, switches per relation, every claim with its evidence.
Why:  a reader checks an edge by reading the words that prove it, in their sentence.

The page has no script and allows none; all text is escaped; switches work by style rules."""

from __future__ import annotations

from html import escape

from phage.claims.normal import printable
from phage.claims.types import Patent
from phage.graph.drawing.layout import Marks, broken_claims
from phage.graph.drawing.scene import compose
from phage.graph.drawing.svg import to_svg
from phage.graph.types import ClaimGraph, Edge, Evidence, Relation

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--ink:#1c2530;--muted:#6b7785;--rule:#e6eaee;
--cite:#5b6b7c;--term:#0072b2;--func:#d55e00;--both:#a3328a;--error:#b3261e;--warning:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ground:#10151b;--ink:#e8edf2;--muted:#93a1b0;
--rule:#232c36;--cite:#8fa1b3;--term:#56b4e9;--func:#f0954a;--both:#e07fcb;--error:#ff8f85;
--warning:#e3b341}}
body{margin:0;background:var(--ground);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}
main{max-width:1180px;margin:0 auto;padding:16px}
.picture{overflow-x:auto}form{display:flex;gap:18px;padding:0 24px;flex-wrap:wrap}
h2{font-size:17px;margin:32px 0 8px}
article{display:grid;grid-template-columns:3em 1fr;border-top:1px solid var(--rule);padding:10px 0}
article p,article ul{margin:0}article ul{grid-column:2;padding:6px 0 0;list-style:none;
font-size:13px;color:var(--muted)}
.n{font-weight:600}.i .n{font-size:17px}a{color:inherit}
mark{background:none;color:inherit;border-bottom:2px solid}
mark.cite{border-color:var(--cite)}mark.term{border-color:var(--term)}
mark.func{border-color:var(--func)}
b.cite{color:var(--cite)}b.term{color:var(--term)}b.func{color:var(--func)}b.both{color:var(--both)}
b.error{color:var(--error)}b.warning{color:var(--warning)}
article:target{background:color-mix(in srgb,var(--term) 10%,transparent)}
"""


_NO_MARKS: Marks = {}


def to_html(graph: ClaimGraph, patent: Patent | None = None, marks: Marks = _NO_MARKS) -> str:
    """Write the page."""
    title = f"{graph.patent} {patent.title if patent else ''}".strip()
    switches = "".join(
        f'<label><input type="checkbox" id="show-{r}" checked> <b class="{r}">{r}</b></label>'
        for r in Relation
    )
    hide = "".join(f"body:has(#show-{r}:not(:checked)) .edge.{r}{{display:none}}" for r in Relation)
    picture = to_svg(compose(graph, patent, marks), f"claim graph of {graph.patent}")
    claims = _claims(graph, patent, marks) if patent else ""
    return (
        "<!doctype html>\n"
        f'<html lang="{escape(graph.language)}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}{hide}</style></head><body><main>\n"
        f'<div class="picture">{picture}</div>\n<form>{switches}</form>\n{claims}</main></body></html>\n'
    )


def _claims(graph: ClaimGraph, patent: Patent, found: Marks) -> str:
    citing = broken_claims(graph) | {
        edge.target for edge in graph.edges if edge.relation is Relation.CITE
    }
    parts = ["<h2>Claims and the words that join them</h2>"]
    for claim in patent.claims:
        edges = [edge for edge in graph.edges if edge.target == claim.number]
        marks = [item for edge in edges for item in edge.evidence if item.claim == claim.number]
        kind = "" if claim.number in citing else ' class="i"'
        leans = "".join(
            f'<li><b class="{"error" if mark.error else "warning"}">{mark.rule}</b> '
            f"{_text(mark.words)}</li>"
            for mark in found.get(claim.number, ())
        )
        leans += "".join(f"<li>{_edge(edge)}</li>" for edge in edges)
        parts.append(
            f'<article{kind} id="claim-{claim.number}"><span class="n">{claim.number}</span>'
            f"<p>{_marked(claim.text, marks)}</p>{f'<ul>{leans}</ul>' if leans else ''}</article>"
        )
    return "\n".join(parts)


def _edge(edge: Edge) -> str:
    words = dict.fromkeys(item.term or item.phrase for item in edge.evidence)
    kind = f" ({edge.kind})" if edge.kind else ""
    said = f": {_text(', '.join(words))}" if words and edge.relation is not Relation.CITE else ""
    link = f'<a href="#claim-{edge.source}">claim {edge.source}</a>'
    return f'<b class="{edge.relation}">{edge.relation}</b>{kind} from {link}{said}'


def _marked(text: str, marks: list[Evidence]) -> str:
    """Underline the evidence; where two overlap, the first one stands."""
    out, end = [], 0
    for item in sorted(marks, key=lambda item: (item.start, -item.end)):
        if item.start < end or item.end > len(text):
            continue
        out.append(_text(text[end : item.start]))
        out.append(f'<mark class="{item.signal}">{_text(text[item.start : item.end])}</mark>')
        end = item.end
    return "".join([*out, _text(text[end:])])


def _text(text: str) -> str:
    return escape(printable(text))

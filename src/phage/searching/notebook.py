"""Search hits in a notebook.

In:   hits, best first.
Out:  a piece of HTML: a table with scores, and behind each hit the two claims that match.
Why:  hits are read one below the other, and the reason for each is a click away. No graph is drawn
      here: search knows no graphs."""

from __future__ import annotations

from collections.abc import Sequence

from phage.notebook import themed, visible
from phage.searching.types import Hit

_LIGHT = "--ink:#1c2530;--muted:#6b7785;--rule:#e6eaee;--ground:#ffffff;--bar:#0072b2"
_DARK = "--ink:#e8edf2;--muted:#93a1b0;--rule:#232c36;--ground:#10151b;--bar:#56b4e9"
_STYLE = (
    themed("phage-hits", _LIGHT, _DARK)
    + """
.phage-hits{color:var(--ink);background:var(--ground);border:1px solid var(--rule);border-radius:8px;
padding:8px 16px;font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;
max-width:1000px;box-sizing:border-box;overflow-wrap:anywhere}
.phage-hits section{border-bottom:1px solid var(--rule);padding:8px 0}
.phage-hits section:last-child{border:0}
.phage-hits .facts,.phage-hits summary{color:var(--muted);font-size:13px}
.phage-hits summary{cursor:pointer}.phage-hits p{margin:4px 0}
.phage-hits i{display:block;height:6px;border-radius:3px;background:var(--bar);margin:4px 0}
"""
)


def hits_html(hits: Sequence[Hit]) -> str:
    """Show hits; the bars are relative to the best one."""
    best = max((hit.score for hit in hits), default=0.0)
    rows = "".join(_hit(place, hit, best) for place, hit in enumerate(hits, start=1))
    return f'<div class="phage-hits"><style>{_STYLE}</style>{rows or "Nothing found."}</div>'


def _hit(place: int, hit: Hit, best: float) -> str:
    width = max(1.0, 100 * hit.score / best) if best > 0 else 1.0
    facts = (hit.publication_date, ", ".join(hit.assignees[:2]), ", ".join(hit.ipc[:3]))
    return (
        f"<section><b>{place}. {visible(hit.number)}</b> {visible(hit.title)}"
        f'<i style="width:{min(width, 100):.0f}%"></i>'
        f'<div class="facts">{hit.score:.3f} · {visible(" · ".join(filter(None, facts)))}</div>'
        f"{_match(hit)}</section>"
    )


def _match(hit: Hit) -> str:
    match = hit.match
    if match is None:
        return f"<p>{visible(hit.snippet)}</p>"
    asked = f"your claim {match.query_claim}" if match.query_claim else "your text"
    shared = f" · {', '.join(match.terms)}" if match.terms else ""
    return (
        f"<details><summary>{asked} and claim {match.claim}, {match.score:.3f}{visible(shared)}"
        f"</summary><p><b>{asked}</b> {visible(match.query_text)}</p>"
        f"<p><b>claim {match.claim}</b> {visible(match.text)}</p></details>"
    )

"""A chart or a diff as one HTML page that needs nothing else.

In:   a Chart or a Diff.
Out:  a page without script: a table on a desktop, cards on a phone; light and dark.
Why:  it is mailed to a client or filed with a memo, and must open anywhere, offline."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from phage.claims.normal import printable
from phage.compare.types import NOTICE, Change, Chart, ClaimChange, Diff, Match, Row, Span

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--ink:#1c2530;--muted:#56616e;--rule:#dfe4e9;
--in:#0a5c36;--in-ground:#e3f4ea;--out:#a3201a;--out-ground:#fbe9e7;--both:#0b5a94}
@media(prefers-color-scheme:dark){:root{--ground:#10151b;--ink:#e8edf2;--muted:#a3b0bd;
--rule:#2a343f;--in:#7fd6a5;--in-ground:#12321f;--out:#ff9d94;--out-ground:#3b1a18;--both:#7cc4f5}}
*{box-sizing:border-box}body{margin:0 auto;max-width:76rem;padding:1.5rem 1rem;
background:var(--ground);color:var(--ink);overflow-wrap:anywhere;
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}
h1{font-size:1.35rem;line-height:1.3;margin:0 0 .3rem}p{margin:.3rem 0}.muted{color:var(--muted)}
.row{display:grid;grid-template-columns:4.5rem minmax(0,1fr) minmax(0,1.1fr) 7rem;gap:0 1.25rem;
border-top:1px solid var(--rule);padding:.8rem 0}.diff .row{grid-template-columns:9.5rem minmax(0,1fr)}
.head{font-weight:600;border-top:0}.label{font-weight:600}.weak{color:var(--muted)}
.score{font-variant-numeric:tabular-nums}.score b{font-size:1.1rem}small{color:var(--muted)}
mark{background:none;color:var(--both);text-decoration:underline;text-underline-offset:3px}
.lack{color:var(--out);background:var(--out-ground);border-radius:3px;padding:0 2px}
ins{color:var(--in);background:var(--in-ground);text-underline-offset:3px}
del{color:var(--out);background:var(--out-ground)}details{margin:.4rem 0 0}
summary{cursor:pointer;color:var(--muted)}footer{border-top:1px solid var(--rule);margin-top:1rem}
@media(max-width:44rem){.row,.diff .row{grid-template-columns:1fr;gap:.4rem}.head{display:none}
.score b{font-size:1rem}.score br{display:none}}
@media print{details{display:none}}
"""


def chart_page(chart: Chart) -> str:
    """Return the page of a chart."""
    title = f"{chart.number} against {chart.other}"
    head = (
        f"<h1>Claim chart: {_text(title)}</h1>"
        f"<p>{_named(chart.number, chart.title)}</p><p>{_named(chart.other, chart.other_title)}</p>"
        '<p class="muted"><span class="lack">Marked</span> words of an element are missing in the '
        "passage; <mark>underlined</mark> words of a passage are in the element, too.</p>"
        '<div class="row head"><span></span><span>Element</span><span>Best passage</span>'
        "<span>Score</span></div>"
    )
    return _page(f"Claim chart: {title}", head + "".join(map(_row, chart.rows)))


def diff_page(diff: Diff) -> str:
    """Return the page of a diff."""
    title = f"{diff.before} and {diff.after}"
    counts = ", ".join(f"{n} {name}" for name, n in diff.counts().items() if n)
    head = (
        f"<h1>Claims of {_text(title)}</h1><p>{_text(diff.title)}</p>"
        f'<p class="muted">{counts or "no claims"}. <ins>Inserted</ins>, <del>deleted</del>.</p>'
    )
    body = "".join(map(_claim, diff.claims))
    return _page(f"Claims of {title}", f'{head}<div class="diff">{body}</div>')


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><main>{body}</main>"
        f"<footer><small>{NOTICE}</small></footer></body></html>\n"
    )


def _row(row: Row) -> str:
    best = row.matches[0] if row.matches else None
    lacks = best.missing if best else ()
    element = _spans(row.element.text, lacks, '<span class="lack">', "</span>")
    weak = "" if row.close else " weak"
    passage = _passage(best) if best else '<span class="weak">no text to compare</span>'
    others = "".join(
        f"<p>{_passage(one)} <small>{one.score:.2f}</small></p>" for one in row.matches[1:]
    )
    more = f"<details><summary>Other passages</summary>{others}</details>" if others else ""
    score = ""
    if best:
        note = "" if row.close else "<br><small>no close passage</small>"
        score = f"<b>{best.score:.2f}</b> {note}<br><small>cosine {best.cosine:.2f}<br> words {best.words:.2f}</small>"
    return (
        f'<section class="row"><span class="label">{_text(row.element.label)}</span>'
        f'<div>{element}</div><div class="passage{weak}">{passage}{more}</div>'
        f'<div class="score{weak}">{score}</div></section>'
    )


def _passage(match: Match) -> str:
    marked = _spans(match.passage.text, match.shared, "<mark>", "</mark>")
    return f"<small>{_text(match.passage.place)}</small> {marked}"


_TAGS = {"inserted": "ins", "deleted": "del"}


def _claim(one: ClaimChange) -> str:
    parts = (
        f"<{_TAGS[piece.kind]}>{_text(piece.text)}</{_TAGS[piece.kind]}>"
        if piece.kind in _TAGS
        else _text(piece.text)
        for piece in one.pieces
    )
    body = _text(one.pieces[0].text) if one.change is Change.NEW else "".join(parts)
    return (
        f'<section class="row"><div><span class="label">{numbers(one)}</span><br>'
        f"<small>{described(one)}</small></div><div>{body}</div></section>"
    )


def numbers(one: ClaimChange) -> str:
    """Return the claim's number; both where it changed.

    >>> numbers(ClaimChange(Change.RENUMBERED, 5, 3, 1.0, ()))
    '5 → 3'
    """
    known = [str(number) for number in (one.before, one.after) if number is not None]
    return " → ".join(dict.fromkeys(known))


def described(one: ClaimChange) -> str:
    """Describe what became of a claim.

    >>> described(ClaimChange(Change.MERGED, 5, None, 0.0, (), 1))
    'merged into claim 1'
    """
    said = f"merged into claim {one.into}" if one.into is not None else str(one.change)
    return f"{said}, too long to compare word by word" if one.unmarked else said


def _spans(text: str, spans: Iterable[Span], opening: str, closing: str) -> str:
    out, at = [], 0
    for start, end in spans:
        out += [_text(text[at:start]), opening, _text(text[start:end]), closing]
        at = end
    return "".join([*out, _text(text[at:])])


def _named(number: str, title: str) -> str:
    return f"<b>{_text(number)}</b> {_text(title)}"


def _text(text: str) -> str:
    return escape(printable(text))

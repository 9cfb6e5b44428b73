"""Findings as one HTML page that needs nothing else.

In:   patents and their reports.
Out:  a page: claims on the left, notes in the margin, the words marked.
Why:  a report that can be mailed must open anywhere, offline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from phage.checking.types import DISCLAIMER, CheckReport, Finding
from phage.claims.types import Patent

LIGHT = "--error:#b3261e;--warning:#8a5a00;--note:#1f5f8b;--ground:#fff;--ink:#1b1b1b;--line:#ddd"
DARK = (
    "--error:#ff8a80;--warning:#ffc46b;--note:#8ecbff;--ground:#16181b;--ink:#e8e8e8;--line:#3a3d42"
)
_STYLE = f"\n:root{{{LIGHT}}}\n@media (prefers-color-scheme:dark){{:root{{{DARK}}}}}\n"
_STYLE += """\
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;
background:var(--ground);color:var(--ink)}
.claim{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:0 2rem;
border-top:1px solid var(--line);padding:.8rem 0}
.claim p{margin:0}aside div{border-left:3px solid;padding:0 .6rem;margin:0 0 .6rem;font-size:.88rem}
mark{background:none;color:inherit;border-bottom:2px solid}
.error{border-color:var(--error)!important}.warning{border-color:var(--warning)!important}
.note{border-color:var(--note)!important}
aside b{font-weight:600}small{opacity:.75}mark:target,div:target{background:#ffe08a55}
a{color:inherit}@media (max-width:44rem){.claim{grid-template-columns:1fr}}
"""


def page(pairs: Iterable[tuple[Patent, CheckReport]]) -> str:
    """Return the page of several reports."""
    body = "".join(part for patent, report in pairs for part in _patent(patent, report))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Claim check</title><style>{_STYLE}</style>{body}"
        f"<footer><small>{DISCLAIMER}</small></footer></html>\n"
    )


def _patent(patent: Patent, report: CheckReport) -> Iterator[str]:
    counts = ", ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in report.counts().items())
    yield f"<h1>{escape(patent.number)} {escape(patent.title)}</h1><p>{counts}; office "
    yield f"{report.settings.office}; rules of {escape(report.edition)}.</p>"
    findings: dict[int, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault(finding.claim, []).append(finding)
    for claim in sorted(patent.claims, key=lambda claim: claim.number):
        own = findings.pop(claim.number, [])
        yield f'<section class="claim" id="claim-{claim.number}"><p><b>{claim.printed or claim.number}.</b> '
        yield from _marked(claim.text, own)
        yield "</p><aside>"
        for place, finding in enumerate(own, start=1):
            yield _note(finding, place)
        if claim.number in report.unchecked:
            why = escape(report.unchecked[claim.number])
            yield f"<small>Antecedents not checked, because {why}.</small>"
        yield "</aside></section>"


def _marked(text: str, findings: list[Finding]) -> Iterator[str]:
    """Yield a claim's text with the words of its findings marked; where two overlap, the first."""
    at = 0
    for place, finding in enumerate(findings, start=1):
        start, end = max(at, finding.place.start), finding.place.end
        if start < end:
            name = f"m{finding.claim}-{place}"
            tip = escape(finding.message, quote=True)
            yield escape(text[at:start])
            yield f'<mark class="{finding.severity}" id="{name}" title="{tip}">'
            yield f"{escape(text[start:end])}</mark>"
            at = end
    yield escape(text[at:])


def _note(finding: Finding, place: int) -> str:
    target = f"m{finding.claim}-{place}"
    related = "".join(
        f'<br><small>claim <a href="#claim-{one.claim}">{one.claim}</a>: {escape(one.text)}</small>'
        for one in finding.related[:3]
    )
    advice = f"<br>→ {escape(finding.suggestion)}" if finding.suggestion else ""
    return (
        f'<div class="{finding.severity}"><b>{finding.severity}</b> '
        f'<a href="#{target}">{escape(finding.place.text)}</a><br>{escape(finding.message)}'
        f"{advice}{related}<br><small>{finding.rule}: {escape(finding.source)}</small></div>"
    )

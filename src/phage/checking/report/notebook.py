"""Findings in a notebook.

In:   a CheckReport.
Out:  a piece of HTML: a table of findings; nothing fetched, no script, all text escaped.
Why:  the last line of a cell should show what was found, in the colours of the page."""

from __future__ import annotations

from phage.checking.report.page import DARK, LIGHT
from phage.checking.types import DISCLAIMER, CheckReport, Finding
from phage.notebook import themed, visible

LISTED = 200
"""Findings that the table lists."""
_STYLE = (
    themed("phage-check", LIGHT, DARK)
    + """
.phage-check{color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:8px;
padding:8px 16px;font:14px/1.5 system-ui,sans-serif;max-width:1000px;overflow-wrap:anywhere}
.phage-check table{border-collapse:collapse;width:100%;color:inherit}
.phage-check td{text-align:left;vertical-align:top;padding:3px 10px 3px 0;color:inherit;
border-top:1px solid var(--line);white-space:normal;background:none}
.phage-check .error{color:var(--error)}.phage-check .warning{color:var(--warning)}
.phage-check .note{color:var(--note)}
"""
)


def report_html(report: CheckReport) -> str:
    """Show a report: its counts, then a row for each finding."""
    counts = ", ".join(f"{n} {name}{'' if n == 1 else 's'}" for name, n in report.counts().items())
    rows = "".join(
        _row(finding, report.named(finding.claim)) for finding in report.findings[:LISTED]
    )
    more = len(report.findings) - LISTED
    rest = f"<p>and {more:,} more, in report.findings</p>" if more > 0 else ""
    return (
        f'<div class="phage-check"><style>{_STYLE}</style><b>{visible(report.number)}</b> '
        f"{counts}; office {report.settings.office}<table>{rows}</table>{rest}"
        f"<small>{DISCLAIMER}</small></div>"
    )


def _row(finding: Finding, number: str) -> str:
    advice = f"<br>→ {visible(finding.suggestion)}" if finding.suggestion else ""
    return (
        f'<tr><td><b class="{finding.severity}">{finding.severity}</b></td>'
        f"<td>claim {number}</td><td>“{visible(finding.place.text)}”</td>"
        f"<td>{visible(finding.reason)}{advice}</td></tr>"
    )

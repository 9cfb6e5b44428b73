"""Findings as lines for a terminal.

In:   a Patent and its CheckReport.
Out:  lines, coloured where the terminal can: claim, words underlined, why, what to do.
Why:  the quickest look needs no file."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from phage.checking.types import CheckReport, Finding, Place, Severity
from phage.claims.types import Patent

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def lines(patent: Patent, report: CheckReport, width: int = 100) -> Iterator[Text]:
    """Yield the lines of one report.

    >>> from phage.checking import check
    >>> from phage.claims import Claim
    >>> patent = Patent("draft", (Claim(1, "A cup comprising a rim and the lid."),))
    >>> for line in lines(patent, check(patent)): print(line.plain)
    draft: 1 error, 0 warnings, 0 notes (US, rules 2026-11)
      claim 1: error: antecedent-missing
        A cup comprising a rim and the lid.
                                   ~~~~~~~
        'the lid' was not introduced before
        → introduce it: 'a lid'
    """
    counts = report.counts()
    plural = [f"{n} {name}{'' if n == 1 else 's'}" for name, n in counts.items()]
    head = (
        f"{report.number}: {', '.join(plural)} ({report.settings.office}, rules {report.edition})"
    )
    yield Text(head, style="bold")
    texts = {claim.number: claim.text for claim in reversed(patent.claims)}
    for finding in report.findings:
        yield from _finding(finding, texts, width, report)
    for number, why in report.unchecked.items():
        yield Text(
            f"  claim {report.named(number)}: antecedents not checked, because {why}",
            style="bright_black",
        )
    if report.suppressed:
        yield Text(f"  {report.suppressed} known from the baseline", style="bright_black")


def _finding(
    finding: Finding, texts: dict[int, str], width: int, report: CheckReport
) -> Iterator[Text]:
    colour = _COLOURS[finding.severity]
    head = Text(f"  claim {report.named(finding.claim)}: ")
    head.append(str(finding.severity), style=f"bold {colour}").append(f": {finding.rule}")
    yield head
    yield from _underlined(finding.place, texts[finding.claim], width - 4, colour)
    yield Text("    " + finding.reason)
    if finding.suggestion:
        yield Text(f"    → {finding.suggestion}")
    for place in finding.related[:3]:
        around, _ = _cut(place, texts.get(place.claim, place.text), max(20, width - 20))
        yield Text(f"    claim {report.named(place.claim)}: {around}", style="bright_black")


def _underlined(place: Place, text: str, width: int, colour: str) -> Iterator[Text]:
    around, at = _cut(place, text, max(20, width))
    length = min(place.end - place.start, len(around) - at)
    yield Text("    " + around)
    yield Text("    " + " " * at + "~" * max(1, length), style=colour)


def _cut(place: Place, text: str, width: int) -> tuple[str, int]:
    """Return the words around a place in one line, and where in it the place begins."""
    room = max(0, width - (place.end - place.start)) // 2
    begin = max(0, place.start - room)
    piece = text[begin : begin + width]
    if begin:
        piece = "…" + piece[1:]
    if begin + width < len(text):
        piece = piece[:-1] + "…"
    return piece, place.start - begin

"""A chart or a diff as lines for a terminal.

In:   a Chart or a Diff.
Out:  lines, coloured where the terminal can.
Why:  the quickest look needs no file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from phage.compare.page import described, numbers
from phage.compare.types import Change, Chart, Diff, Span

_STYLES = {"inserted": "green underline", "deleted": "red strike", "same": ""}


def chart_lines(chart: Chart) -> Iterator[Text]:
    """Yield the lines of a chart."""
    yield Text(f"{chart.number} against {chart.other}", style="bold")
    for row in chart.rows:
        best = row.matches[0] if row.matches else None
        yield Text.assemble(
            (f"{row.element.label:>8}  ", "bold"),
            _marked(row.element.text, best.missing if best else (), "red"),
        )
        if best:
            body = _marked(best.passage.text, best.shared, "underline")
            if row.close:
                head, tail = f"{best.score:.2f} {best.passage.place}: ", ""
            else:
                head = f"no close passage (nearest: {best.passage.place}, {best.score:.2f}: "
                tail = ")"
            yield Text.assemble((f"{'':8}  {head}", "dim"), body, (tail, "dim"))


def diff_lines(diff: Diff) -> Iterator[Text]:
    """Yield the lines of a diff; words that went out stand in [-…-], those that came in {+…+}."""
    counts = ", ".join(f"{n} {name}" for name, n in diff.counts().items() if n)
    yield Text(f"{diff.before} and {diff.after}: {counts or 'no claims'}", style="bold")
    for one in diff.claims:
        line = Text.assemble((f"{numbers(one):>7} {described(one)}", "bold"))
        if one.change not in (Change.SAME, Change.RENUMBERED):
            line.append(": ")
            for piece in one.pieces:
                opening, closing = {"inserted": "{+ +}", "deleted": "[- -]"}.get(
                    piece.kind, " "
                ).split(" ")
                line.append(f"{opening}{piece.text.rstrip()}{closing}", style=_STYLES[piece.kind])
                line.append(piece.text[len(piece.text.rstrip()) :])
        yield line


def _marked(text: str, spans: Iterable[Span], style: str) -> Text:
    made = Text(text)
    for start, end in spans:
        made.stylize(style, start, end)
    return made

"""A claim graph as text: a tree of claims with the implicit edges beside them.

In:   a ClaimGraph, the Patent for its words, findings to show beside the claims.
Out:  lines for a terminal, coloured where it can.
Why:  the quickest look needs no file."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from phage.claims.types import Patent
from phage.graph.drawing.layout import ClaimRow, Mark, Marks, lay_out
from phage.graph.types import ClaimGraph, Edge, Relation
from phage.structure import CiteKind

_COLOURS = {
    Relation.CITE: "bright_black",
    Relation.TERM: "blue",
    Relation.FUNC: "yellow",
    Relation.BOTH: "magenta",
}


_NO_MARKS: Marks = {}


def outline(
    graph: ClaimGraph, patent: Patent | None = None, width: int = 100, marks: Marks = _NO_MARKS
) -> Iterator[Text]:
    """Yield one line per claim, its findings and implicit edges on lines below.

    >>> graph = ClaimGraph("US1A", (1, 2, 3), (
    ...     Edge(1, 2, Relation.CITE), Edge(1, 3, Relation.CITE), Edge(2, 3, Relation.TERM)))
    >>> for line in outline(graph): print(line.plain)
    US1A
    ● 1
    ├─ 2
    └─ 3
          ← term 2
    """
    title = f"{graph.patent}  {patent.title}" if patent and patent.title else graph.patent
    yield _cut(Text(title, style="bold"), width)
    forest = lay_out(graph, patent)
    beside: dict[int, list[Edge]] = {}
    for edge in (*forest.asides, *forest.implicit):
        beside.setdefault(edge.target, []).append(edge)
    open_: dict[int, bool] = {}  # depth → whether its vertical line goes on below
    for place, row in enumerate(forest.rows):
        open_[row.depth] = not row.last
        below = place + 1 < len(forest.rows) and forest.rows[place + 1].depth > row.depth
        yield _cut(_line(row, open_), width)
        stem = _stem(open_, row.depth) + ("│  " if below else "   ")
        found = [_mark(mark) for mark in marks.get(row.number, ())]
        for text in (*found, *_beside(beside.get(row.number, []))):
            indent = Text(stem + "  " * (row.depth == 0), style="bright_black")
            yield _cut(indent.append_text(text), width)


def _line(row: ClaimRow, open_: dict[int, bool]) -> Text:
    text = Text()
    if row.parent is None:
        sign = "✗ " if row.broken else "● " if row.independent else "◎ "
        text.append(sign, style="bold red" if row.broken else "bold")
    else:
        text.append(_stem(open_, row.depth - 1), style="bright_black")
        text.append("└─ " if row.last else "├─ ", style="bright_black")
    text.append(str(row.number), style="bold")
    if row.opening:
        text.append("  " + row.opening.rstrip(), style="bright_black")
    if row.words:
        text.append(
            (" " if row.opening else "  ") + row.words,
            style="bold" * row.independent,
        )
    return text


def _mark(mark: Mark) -> Text:
    """Describe a finding in one line.

    >>> _mark(Mark("antecedent-missing", "the rotor", error=True)).plain
    '! antecedent-missing  the rotor'
    """
    text = Text(f"! {mark.rule}", "red" if mark.error else "yellow")
    return text.append(f"  {mark.words}", style="bright_black")


def _stem(open_: dict[int, bool], depth: int) -> str:
    return "".join("│  " if open_[level] else "   " for level in range(1, depth + 1))


def _beside(edges: list[Edge]) -> Iterator[Text]:
    """Describe the other edges into a claim, one line per relation."""
    cites = [edge for edge in edges if edge.relation is Relation.CITE]
    if cites:
        cross = any(edge.kind is CiteKind.CROSS_CATEGORY for edge in cites)
        word = "refers to" if cross else "or of"
        yield Text(f"{word} {_numbers(edge.source for edge in cites)}", _COLOURS[Relation.CITE])
    for relation in (Relation.BOTH, Relation.TERM, Relation.FUNC):
        found = [edge for edge in edges if edge.relation is relation]
        if not found:
            continue
        text = Text("← ", _COLOURS[relation])
        text.append(f"{relation} {_numbers(edge.source for edge in found)}")
        terms = dict.fromkeys(i.term for edge in found for i in edge.evidence if i.term)
        if terms:
            text.append("  " + ", ".join(terms), style="bright_black")
        yield text


def _numbers(numbers: Iterator[int]) -> str:
    """Write claim numbers with runs as ranges.

    >>> _numbers(iter([1, 2, 3, 7]))
    '1–3, 7'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text

"""A claim graph as lines, discs and words on a plane.

In:   a ClaimGraph, the Patent for its words, findings to mark its claims with.
Out:  Scene: primitives with their role, independent of any file format.
Why:  SVG and PNG must show the same picture; the geometry is decided once, here."""

from __future__ import annotations

from dataclasses import dataclass

from phage.claims.types import Patent
from phage.graph.drawing.layout import ClaimRow, Forest, Mark, Marks, describe, lay_out
from phage.graph.drawing.words import fit, measure
from phage.graph.types import ClaimGraph, Edge, Relation

ROW = 26.0
"""Height of a row in pixels."""
TOP = 92.0
"""Room for number, title and legend."""
MARGIN = 24.0
TEXT = 640.0
"""Width of the column of words."""
MARKS = 260.0
"""Width that the names of findings may take at the end of a row."""
SIZE = 12.5
"""Of the claims' letters."""
LABELLED = 12
"""Arcs that are labelled with the part they join by; more labels would hide the arcs."""
LABEL = 110.0
"""Width of such a label."""
LEGEND = {
    "cite": "claim reference",
    "term": "shared term",
    "func": "functional link",
    "both": "both",
}


@dataclass(frozen=True, slots=True)
class Words:
    """A run of text; ``role`` is one of title, subtitle, number, root, claim, broken, legend, label, mark."""

    x: float
    y: float
    text: str
    role: str
    anchor: str = "start"
    lead: str = ""
    """Words before it, set back in colour."""


@dataclass(frozen=True, slots=True)
class Line:
    """A path: straight through its points, or one cubic curve when ``curve`` and four points."""

    points: tuple[tuple[float, float], ...]
    role: str
    """A relation's name, ``aside``, ``snapped`` or ``rule``."""
    curve: bool = False
    arrow: bool = False
    """A head at the last point."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A claim's disc: filled if independent, ringed if cross-category, dashed if broken, or open."""

    x: float
    y: float
    role: str
    """``independent``, ``cross``, ``broken`` or ``dependent``."""


@dataclass(frozen=True, slots=True)
class Group:
    """Everything that reacts together to the pointer: one claim, or one edge."""

    kind: str
    """``claim``, ``edge`` or ``frame``."""
    parts: tuple[Words | Line | Disc, ...]
    title: str = ""
    claims: tuple[int, ...] = ()
    relation: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole picture, in drawing order."""

    width: float
    height: float
    groups: tuple[Group, ...]


_NO_MARKS: Marks = {}


def compose(graph: ClaimGraph, patent: Patent | None = None, marks: Marks = _NO_MARKS) -> Scene:
    """Place everything."""
    forest = lay_out(graph, patent)
    lanes = _lanes(forest)
    left = MARGIN + 8 + 7 * len(set(lanes.values()))
    depth = max((row.depth for row in forest.rows), default=0)
    indent = min(26.0, 300.0 / max(depth, 1))
    place = {
        row.number: (left + 14 + indent * row.depth, TOP + ROW * (index + 0.5))
        for index, row in enumerate(forest.rows)
    }
    words = left + 14 + indent * depth + 22
    right = words + (TEXT if patent else 30.0)
    strength = {Relation.FUNC: 0, Relation.TERM: 1, Relation.BOTH: 2}
    order = sorted(forest.implicit, key=lambda edge: (strength[edge.relation], edge.target))
    arcs = [_arc(edge, place, right) for edge in order]
    labels = _labels(order, arcs) if patent and len(order) <= LABELLED else []
    ends = [label.x + measure(label.text, 11) for label in labels]
    width = max([720.0, right + _reach(arcs, right) + MARGIN, *(end + MARGIN for end in ends)])
    height = TOP + ROW * len(forest.rows) + MARGIN
    texts = {claim.number: claim.text for claim in patent.claims} if patent else {}
    groups = [_frame(graph, patent, forest, width)]
    groups += [_rule(place[row.number][1] + ROW / 2, left, right) for row in forest.rows]
    groups += [_branch(edge, place) for edge in forest.branches]
    groups += [_aside(edge, place, left - 7 * (1 + lanes[edge.target])) for edge in forest.asides]
    groups += arcs
    groups += [Group("frame", tuple(labels))] * bool(labels)
    groups += [
        _claim(row, place[row.number], right, texts.get(row.number, ""), marks.get(row.number, ()))
        for row in forest.rows
    ]
    return Scene(width, height, tuple(groups))


def _reach(arcs: list[Group], x: float) -> float:
    """Return the width of the arcs: a cubic curve reaches three quarters of its outer points."""
    lines = [part for group in arcs for part in group.parts if isinstance(part, Line)]
    return max((0.75 * (line.points[1][0] - x) for line in lines), default=0.0)


def _labels(edges: list[Edge], arcs: list[Group]) -> list[Words]:
    """Name the parts that arcs join by, at their outermost points; leave out what would overlap."""
    found: list[Words] = []
    for edge, arc in zip(edges, arcs, strict=True):
        (x, y), (out, _), _, (_, v) = next(p.points for p in arc.parts if isinstance(p, Line))
        parts = ", ".join(dict.fromkeys(item.term for item in edge.evidence if item.term))
        label = Words(x + 0.75 * (out - x) + 6, (y + v) / 2 + 4, fit(parts, LABEL, 11), "label")
        if parts and not any(_overlap(label, other) for other in found):
            found.append(label)
    return found


def _overlap(one: Words, other: Words) -> bool:
    left, right = sorted((one, other), key=lambda words: words.x)
    return abs(one.y - other.y) < 13 and right.x < left.x + measure(left.text, 11) + 6


def _lanes(forest: Forest) -> dict[int, int]:
    """Assign each claim with further citations a lane left of the tree; reuse lanes."""
    index = {row.number: place for place, row in enumerate(forest.rows)}
    spans: dict[int, tuple[int, int]] = {}
    for edge in forest.asides:
        ends = (index[edge.source], index[edge.target])
        low, high = spans.get(edge.target, (ends[1], ends[1]))
        spans[edge.target] = (min(low, *ends), max(high, *ends))
    lanes: dict[int, int] = {}
    busy: list[list[tuple[int, int]]] = []
    for target, (low, high) in sorted(spans.items(), key=lambda item: item[1][1] - item[1][0]):
        free = (n for n, taken in enumerate(busy) if all(high < a or b < low for a, b in taken))
        lane = next(free, len(busy))
        if lane == len(busy):
            busy.append([])
        busy[lane].append((low, high))
        lanes[target] = lane
    return lanes


def _frame(graph: ClaimGraph, patent: Patent | None, forest: Forest, width: float) -> Group:
    room = width - 2 * MARGIN
    title = f"{graph.patent}  {patent.title}" if patent and patent.title else graph.patent
    parts: list[Words | Line | Disc] = [
        Words(MARGIN, 30, fit(title, room, 17, bold=True), "title"),
        Words(MARGIN, 50, _subtitle(forest), "subtitle"),
    ]
    tree = f"{LEGEND['cite']}: {len(forest.branches)}"
    entries = [(f"{tree} in the tree" if forest.asides else tree, "cite")]
    if forest.asides:
        entries.append((f"{len(forest.asides)} beside it", "aside"))
    kinds = [str(edge.relation) for edge in forest.implicit]
    entries += [
        (f"{LEGEND[one]}: {kinds.count(one)}", str(one)) for one in Relation if one != "cite"
    ]
    x = MARGIN
    for text, role in entries:
        parts.append(Line(((x, 70), (x + 30, 70)), role, arrow=role != "cite"))
        parts.append(Words(x + 38, 74, text, "legend"))
        x += 38 + measure(text, SIZE) + 22
    return Group("frame", tuple(parts))


def _subtitle(forest: Forest) -> str:
    count = len(forest.rows)
    text = f"{count} claim{'s' * (count != 1)}, {sum(row.independent for row in forest.rows)} independent"
    crossing = sum(_role(row) == "cross" for row in forest.rows)
    broken = sum(row.broken for row in forest.rows)
    text += f", {crossing} cross-category (ringed)" * bool(crossing)
    return text + f", {broken} with a broken reference (red)" * bool(broken)


def _role(row: ClaimRow) -> str:
    if row.broken:
        return "broken"
    cross = row.parent is None and not row.independent
    return "independent" if row.independent else "cross" if cross else "dependent"


def _rule(y: float, left: float, right: float) -> Group:
    return Group("frame", (Line(((left, y), (right, y)), "rule"),))


def _claim(
    row: ClaimRow, at: tuple[float, float], right: float, text: str, marks: tuple[Mark, ...]
) -> Group:
    x, y = at
    role = _role(row)
    start = x + 18
    said = fit(", ".join(dict.fromkeys(mark.rule for mark in marks)), MARKS, SIZE)
    room = right - start - 14 - (measure(said, SIZE) + 12) * bool(said)
    bold = row.independent
    lead = fit(row.opening, room * 0.55, SIZE)
    lead += " " * (lead != row.opening)  # after an ellipsis
    words = fit(row.words, room - measure(lead, SIZE), SIZE, bold=bold)
    parts: list[Words | Line | Disc] = [
        Disc(x, y, role),
        Words(x, y + 3.6, str(row.number), f"number {role}", "middle"),
    ]
    if lead or words:
        kind = "root" if bold else "broken" if row.broken else "claim"
        parts.append(Words(start, y + 4.2, words, kind, lead=lead))
    if row.broken:
        cuts = ((-9, 0, -12, 0), (-13, -3, -18, 3), (-18, -3, -13, 3))
        parts += [Line(((x + a, y + b), (x + c, y + d)), "snapped") for a, b, c, d in cuts]
    if said:
        heavy = "mark error" if any(mark.error for mark in marks) else "mark warning"
        parts.append(Words(right - 14, y + 4.2, said, heavy, "end"))
    title = f"{row.number}. {text}" if len(text) < 900 else f"{row.number}. {text[:900]}…"
    title = "\n".join([title, *(f"{mark.rule}: {mark.words}" for mark in marks)])
    return Group("claim", tuple(parts), title, (row.number,))


def _branch(edge: Edge, place: dict[int, tuple[float, float]]) -> Group:
    (x, y), (u, v) = place[edge.source], place[edge.target]
    line = Line(((x, y + 9), (x, v), (u - 9, v)), "cite")
    return Group("edge", (line,), describe(edge), (edge.source, edge.target), "cite")


def _aside(edge: Edge, place: dict[int, tuple[float, float]], lane: float) -> Group:
    (x, y), (u, v) = place[edge.source], place[edge.target]
    line = Line(((x - 10, y), (lane, y), (lane, v), (u - 10, v)), "aside", arrow=True)
    return Group("edge", (line,), describe(edge), (edge.source, edge.target), "cite")


def _arc(edge: Edge, place: dict[int, tuple[float, float]], x: float) -> Group:
    # Lines leave a little below the row's middle, arrows come in a little above it.
    y, v = place[edge.source][1] + 3, place[edge.target][1] - 3
    rows = abs(v - y) / ROW
    out = x + min(400.0, 24 + 26 * rows**0.64)  # grows slowly: sixty claims still fit a screen
    line = Line(((x, y), (out, y), (out, v), (x, v)), str(edge.relation), curve=True, arrow=True)
    return Group("edge", (line,), describe(edge), (edge.source, edge.target), str(edge.relation))

"""A scene as SVG, written by hand.

In:   a Scene.
Out:  one SVG element: no script, nothing fetched; it follows the reader's light or dark theme.
Why:  hovering shows the evidence and dims the rest by style rules alone, wherever it is shown."""

from __future__ import annotations

from html import escape

from phage.claims.normal import printable
from phage.graph.drawing.palette import DARK, DASHES, LIGHT, WIDTHS, Palette
from phage.graph.drawing.scene import Disc, Group, Line, Scene, Words
from phage.graph.types import Relation

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


def to_svg(scene: Scene, label: str = "claim graph", prefix: str = "") -> str:
    """Write the picture; ``prefix`` keeps its names apart from those of others on one page."""
    claims = sorted({n for group in scene.groups if group.kind == "claim" for n in group.claims})
    body = "\n".join(_group(group, prefix) for group in scene.groups)
    crowded = sum(group.kind == "edge" for group in scene.groups) > 120
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="claim-graph" role="img" '
        f'aria-label="{escape(printable(label))}" viewBox="0 0 {scene.width:.0f} {scene.height:.0f}" '
        f'width="{scene.width:.0f}" height="{scene.height:.0f}">\n'
        f"<style>{_style(claims, crowded, prefix)}</style>\n{_markers(prefix)}\n"
        f'<rect class="ground" width="100%" height="100%"/>\n{body}\n</svg>\n'
    )


def _style(claims: list[int], crowded: bool, prefix: str) -> str:
    rules = [
        f".claim-graph{{{variables(LIGHT)};font-family:{_FONT};color-scheme:light dark}}",
        f"@media(prefers-color-scheme:dark){{.claim-graph{{{variables(DARK)}}}}}",
        ".claim-graph .ground{fill:var(--ground)}.claim-graph text{fill:var(--ink);font-size:12.5px;white-space:pre}",
        ".claim-graph .title{font-size:17px;font-weight:650}.claim-graph .root{font-weight:600}",
        ".claim-graph .subtitle,.claim-graph .opening{fill:var(--muted)}",
        ".claim-graph .broken .opening{fill:var(--error)}.claim-graph .snapped{stroke:var(--error)}",
        ".claim-graph .label{font-size:11px;paint-order:stroke;stroke:var(--ground);stroke-width:4px}",
        ".claim-graph .number{font-size:10.5px;font-weight:600}",
        ".claim-graph .number.independent{fill:var(--ground)}",
        ".claim-graph path{fill:none}.claim-graph .rule{stroke:var(--rule);stroke-width:1}",
        ".claim-graph .aside{stroke:var(--cite);stroke-width:1.1;stroke-dasharray:2 2.5}",
        ".claim-graph circle{stroke:var(--cite);stroke-width:1.4;fill:var(--ground)}",
        ".claim-graph circle.independent{fill:var(--ink);stroke:var(--ink)}",
        ".claim-graph circle.broken{stroke:var(--error);stroke-dasharray:3 2}",
        ".claim-graph .mark{font-size:11.5px}.claim-graph .mark.error{fill:var(--error)}",
        ".claim-graph .mark.warning{fill:var(--warning)}",
        ".claim-graph circle.halo{stroke-width:1.1;fill:none}",
        ".claim-graph .hit{stroke:transparent;stroke-width:9;pointer-events:stroke}",
        f".claim-graph .edge{{opacity:{0.75 if crowded else 0.9}}}",
        f".claim-graph .edge.func{{opacity:{0.4 if crowded else 0.8}}}",
        ".claim-graph .edge.cite{opacity:1}.claim-graph marker path{stroke:none}",
        ".claim-graph .edge:hover{opacity:1}.claim-graph .edge:hover path.line{stroke-width:3}",
        ".claim-graph:has(.edge:hover) .edge:not(:hover){opacity:.12}",
    ]
    for relation in Relation:
        dash = f";stroke-dasharray:{DASHES[relation]}" if DASHES[relation] else ""
        rules.append(
            f".claim-graph path.{relation}{{stroke:var(--{relation});"
            f"stroke-width:{WIDTHS[relation]}{dash}}}"
        )
    # Pointing at a claim brings out the edges that touch it and sets back the others.
    for n in claims:
        rules.append(f".claim-graph:has(#{prefix}c{n}:hover) .edge:not(.c{n}){{opacity:.06}}")
        rules.append(f".claim-graph:has(#{prefix}c{n}:hover) .edge.c{n}{{opacity:1}}")
    return "\n".join(rules)


def variables(palette: Palette) -> str:
    """Spell the colours as style variables."""
    colours = {
        "ground": palette.ground,
        "ink": palette.ink,
        "muted": palette.muted,
        "rule": palette.rule,
        "error": palette.error,
        "warning": palette.warning,
        **{str(relation): colour for relation, colour in palette.relations.items()},
    }
    return ";".join(f"--{name}:{colour}" for name, colour in colours.items())


def _markers(prefix: str) -> str:
    heads = "".join(
        f'<marker id="{prefix}head-{relation}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7.5" '
        f'markerHeight="7.5" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 .6 L8 4 L0 7.4 z" style="fill:var(--{relation})"/></marker>'
        for relation in Relation
    )
    return f"<defs>{heads}</defs>"


def _group(group: Group, prefix: str) -> str:
    inner = "".join(_part(part, prefix) for part in group.parts)
    title = f"<title>{escape(printable(group.title))}</title>" if group.title else ""
    if group.kind == "edge":
        source, target = group.claims
        reach = "".join(
            f'<path class="hit" d="{_path(part)}"/>'
            for part in group.parts
            if isinstance(part, Line)
        )
        return (
            f'<g class="edge {group.relation} c{source} c{target}" data-source="{source}" '
            f'data-target="{target}" data-relation="{group.relation}">{title}{reach}{inner}</g>'
        )
    if group.kind == "claim":
        number = group.claims[0]
        return f'<g class="claim" id="{prefix}c{number}" data-claim="{number}">{title}{inner}</g>'
    return f"<g>{inner}</g>"


def _part(part: Words | Line | Disc, prefix: str) -> str:
    if isinstance(part, Words):
        anchor = f' text-anchor="{part.anchor}"' if part.anchor != "start" else ""
        lead = part.lead and f'<tspan class="opening">{escape(printable(part.lead))}</tspan>'
        return (
            f'<text class="{part.role}" x="{part.x:.1f}" y="{part.y:.1f}"{anchor}>'
            f"{lead}{escape(printable(part.text))}</text>"
        )
    if isinstance(part, Disc):
        halo = f'<circle class="halo" cx="{part.x:.1f}" cy="{part.y:.1f}" r="11.5"/>'
        disc = f'<circle class="{part.role}" cx="{part.x:.1f}" cy="{part.y:.1f}" r="9"/>'
        return (halo if part.role == "cross" else "") + disc
    relation = "cite" if part.role == "aside" else part.role
    head = f' marker-end="url(#{prefix}head-{relation})"' if part.arrow else ""
    return f'<path class="line {part.role}" d="{_path(part)}"{head}/>'


def _path(line: Line) -> str:
    points = [f"{x:.1f} {y:.1f}" for x, y in line.points]
    if line.curve:
        return f"M{points[0]} C{' '.join(points[1:])}"
    return "M" + " L".join(points)

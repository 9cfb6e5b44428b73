"""Draw four fictional patents: a chain, a star, several trees, sixty claims.

Run from the checkout: python examples/drawings.py docs/drawings
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from phage.graph import CiteKind, ClaimGraph, Relation, build_graph
from phage.graph.draw import draw
from phage.invented import invent

SIZES = {*range(9, 13), *range(18, 23), 60}


def cites(graph: ClaimGraph) -> list[tuple[int, int, CiteKind | None]]:
    """Give the citations."""
    edges = [edge for edge in graph.edges if edge.relation is Relation.CITE]
    return [(edge.source, edge.target, edge.kind) for edge in edges]


def roots(graph: ClaimGraph) -> int:
    """Count the trees."""
    hanging = {t for _, t, kind in cites(graph) if kind is not CiteKind.CROSS_CATEGORY}
    return len(graph.claims) - len(hanging)


def implicit(graph: ClaimGraph) -> int:
    """Count the edges that no citation states."""
    return len(graph.edges) - len(cites(graph))


def chain(graph: ClaimGraph) -> bool:
    """Nearly every claim leans on the one before, and on no other."""
    single = [(s, t) for s, t, kind in cites(graph) if kind is CiteKind.DEPENDENT]
    links = sum(target == source + 1 for source, target in single)
    whole = len(single) == len(cites(graph)) and roots(graph) == 1
    return (
        9 <= len(graph.claims) <= 12 and whole and links >= len(single) - 1 and implicit(graph) > 0
    )


def star(graph: ClaimGraph) -> bool:
    """All claims lean on the first."""
    near = all(source == 1 for source, _, _ in cites(graph))
    return len(graph.claims) == 12 and near and roots(graph) == 1 and 8 < implicit(graph) < 30


def trees(graph: ClaimGraph) -> bool:
    """Four trees, with cross-category references and multiple dependents."""
    kinds = {kind for _, _, kind in cites(graph)}
    several = CiteKind.CROSS_CATEGORY in kinds and CiteKind.ALTERNATIVE in kinds
    return 18 <= len(graph.claims) <= 22 and roots(graph) == 4 and several and implicit(graph) > 9


def sixty(graph: ClaimGraph) -> bool:
    """As many claims as a reader can still follow."""
    return len(graph.claims) == 60 and roots(graph) > 1


def main(folder: str = "docs/drawings") -> None:
    """Take the first patent of each shape from the fictional corpus."""
    wanted: dict[str, Callable[[ClaimGraph], bool]] = {
        "chain": chain,
        "star": star,
        "trees": trees,
        "sixty": sixty,
    }
    for invention in invent(20_000, seed=7):
        if len(invention.patent.claims) not in SIZES:
            continue
        graph = build_graph(invention.patent)
        for name in [name for name, fits in wanted.items() if fits(graph)]:
            draw(graph, Path(folder) / f"{name}.svg", invention.patent)
            print(f"{name}: {graph.patent}, {len(graph.claims)} claims, {len(graph.edges)} edges")
            del wanted[name]
        if not wanted:
            break


if __name__ == "__main__":
    main(*sys.argv[1:])

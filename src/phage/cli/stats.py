"""``phage stats``: the paper's tables of a corpus of graphs."""

from __future__ import annotations

from itertools import islice
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phage.cli.options import Limit, apart

if TYPE_CHECKING:
    from phage.claims.statistics import CorpusStatistics
    from phage.graph.statistics import Spread, Statistics

_ROWS = {
    "claims": "claims",
    "edges": "edges",
    "density": "density",
    "path_length": "path length",
    "diameter": "diameter",
}
_BOUNDARY = {
    "no_edges": "no edges",
    "single_claim": "  a single claim",
    "several_claims_no_edges": "  several claims",
    "only_cite": "cite edges only",
    "implicit": "implicit edges too",
}


def stats(
    graphs: Annotated[
        Path | None,
        typer.Argument(help="graphs.parquet or .jsonl of 'phage graph', or a demo corpus."),
    ] = None,
    patents: Annotated[
        Path | None,
        typer.Option(help="The patents themselves: years, IPC codes and lengths of the corpus."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the distributions here (.png, .svg, .pdf).")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    limit: Limit = 0,
    seed: Annotated[
        int, typer.Option(help="Seed of the sample for path lengths (10,000 patents).")
    ] = 0,
) -> None:
    """Print claims, edges, density, paths, relations and boundary cases beside the paper's.

    With --patents, print the paper's tables of its corpus as well. --patents also works alone.

    Density is edges per pair of an earlier and a later claim. Path length and diameter read
    edges both ways, over connected pairs.

    Example: phage stats graphs.parquet --patents patents.parquet --plot stats.png
    """
    from phage.errors import PhageError
    from phage.provenance import provenance
    from phage.terminal import emit_json

    if graphs is None and patents is None:
        raise PhageError(
            "no input was given", remedy="give a file of graphs, --patents FILE, or both"
        )
    apart(plot, graphs, patents)
    figures: dict[str, Any] = _graphs(graphs, plot, seed, limit, quiet=json) if graphs else {}
    if patents:
        figures |= _patents(patents, limit, quiet=json)
    if json:
        files = [path for path in (graphs, patents) if path and path.is_file()]
        emit_json({**figures, "provenance": provenance(files)})


def _patents(path: Path, limit: int, *, quiet: bool) -> dict[str, Any]:
    from phage.claims import read_some
    from phage.claims.statistics import PAPER, corpus_statistics
    from phage.terminal import progress, table

    with progress("reading", unit="patents") as advance:
        found = corpus_statistics(islice(read_some(path), limit or None), advance)
    if not quiet:
        ours, theirs = _corpus(found), _corpus(PAPER)
        rows = [(name, ours.get(name, "0"), theirs[name]) for name in theirs]
        table("Corpus", ("", "ours", "paper"), rows)
    return {"corpus": found.to_json(), "paper_corpus": PAPER.to_json()}


def _corpus(found: CorpusStatistics) -> dict[str, str]:
    """Return the rows of the paper's two tables."""
    per = found.codes_per_patent
    figures = {
        "patents": f"{found.patents:,}",
        "filed": "–".join(found.filed),
        "IPC subclasses": f"{found.subclasses:,}",
        "IPC codes": f"{found.codes:,}",
        "IPC codes per patent, mean / median": f"{per.mean:.1f} / {per.median:g}",
    }
    for part, length in found.lengths.items():
        title = f"characters of the {part}, mean / median"
        figures[title] = f"{length.mean:,.0f} / {length.median:,.0f}"
    total = max(1, sum(found.sections.values()))
    for section, count in found.sections.items():
        figures[f"section {section}"] = f"{count:,} ({count / total:.1%})"
    return figures


def _graphs(
    graphs: Path, plot: Path | None, seed: int, limit: int, *, quiet: bool
) -> dict[str, Any]:
    from phage.errors import PhageError
    from phage.graph.files import read_graphs
    from phage.graph.paper import PAPER
    from phage.graph.statistics import Tally, statistics
    from phage.terminal import messages, progress

    tally = Tally(seed)
    with progress("counting", unit="graphs") as advance:
        for graph in islice(read_graphs(graphs), limit or None):
            tally.add(graph)
            advance()
    if not tally.rows:
        raise PhageError(f"{graphs} holds no graphs", remedy="run 'phage graph' on patents first")
    found = statistics(tally)
    if plot:
        from phage.graph.plot import plot as draw

        draw(tally, found, plot)
        messages.print(f"distributions: {plot}")
    if not quiet:
        _tables(found, PAPER)
    paper = {name: value for name, value in PAPER.to_json().items() if name != "kinds"}
    return {**found.to_json(), "paper": _finite(paper)}


def _tables(found: Statistics, paper: Statistics) -> None:
    from phage.terminal import table

    rows = []
    for name, title in _ROWS.items():
        a, b = found.basic[name], paper.basic[name]
        rows.append(
            (title, f"{a.mean:.2f}", f"{b.mean:.2f}", f"{a.std:.2f}", f"{b.std:.2f}",
             f"{a.median:.2f}", f"{b.median:.2f}", _range(a), _range(b))
        )  # fmt: skip
    columns = ("", "mean", "paper", "std", "paper", "med.", "paper", "range", "paper")
    table(f"{found.patents:,} patents (paper: {paper.patents:,})", columns, rows)
    shares = []
    for name, a_share in found.relations.items():
        b_share = paper.relations[name]
        shares.append(
            (name, f"{a_share.count:,}", f"{a_share.share:.1%}", f"{b_share.share:.1%}",
             f"{a_share.mean:.2f}", f"{b_share.mean:.2f}",
             f"{a_share.presence:.1%}", f"{b_share.presence:.1%}")
        )  # fmt: skip
    heads = ("relation", "edges", "share", "paper", "per patent", "paper", "presence", "paper")
    table("Edges by relation", heads, shares)
    ours, theirs = found.boundary, paper.boundary
    table(
        "Boundary cases, share of patents",
        ("", "ours", "paper"),
        [
            (title, f"{getattr(ours, name):.1%}", f"{getattr(theirs, name):.1%}")
            for name, title in _BOUNDARY.items()
        ],
    )
    if found.kinds:
        kinds = [(name, f"{count:,}") for name, count in found.kinds.items()]
        table("Cite edges by meaning", ("", "edges"), kinds)


def _range(spread: Spread) -> str:
    if isnan(spread.high):
        return ""  # the paper gives none
    top = f"{spread.high:,.0f}" if spread.high >= 10 else f"{spread.high:.2g}"
    return f"{spread.low:.2g}–{top}"


def _finite(value: object) -> object:
    """Put null where the paper gives no figure: NaN is not JSON."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    return None if isinstance(value, float) and isnan(value) else value

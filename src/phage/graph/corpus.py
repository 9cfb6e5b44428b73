"""Claim graphs of a corpus: the job that ``phage graph`` runs.

In:   patents as a stream, GraphSettings and the output's name.
Out:  a Job for ``phage.scale``: rows of graphs.parquet or lines of graphs.jsonl.
Why:  the same function builds a hundred graphs here and a million on a cluster."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from phage.claims.types import Claim, Patent
from phage.errors import PhageError
from phage.graph.build import build_graph
from phage.graph.files import graph_table
from phage.graph.types import ClaimGraph, GraphSettings
from phage.scale import Job, Part, join_lines, join_parquet, to_ipc

Slim = tuple[str, str, tuple[int, ...], tuple[tuple[int, str], ...]]
"""Number, language, cancelled, claims: all that a graph needs, cheap to send to a worker."""

_JOINS = {".parquet": join_parquet, ".jsonl": join_lines}


def slim(patent: Patent) -> Slim:
    """Leave out of a patent what its graph does not need."""
    claims = tuple((claim.number, claim.text) for claim in patent.claims)
    return patent.number, patent.language, patent.cancelled, claims


def graphs_job(
    out: Path, settings: GraphSettings, sources: Sequence[Any] = (), strict: bool = False
) -> Job[Slim]:
    """Describe the run that writes the graphs of a corpus to ``out``."""
    if out.suffix not in _JOINS:
        raise PhageError(
            f"cannot tell the format of {out.name}",
            remedy="name the output graphs.parquet or graphs.jsonl",
        )
    if settings.parser == "spacy":
        from phage.language.en.dependency import load_parser

        load_parser()  # a missing package is reported now, not once per patent
    return Job(
        work=partial(build_part, settings=settings, suffix=out.suffix, strict=strict),
        join=_JOINS[out.suffix],
        settings={"graphs": asdict(settings), "sources": list(sources)},
    )


def build_part(items: Sequence[Slim], settings: GraphSettings, suffix: str, strict: bool) -> Part:
    """Build the graphs of one chunk; a patent whose language is unknown is noted and left out."""
    graphs: list[ClaimGraph] = []
    notes: list[str] = []
    with _uncollected():
        for number, language, cancelled, claims in items:
            patent = Patent(
                number,
                tuple(Claim(place, text) for place, text in claims),
                language=language,
                cancelled=cancelled,
            )
            try:
                graphs.append(build_graph(patent, settings))
            except PhageError as error:
                if strict:
                    raise
                notes.append(f"{number}: {error.message}")
    rows = [graph.to_json() for graph in graphs]
    if suffix == ".parquet":
        data = to_ipc(graph_table(rows))
    else:
        data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    counts = Counter(str(edge.relation) for graph in graphs for edge in graph.edges)
    return Part(data, {"graphs": len(graphs), "skipped": len(notes), **counts}, tuple(notes))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let the collector rest: a graph has no circles, and it would only look at what is alive."""
    works = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if works:
            gc.enable()

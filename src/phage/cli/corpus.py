"""``phage demo-corpus``: fictional patents with their true graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo_corpus(
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Where to write: .jsonl, one patent per line.")
    ],
    count: Annotated[int, typer.Option("-n", "--count", min=1, help="How many patents.")] = 400,
    seed: Annotated[int, typer.Option(help="The same seed gives the same corpus.")] = 7,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Write a fictional corpus: 24 IPC subclasses of all eight sections, written by the project.

    Each line is a patent in PHAGE's own schema with two more keys: ``graph``, its true claim
    graph, and ``ingredients``, the mentions and components it follows from.

    Example: phage demo-corpus -n 400 -o corpus.jsonl --seed 7
    """
    from collections import Counter
    from collections.abc import Iterator
    from typing import Any

    from phage.invented import invent
    from phage.storage import write_lines
    from phage.terminal import emit_json, output, progress

    seen: Counter[str] = Counter()
    subclasses: set[str] = set()

    def rows() -> Iterator[dict[str, Any]]:
        with progress("inventing", count, "patents") as advance:
            for invention in invent(count, seed):
                row = invention.to_json()
                seen.update(claims=len(row["claims"]), citations=len(row["citations"]))
                seen.update(edge["relation"] for edge in row["graph"]["edges"])
                subclasses.add(invention.patent.subclass)
                advance()
                yield row

    written = write_lines(out, rows())
    summary = {"patents": written, "subclasses": len(subclasses), **seen, "out": str(out)}
    if json:
        emit_json(summary)
        return
    output.print(
        f"{out}: {written:,} fictional patents with {seen['claims']:,} claims "
        f"in {len(subclasses)} IPC subclasses"
    )

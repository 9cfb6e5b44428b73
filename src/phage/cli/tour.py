"""``phage tour``: the main steps once, with what each does and what to look at."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from phage.claims import Patent

DRAFT = """\
1. A centrifugal pump comprising: a housing; a shaft carried in the housing; and an impeller mounted \
on the shaft.
2. The pump of claim 1, further comprising a mechanical seal.
3. The pump of claim 2, wherein the mechanical seal comprises a spring.
4. The pump of claim 1, wherein the spring is supported by a collar.
5. The pump of claim 9, wherein the impeller has curved vanes.
"""
"""Claim 4 mentions a spring that claim 1 does not have. Claim 5 depends on a claim that does not exist."""


def tour(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the results.")] = Path(
        "phage-tour"
    ),
    count: Annotated[int, typer.Option("-n", "--count", min=5, help="Fictional patents.")] = 24,
) -> None:
    """Read, graph, check, index and search once, on a draft of five claims and on fictional patents.

    Each step says what it does, does it, and names the command for your own files. It takes a few
    seconds on two free processor cores; nothing is downloaded.

    Example: phage tour
    """
    from phage.storage import alone
    from phage.terminal import output

    begun = time.monotonic()
    patents = _invented(count)
    with alone(out, out / ".lock"):
        (out / "draft.txt").write_text(DRAFT, encoding="utf-8")
        for place, (title, step, command) in enumerate(_STEPS, start=1):
            output.print(f"\n{place} · {title}", style="bold cyan")
            step(out, patents)
            output.print(f"  your files: {command.format(out=out)}", style="dim", highlight=False)
    output.print(f"\nDone in {time.monotonic() - begun:.0f} s. Open {out}/graph.svg in a browser.")
    output.print("Next: phage check draft.docx, phage serve, or phage --help.", highlight=False)


def _invented(count: int) -> list[Patent]:
    from phage.invented import invent

    return [invention.patent for invention in invent(count)]


def _draft() -> Patent:
    from phage.claims.readers.draft import patent

    return patent(DRAFT, "draft")


def _read(out: Path, patents: list[Patent]) -> None:
    from phage.claims import write
    from phage.terminal import output

    write(patents, out / "patents.parquet")
    claims = sum(len(patent.claims) for patent in patents)
    output.print(f"{out}/patents.parquet: {len(patents)} patents with {claims} claims")


def _graph(out: Path, patents: list[Patent]) -> None:
    from phage.graph import build_graph
    from phage.graph.draw import draw
    from phage.graph.drawing.outline import outline
    from phage.terminal import output

    draft = _draft()
    graph = build_graph(draft)
    for line in outline(graph, draft, min(100, output.width)):
        output.print(line)
    draw(graph, out / "graph.svg", draft)


def _check(out: Path, patents: list[Patent]) -> None:
    from phage.checking import check
    from phage.terminal import output

    for finding in check(_draft()).findings:
        output.print(f"  {finding.severity}: {finding.message}", highlight=False)


def _index(out: Path, patents: list[Patent]) -> None:
    from phage.encoder import Encoder
    from phage.searching.index import Index
    from phage.terminal import output, progress

    encoder = Encoder.from_pretrained("phage-mini")
    index = Index.create(out / "my.index", encoder)
    with progress("index", len(patents), "patents") as advance:
        index.add(patents, encoder, advance)
    index.finish()
    output.print(f"{out}/my.index: {len(index)} patents, a vector for each and for every claim")


def _search(out: Path, patents: list[Patent]) -> None:
    from phage.api import search
    from phage.terminal import output

    for hit in search(out / "my.index", _draft(), top=3):
        output.print(f"  {hit.number}  {hit.score:.2f}  {hit.title}", highlight=False)
        if hit.match:
            pair = f"        your claim {hit.match.query_claim} ~ claim {hit.match.claim}"
            output.print(f"{pair}: {hit.match.text[:70]} …", style="dim", highlight=False)


_STEPS: tuple[tuple[str, Callable[[Path, list[Patent]], None], str], ...] = (
    ("Read: patents of any office, or your own table, become one file.", _read,
     "phage read own.csv weekly.zip -o patents.parquet"),
    ("Graph: each claim of a draft, linked to earlier claims. ← marks links without a reference.", _graph,
     "phage show draft.docx"),
    ("Check: the draft has two errors.", _check, "phage check draft.docx"),
    ("Index: a small model reads every patent and every claim.", _index,
     "phage index patents.parquet -o my.index"),
    ("Search: the patents most similar to the draft, each with the pair of claims that match best.", _search,
     'phage search {out}/my.index "a pump with a sealed shaft"'),
)  # fmt: skip
"""What a step does, the step, and its command."""

"""``phage average``: trained seeds → one model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from phage.cli.options import AsJson, apart


def average(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs that differ in train.seed alone.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for the model.")],
    first: Annotated[
        Path | None, typer.Option(help="The backbone that the runs started from, mixed in.")
    ] = None,
    share: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="With --first: share of the trained weights.")
    ] = 0.85,
    half: Annotated[bool, typer.Option("--half", help="Store weights in 16 bits.")] = False,
    languages: Annotated[
        list[str] | None,
        typer.Option("--language", help="A language the model knows, as en; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Average the weights of several runs, and of the weights they started from.

    With --language the folder names the languages that the model knows. Texts in other languages
    then give a warning.

    Example: phage average runs/seed-1 runs/seed-2 --first runs/phage-mini/base --share 0.85 -o OUT
    """
    from phage.terminal import emit_json, messages, readable_size
    from phage.training.averaging import average_runs

    apart(out, *runs, first)
    place = average_runs(runs, out, first, share, half=half, languages=languages or ())
    size = (place / "model.safetensors").stat().st_size
    if as_json:
        emit_json({"folder": str(place), "runs": len(runs), "bytes": size})
        return
    messages.print(f"{place}: the mean of {len(runs)} runs, {readable_size(size)}")

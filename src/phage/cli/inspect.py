"""``phage inspect``: what a run learned beside the backbone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def inspect(
    folder: Annotated[Path, typer.Argument(help="A folder written by phage train, or phage-mini.")],
    plot: Annotated[
        Path | None, typer.Option("--plot", "-p", help="Draw the biases as a heat map (png, svg).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print the learned attention biases per layer and the claim-loss weights.

    The two tables of the paper's appendix on learned parameters; every value starts at ln 2,
    0.6931. Layers are grouped as the paper groups its 24: the first ten and the last six.

    Example: phage inspect runs/phage-mini --plot bias.png
    """
    from phage import terminal
    from phage.encoder.loading import embedded
    from phage.training.inspect import BIASES, WEIGHTS, heat_map, read, softplus

    learned = read(folder if folder.is_dir() else embedded(folder) or folder)
    if plot is not None:
        heat_map(learned, plot)
    if as_json:
        terminal.emit_json(learned.to_json())
        return
    if learned.bias is not None:
        rows = [[str(layer), *map(_short, row)] for layer, row in enumerate(learned.biases())]
        rows += [[f"mean {name}", *map(_short, row)] for name, row in learned.groups().items()]
        terminal.table("Attention biases b = softplus(b̃)", ["layer", *BIASES], rows)
    else:
        terminal.messages.print("this model was trained without a graph in attention: no biases")
    if learned.weights is not None:
        pairs = zip(WEIGHTS, learned.weights.tolist(), strict=True)
        weights = [[name, f"{raw:.4f}", f"{float(softplus(raw)):.4f}"] for name, raw in pairs]
        terminal.table("Claim-loss weights", ["relation", "w̃", "w = softplus(w̃)"], weights)
    else:
        terminal.messages.print("this model was trained without a claim loss: no weights")


def _short(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")

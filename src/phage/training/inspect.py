"""What a run learned besides the backbone: 5 biases per layer and 4 weights.

In:   a checkpoint folder.
Out:  the paper's two tables, with group means, and a heat map.
Why:  appendix F of the paper interprets its model by these numbers; anyone should be able to."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.extras import require
from phage.storage import atomic, picture_ending, readable
from phage.training.recipe import RELATION_NAMES

WEIGHTS = RELATION_NAMES
BIASES = ("self", *WEIGHTS)
START = math.log(2)
"""The starting value of all of them: softplus(0)."""


@dataclass(frozen=True, eq=False)
class Learned:
    """Raw relation parameters; absent if the recipe does not learn them."""

    bias: NDArray[np.float32] | None
    """(L, 5)."""
    weights: NDArray[np.float32] | None
    """(4,)."""

    def biases(self) -> NDArray[np.float64]:
        """Return b = softplus(b̃) per layer."""
        return softplus(self.bias if self.bias is not None else np.empty((0, len(BIASES))))

    def groups(self) -> dict[str, NDArray[np.float64]]:
        """Average b over the lower and the upper layers, as the paper groups its 24.

        >>> list(Learned(np.zeros((24, 5), np.float32), None).groups())
        ['0–9', '18–23']
        >>> list(Learned(np.zeros((6, 5), np.float32), None).groups())
        ['0–1', '4–5']
        """
        values = self.biases()
        layers = len(values)
        if layers < 2:
            return {}
        # The paper's cut in 24: the first ten and the last six.
        low = max(1, int(layers * 10 / 24))
        high = layers - max(1, round(layers * 6 / 24))
        parts = {(0, low): values[:low], (high, layers): values[high:]}
        return {_span(*key): part.mean(0) for key, part in parts.items()}

    def to_json(self) -> dict[str, object]:
        """Return everything as JSON values."""
        raw = self.weights
        return {
            "bias": [dict(zip(BIASES, row, strict=True)) for row in self.biases().tolist()],
            "groups": {
                name: dict(zip(BIASES, row.tolist(), strict=True))
                for name, row in self.groups().items()
            },
            "weights": {
                name: {"raw": float(value), "weight": float(softplus(value))}
                for name, value in zip(WEIGHTS, raw if raw is not None else (), strict=False)
            },
        }


def read(folder: Path | str) -> Learned:
    """Read the relation parameters of a checkpoint folder, or of a run's newest checkpoint."""
    from safetensors.numpy import load_file

    path = Path(folder) / "relations.safetensors"
    if not path.is_file():  # a run that has not ended yet: what it has learned so far
        path = max(Path(folder).glob(f"checkpoints/step-*/{path.name}"), default=path)
    if not path.is_file():
        raise PhageError(
            "this folder has no relation parameters",
            place=str(path), remedy="give a folder written by `phage train`",
        )  # fmt: skip
    with readable(path):
        stored = load_file(path)
        if not all(np.isfinite(value).all() for value in stored.values()):
            raise ValueError("some parameters are not finite")
    return Learned(stored.get("bias"), stored.get("weights"))


def softplus(raw: NDArray[np.floating] | float) -> NDArray[np.float64]:
    """Return log(1 + exp(x)).

    >>> round(float(softplus(0.0)), 4)
    0.6931
    """
    return np.logaddexp(0.0, np.asarray(raw, dtype=np.float64))


def heat_map(learned: Learned, path: Path | str) -> None:
    """Draw b per layer and relation, as the difference from its start."""
    ending = picture_ending(path)
    plots = require("matplotlib.figure", extra="draw")
    values = learned.biases() - START  # (L, 5)
    if not len(values):
        raise PhageError("this model learned no biases, so there is nothing to draw")
    reach = max(float(np.abs(values).max()), 1e-6)
    figure = plots.Figure(figsize=(5.2, 1.6 + 0.26 * len(values)), layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(values, cmap="RdBu_r", vmin=-reach, vmax=reach, aspect="auto")
    axes.set_xticks(range(len(BIASES)), BIASES)
    axes.set_yticks(range(len(values)))
    axes.set_ylabel("layer")
    axes.set_title("Learned attention bias b − ln 2")
    for (layer, column), value in np.ndenumerate(learned.biases()):
        dark = abs(value - START) > 0.6 * reach
        axes.text(
            column, layer, f"{value:.4f}".removeprefix("0"), ha="center", va="center", fontsize=7,
            color="white" if dark else "black",
        )  # fmt: skip
    figure.colorbar(image, ax=axes, shrink=0.8)
    with atomic(path) as partial:
        figure.savefig(partial, format=ending, dpi=150)


def _span(start: int, end: int) -> str:
    return f"{start}–{end - 1}" if end - start > 1 else str(start)

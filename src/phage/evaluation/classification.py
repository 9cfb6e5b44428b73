"""A linear probe on frozen vectors.

In:   vectors, labels (one or several per document) and a split.
Out:  predictions on the test part per run, and their F1 scores.
Why:  the paper's first task: what a single linear layer can read off a vector says what the
      encoder put there. One torch loop for both kinds of labels, on GPU where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.extras import require

MEASURES = ("micro_f1", "macro_f1")
NOTHING_LEFT = 0.01
"""Validation loss under which hardly an answer can still change."""
LEVELS = {"section": 1, "class": 3, "subclass": 4}
"""Characters of each IPC or CPC level above the group."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """How the layer is fitted; the same for every model, so that no model is favoured."""

    epochs: int = 1000
    """At most; small training parts have few steps in each."""
    patience: int = 10
    """Epochs without a lower validation loss after which it stops; the best one counts."""
    batch: int = 128
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    """AdamW's, decoupled. docs/decisions.md says how rate and decay were chosen."""
    threshold: float = 0.5
    """Probability from which one of several labels is given."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Vectors and labels of one part of the split."""

    vectors: NDArray[np.float32]
    labels: NDArray[np.int64]
    """(R,) classes, or (R, C) of 0 and 1."""


def probe(
    train: Labelled,
    validation: Labelled,
    test: Labelled,
    seed: int,
    settings: ProbeSettings | None = None,
    device: str | None = None,
) -> NDArray[np.int64]:
    """Fit on train, stop by validation, predict test: classes (R,) or marks (R, C).

    Features are standardised by the training part. A run differs from another in the first
    weights and the order of batches.
    """
    settings = settings or ProbeSettings()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    generator = torch.Generator().manual_seed(seed)
    mean, deviation = train.vectors.mean(0), train.vectors.std(0)
    deviation[deviation < 1e-6] = 1.0  # some encoders have dimensions that never change

    def features(part: Labelled) -> Tensor:
        return torch.as_tensor((part.vectors - mean) / deviation, dtype=torch.float32).to(device)

    x, y = features(train), torch.as_tensor(train.labels).to(device)
    known = _known(validation, train)
    held, answers = (
        features(validation)[known],
        torch.as_tensor(validation.labels).to(device)[known],
    )
    layer = _layer(x.shape[1], _width(train, validation, test), generator).to(device)
    optimiser = torch.optim.AdamW(
        layer.parameters(), lr=settings.learning_rate, weight_decay=settings.weight_decay
    )
    best, best_state, waited = float("inf"), layer.state_dict(), 0
    for _ in range(settings.epochs):
        order = torch.randperm(len(x), generator=generator).to(device)
        for rows in torch.split(order, settings.batch):
            optimiser.zero_grad()
            _loss(layer(x[rows]), y[rows]).backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        with torch.inference_mode():
            loss = _loss(layer(held), answers).item()
        if loss < best:
            best, waited = loss, 0
            best_state = {name: value.clone() for name, value in layer.state_dict().items()}
        elif (waited := waited + 1) >= settings.patience:
            break
        if best < NOTHING_LEFT:
            break
    layer.load_state_dict(best_state)
    return _predict(layer, features(test), train.labels.ndim, settings.threshold)


def f1(truth: NDArray[np.int64], predicted: NDArray[np.int64]) -> dict[str, float]:
    """Return micro- and macro-F1 as scikit-learn does; a class never predicted counts as 0.

    >>> f1(np.array([0, 0, 1, 2]), np.array([0, 0, 1, 1]))
    {'micro_f1': 0.75, 'macro_f1': 0.5555555555555555}
    """
    score: Any = require("sklearn.metrics", extra="eval").f1_score
    return {
        f"{kind}_f1": float(score(truth, predicted, average=kind, zero_division=0))
        for kind in ("micro", "macro")
    }


def expand(
    marks: NDArray[np.int64], classes: NDArray[np.str_]
) -> tuple[NDArray[np.int64], NDArray[np.str_]]:
    """Add to each label its class and section, as USPTO-70k's authors score hierarchies.

    >>> wide, names = expand(np.array([[1, 0]]), np.array(["H04L", "G06F"]))
    >>> wide.tolist(), names.tolist()
    ([[0, 0, 0, 1, 1, 1]], ['G', 'G06', 'G06F', 'H', 'H04', 'H04L'])
    """
    names = sorted({name[:cut] for name in classes for cut in LEVELS.values()})
    place = {name: index for index, name in enumerate(names)}
    up = np.zeros((len(classes), len(names)), dtype=np.int64)  # label → itself and what is above
    for row, name in enumerate(classes):
        up[row, [place[name[:cut]] for cut in LEVELS.values()]] = 1
    return (marks @ up > 0).astype(np.int64), np.array(names)


def _layer(wide: int, classes: int, generator: torch.Generator) -> torch.nn.Linear:
    layer = torch.nn.Linear(wide, classes)
    torch.nn.init.normal_(layer.weight, std=0.01, generator=generator)
    torch.nn.init.zeros_(layer.bias)
    return layer


def _width(*parts: Labelled) -> int:
    """Classes in any part; one that training lacks can be right only by chance."""
    if parts[0].labels.ndim == 2:
        return int(parts[0].labels.shape[1])
    return 1 + max(int(part.labels.max(initial=0)) for part in parts)


def _known(validation: Labelled, train: Labelled) -> Tensor:
    """Leave out documents of a class training lacks: their loss only grows."""
    if validation.labels.ndim == 2:
        return torch.ones(len(validation.labels), dtype=torch.bool)
    return torch.as_tensor(np.isin(validation.labels, train.labels))


def _loss(logits: Tensor, labels: Tensor) -> Tensor:
    if labels.ndim == 1:
        return torch.nn.functional.cross_entropy(logits, labels)
    # Summed over labels: a mean would shrink the step with the number of classes.
    losses = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, labels.to(logits.dtype), reduction="none"
    )
    return losses.sum(1).mean()


@torch.inference_mode()
def _predict(layer: torch.nn.Linear, x: Tensor, ndim: int, threshold: float) -> NDArray[np.int64]:
    logits = layer(x)
    chosen = logits.argmax(1) if ndim == 1 else (logits.sigmoid() >= threshold).long()
    predicted: NDArray[np.int64] = chosen.cpu().numpy()
    return predicted

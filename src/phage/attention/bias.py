"""The relation-aware biases of one layer.

In:   five raw scalars that start at zero.
Out:  five positive biases: self, cite, term, func, both.
Why:  softplus keeps them positive, zeros make all relations start alike at ln 2."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from phage.attention.engine import Engine
from phage.attention.guidance import BIASES


class RelationBias(nn.Module):
    """Five raw scalars of one layer; calling it gives the effective ones.

    >>> [round(value, 4) for value in RelationBias()().tolist()]  # ln 2
    [0.6931, 0.6931, 0.6931, 0.6931, 0.6931]
    """

    def __init__(
        self,
        window: int | None = None,
        dropout: float | None = None,
        engine: Engine | str = Engine.AUTO,
    ) -> None:
        """Start at zero; ``window``, ``dropout`` and ``engine`` are how its layer attends."""
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(BIASES, dtype=torch.float32))
        self.window = window
        self.dropout = dropout
        self.engine = str(Engine(engine))

    def forward(self) -> Tensor:
        """Return (5,) in full precision, also under autocast."""
        with torch.autocast(self.raw.device.type, enabled=False):
            return nn.functional.softplus(self.raw)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> RelationBias:
        # bf16 has steps of 0.0039 near ln 2, more than the relations differ by after training:
        # ``model.to(torch.bfloat16)`` moves these five along, but leaves them in float32.
        def keep_precision(tensor: Tensor) -> Tensor:
            moved = fn(tensor)
            if moved.dtype in (torch.float32, torch.float64):
                return moved
            return tensor.to(device=moved.device)

        super()._apply(keep_precision, recurse)  # type: ignore[no-untyped-call]
        return self

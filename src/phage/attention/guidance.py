"""The claim graph of a batch, as attention needs it.

In:   per patent, the claim of each token and the relation table of its claims.
Out:  Guidance: node ids (B, T), codes (B, N, N), open flags (B,); built once, moved once,
      shared by all layers.
Why:  mask and bias depend only on (node of query, node of key). With [CLS] as a node of its own the
      paper's four mask cases, in their order, are one table look-up:

      ===========  =====================================================================
      row [CLS]    FREE to every node of its own patent (case 1; bias zero)
      column [CLS] CLOSED for every other query (case 2)
      diagonal     SELF (case 3, same claim)
      edge j → i   CITE, TERM, FUNC or BOTH at [i, j] (case 3, connected)
      the rest     CLOSED (case 4)
      open patent  FREE everywhere, [CLS] column too: plain attention
      padding      node -1: sees nothing and is seen by nothing
      ===========  =====================================================================

      Several patents packed into one row are more nodes that are not connected; each keeps its own
      [CLS] node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import torch
from torch import Tensor


class Code(IntEnum):
    """What a query node may do with a key node; 0 to 4 index the five biases of a layer."""

    CLOSED = -1
    SELF = 0
    CITE = 1
    TERM = 2
    FUNC = 3
    BOTH = 4
    FREE = 5
    """Open, with bias zero."""


BIASES = 5
"""Learned biases per layer: self, cite, term, func, both."""


@dataclass(frozen=True)
class Guidance:
    """Node ids and relation codes of one batch."""

    nodes: Tensor
    """(B, T) int32; -1 is padding."""
    table: Tensor
    """(B, N, N) int8; ``table[b, i, j]`` is the Code of query node i and key node j."""
    open: Tensor
    """(B,) bool; rows in which every patent is unguided: their codes are FREE or CLOSED alone. A
    hint, for engines that can do such rows faster; the codes decide."""
    slots: int | None = None
    """``tiles.slot_count`` of the nodes, counted before they move: asking a GPU would stop it."""
    plans: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    """The kernel's tile plans of this batch, made once and shared by all layers (``tiles``)."""

    def __post_init__(self) -> None:
        """Begin without plans: those of a copy (``dataclasses.replace``) may be of another table."""
        object.__setattr__(self, "plans", {})

    @classmethod
    def plain(cls, batch: int, tokens: int, device: torch.device | str = "cpu") -> Guidance:
        """Return the guidance that guides nothing: one open node for all tokens."""
        return cls(
            torch.zeros(batch, tokens, dtype=torch.int32, device=device),
            torch.full((batch, 1, 1), int(Code.FREE), dtype=torch.int8, device=device),
            torch.ones(batch, dtype=torch.bool, device=device),
        )

    def to(self, device: torch.device | str, *, non_blocking: bool = True) -> Guidance:
        """Move all of it, plans too, without waiting where the device allows."""
        return self._moved(lambda part: part.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Guidance:
        """Serve ``DataLoader(pin_memory=True)``."""
        return self._moved(Tensor.pin_memory)

    def _moved(self, move: Callable[[Tensor], Tensor]) -> Guidance:
        moved = Guidance(move(self.nodes), move(self.table), move(self.open), self.slots)
        moved.plans.update({key: made.moved(move) for key, made in self.plans.items()})
        return moved

    def codes(self) -> Tensor:
        """Spell out the code of every token pair: (B, T, T) int8. Quadratic; see the kernel."""
        batch = torch.arange(self.nodes.shape[0], device=self.nodes.device)[:, None, None]
        held = self.nodes.clamp_min(0).long()  # (B, T)
        codes = self.table[batch, held[:, :, None], held[:, None, :]]  # (B, T, T)
        real = self.nodes >= 0
        both = real[:, :, None] & real[:, None, :]
        return torch.where(both, codes, codes.new_full((), Code.CLOSED))


@dataclass(frozen=True, slots=True)
class Settings:
    """What a layer asks of its attention besides the graph."""

    scale: float
    """Factor of the dot products; 1 / √D."""
    window: int | None = None
    """Local layers: keys further than this from the query are closed as well."""
    dropout: float = 0.0
    """Share of the probabilities that are dropped in training."""
    seed: Tensor | None = None
    """() int64 on the CPU; decides which. Needed when ``dropout`` is not zero."""

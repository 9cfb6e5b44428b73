"""Projections → the tensors of one training batch.

In:   projections; which of them share a row.
Out:  Batch: input ids, attention mask, positions (packed rows), Guidance, and where each patent's
      [CLS] and claims went.
Why:  packing is invisible to the losses: they ask the Batch for document and claim vectors.

>>> batch = collate(projections, Layout.of(model, tokenizer))     # doctest: +SKIP
>>> hidden = model(**batch.inputs()).last_hidden_state            # doctest: +SKIP
>>> batch.documents(hidden), batch.claims(hidden)                 # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.attention.guidance import Code, Guidance
from phage.attention.packing import pack
from phage.attention.tiles import slot_count
from phage.claims.window import OFFSET_POSITIONS
from phage.errors import PhageError
from phage.projection import Projection


@dataclass(frozen=True, slots=True)
class Layout:
    """How projections become rows, for one model."""

    pad: int
    """Token id of padding."""
    first_position: int = 0
    """Position id of a patent's [CLS]: 0, but padding id + 1 in the RoBERTa family."""
    row: int | None = None
    """Pack whole patents into rows of this many tokens; None: one patent per row."""
    multiple: int = 1
    """Round the row length up to a multiple of this."""
    nodes: int = 1
    """Round the number of nodes up to a multiple of this."""

    @classmethod
    def of(cls, model: Any, tokenizer: Any, **more: Any) -> Layout:  # noqa: ANN401
        """Take padding and first position from the model; the rest by name."""
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        shifted = model.config.model_type in OFFSET_POSITIONS
        return cls(pad, (model.config.pad_token_id + 1) if shifted else 0, **more)


@dataclass(frozen=True)
class Batch:
    """P patents in B rows of T tokens and N nodes."""

    input_ids: Tensor
    """(B, T) int64."""
    attention_mask: Tensor
    """(B, T) int64; 0 is padding."""
    position_ids: Tensor | None
    """(B, T) int64, restarting with each patent; None when every row holds one patent."""
    guidance: Guidance
    cls: Tensor
    """(P, 2) int64: row and column of each patent's [CLS], in the order of the projections."""
    owner: Tensor
    """(B, N) int64: the patent of each node, -1 for none. A patent's first node is its [CLS]."""
    full: bool = False
    """Known to hold no padding. Stock models would ask the device."""

    def inputs(self, *, guided: bool = True) -> dict[str, Any]:
        """Return the model's keyword arguments; unguided, each patent attends to all of itself.

        An unguided row with one patent goes to the stock model. A packed row still needs guidance to
        keep its patents apart; all pairs inside a patent are then open.
        """
        mask = None if self.full else self.attention_mask
        given: dict[str, Any] = {"input_ids": self.input_ids, "attention_mask": mask}
        if self.position_ids is not None:
            given["position_ids"] = self.position_ids
        if guided:
            given["guidance"] = self.guidance
        elif self.position_ids is not None:
            given["guidance"] = self.opened()
        return given

    def opened(self) -> Guidance:
        """Return the guidance under which every patent is open."""
        same = (self.owner[:, :, None] == self.owner[:, None, :]) & (self.owner >= 0)[:, :, None]
        codes = torch.where(same, int(Code.FREE), int(Code.CLOSED)).to(torch.int8)
        return replace(self.guidance, table=codes, open=torch.ones_like(self.guidance.open))

    def documents(self, hidden: Tensor) -> Tensor:
        """Pick the [CLS] vector of every patent: (B, T, D) → (P, D)."""
        return hidden[self.cls[:, 0], self.cls[:, 1]]

    def means(self, hidden: Tensor) -> Tensor:
        """Average all tokens of every patent, [CLS] and [SEP] too: (B, T, D) → (P, D)."""
        if self.position_ids is not None:
            raise PhageError("mean pooling needs one patent per row", remedy="leave --pack out")
        mask = self.attention_mask[:, :, None].to(hidden.dtype)
        return (hidden * mask).sum(1) / mask.sum(1)

    def claims(self, hidden: Tensor) -> Tensor:
        """Average the tokens of every node: (B, T, D) → (B, N, D); empty nodes give zeros.

        A claim's row is the mean over its tokens. ``owner`` names the patent of each
        row; ``guidance.table`` holds the edges between them (1 to 4).
        """
        count = self.owner.shape[1]
        ids = torch.arange(count, device=hidden.device)
        member = (self.guidance.nodes[:, None, :] == ids[None, :, None]).to(hidden.dtype)
        size = member.sum(-1, keepdim=True).clamp_min(1)
        return (member @ hidden) / size  # a product, not a scatter: same bits in every run

    def to(self, device: torch.device | str, *, non_blocking: bool = True) -> Batch:
        """Move all of it at once."""
        return self._each(lambda part: part.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Batch:
        """Serve ``DataLoader(pin_memory=True)``."""
        return self._each(lambda part: part.pin_memory())

    def _each(self, change: Callable[[Any], Any]) -> Batch:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = {
            name: change(value)
            for name, value in values.items()
            if isinstance(value, Tensor | Guidance)
        }
        return replace(self, **parts)


def collate(projections: Sequence[Projection], layout: Layout) -> Batch:
    """Lay projections out as rows: one each, or packed."""
    lengths = [len(projection) for projection in projections]
    rows = [[index] for index in range(len(projections))]
    if layout.row is not None:
        rows = pack(lengths, layout.row)
    widest = max(sum(lengths[index] for index in row) for row in rows)
    width = -(-widest // layout.multiple) * layout.multiple
    most = max(sum(1 + len(projections[i].numbers) for i in row) for row in rows)
    count = -(-most // layout.nodes) * layout.nodes

    # numpy, not torch: a thousand rows are laid out in milliseconds, one small write each.
    ids = np.full((len(rows), width), layout.pad, dtype=np.int64)
    positions = np.full((len(rows), width), layout.first_position, dtype=np.int64)
    nodes = np.full((len(rows), width), -1, dtype=np.int32)
    table = np.full((len(rows), count, count), int(Code.CLOSED), dtype=np.int8)
    owner = np.full((len(rows), count), -1, dtype=np.int64)
    cls = np.zeros((len(projections), 2), dtype=np.int64)
    for place, row in enumerate(rows):
        at = node = 0
        for index in row:
            one = projections[index]
            end, last = at + len(one), node + 1 + len(one.numbers)
            ids[place, at:end] = one.ids
            positions[place, at:end] += np.arange(len(one))
            nodes[place, at:end] = one.claims + (node + 1)  # [CLS]: -1 → node
            table[place, node:last, node:last] = node_table(one)
            owner[place, node:last] = index
            cls[index] = place, at
            at, node = end, last
    opened = torch.tensor([all(projections[index].open for index in row) for row in rows])
    tokens = torch.from_numpy(nodes)
    return Batch(
        input_ids=torch.from_numpy(ids),
        attention_mask=(tokens >= 0).long(),
        position_ids=torch.from_numpy(positions) if layout.row is not None else None,
        guidance=Guidance(tokens, torch.from_numpy(table), opened, slot_count(tokens)),
        cls=torch.from_numpy(cls),
        owner=torch.from_numpy(owner),
        full=bool((nodes >= 0).all()),
    )


def node_table(projection: Projection) -> NDArray[np.int8]:
    """Return one patent's codes (1 + n, 1 + n), [CLS] first: the paper's mask cases in their order.

    An open patent is FREE throughout.
    """
    size = 1 + len(projection.numbers)
    if projection.open:
        return np.full((size, size), int(Code.FREE), dtype=np.int8)
    codes = np.full((size, size), int(Code.CLOSED), dtype=np.int8)
    codes[1:, 1:] = np.where(projection.relations > 0, projection.relations, codes[1:, 1:])
    np.fill_diagonal(codes[1:, 1:], int(Code.SELF))
    codes[0] = int(Code.FREE)
    return codes

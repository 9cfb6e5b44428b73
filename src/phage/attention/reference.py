"""Guided attention as the paper writes it: section 3.2, one equation after the other.

In:   queries, keys, values (B, H, T, D); Guidance; the layer's five effective biases.
Out:  the attended values (B, H, T, D), differentiable by autograd.
Why:  the other engines are judged against this one, so it is written to be read, and runs in
      float64 when it is given float64."""

from __future__ import annotations

import torch
from torch import Tensor

from phage.attention.dropout import keep
from phage.attention.guidance import BIASES, Code, Guidance, Settings


def attend(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance | None, bias: Tensor, settings: Settings
) -> Tensor:
    """Attend under guidance; without it, plainly."""
    with torch.autocast(q.device.type, enabled=False):  # its products would be rounded
        return _attend(q, k, v, guidance, bias, settings)


def _attend(
    q: Tensor, k: Tensor, v: Tensor, guidance: Guidance | None, bias: Tensor, settings: Settings
) -> Tensor:
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    given, (q, k, v) = q.dtype, (tensor.to(wide) for tensor in (q, k, v))

    logits = (q @ k.mT) * settings.scale  # (B, H, T, T), eq. (5)
    mask, added = mask_and_bias(guidance, bias.to(wide), q, settings.window)  # (B, 1, T, T) each
    energy = logits + mask + added  # eq. (6)

    # A row without an open key has no distribution; it gives zeros (padding queries).
    dead = torch.isneginf(mask).all(-1, keepdim=True)  # (B, 1, T, 1)
    alpha = torch.softmax(energy.masked_fill(dead, 0.0), dim=-1)  # eq. (7)
    alpha = alpha.masked_fill(dead, 0.0)
    if settings.dropout:
        alpha = alpha * torch.stack([keep(settings, row, q[row]) for row in range(len(q))])
    return (alpha @ v).to(given)


def mask_and_bias(
    guidance: Guidance | None, bias: Tensor, q: Tensor, window: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return the connectivity mask C and the relation-aware bias B, (B, 1, T, T) each.

    The four cases of C, in their order, are already in the codes of the Guidance; see there.
    """
    batch, _, tokens, _ = q.shape
    codes = (
        torch.full((batch, tokens, tokens), int(Code.FREE), dtype=torch.int8, device=q.device)
        if guidance is None
        else guidance.codes()
    )[:, None]  # (B, 1, T, T)
    mask = torch.zeros_like(codes, dtype=q.dtype).masked_fill(codes == Code.CLOSED, -torch.inf)
    if window is not None:  # local layers: the window *and* the graph
        place = torch.arange(tokens, device=q.device)
        far = (place[:, None] - place[None, :]).abs() > window  # (T, T)
        mask = mask.masked_fill(far, -torch.inf)
    added = torch.zeros_like(mask)
    for code in range(BIASES):
        added = torch.where(codes == code, bias[code], added)  # eq. (11)
    return mask, added

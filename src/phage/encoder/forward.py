"""One forward pass of a stock model.

In:   token ids and their mask.
Out:  the last hidden states, or, where only [CLS] is wanted, its state alone.
Why:  in the last layer the other tokens serve [CLS] only as keys and values; their queries, outputs
      and feed-forward need not be computed. That is a seventh of a six-layer encoder's work."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from phage.encoder.settings import Pooling


def last_hidden(model: Any, ids: Tensor, mask: Tensor | None, *, first_only: bool) -> Tensor:  # noqa: ANN401
    """Give the last hidden states (B, T, D); with ``first_only`` a BERT gives (B, 1, D).

    ``mask`` is None where nothing is padded; attention then takes its fastest path.
    """
    if not first_only or model.config.model_type != "bert":
        hidden: Tensor = model(input_ids=ids, attention_mask=mask).last_hidden_state
        return hidden
    caught: list[Tensor] = []
    last = model.encoder.layer[-1]

    def catch(_module: object, inputs: tuple[Any, ...]) -> None:
        caught.append(inputs[0])
        raise _Reached

    handle = last.register_forward_pre_hook(catch)
    try:
        model(input_ids=ids, attention_mask=mask)
    except _Reached:
        pass
    finally:
        handle.remove()
    return _first_of_last_layer(last, caught[0], mask, model.config.num_attention_heads)


class _Reached(Exception):
    """The input of the last layer is known."""


def _first_of_last_layer(layer: Any, hidden: Tensor, mask: Tensor | None, heads: int) -> Tensor:  # noqa: ANN401
    batch, _, width = hidden.shape
    own, first = layer.attention.self, hidden[:, :1]

    def split(x: Tensor) -> Tensor:
        return x.view(batch, -1, heads, width // heads).transpose(1, 2)

    seen = None if mask is None else mask.bool()[:, None, None, :]
    attended = torch.nn.functional.scaled_dot_product_attention(
        split(own.query(first)), split(own.key(hidden)), split(own.value(hidden)), attn_mask=seen
    )
    merged = attended.transpose(1, 2).reshape(batch, 1, width)
    out: Tensor = layer.feed_forward_chunk(layer.attention.output(merged, first))
    return out


def pool(hidden: Tensor, mask: Tensor, pooling: Pooling) -> Tensor:
    """Pool token vectors (B, T, D) into (B, D); padding never counts.

    >>> hidden = torch.tensor([[[1.0], [3.0], [9.0]]])
    >>> mask = torch.tensor([[1, 1, 0]])
    >>> pool(hidden, mask, Pooling.MEAN).item(), pool(hidden, mask, Pooling.CLS).item()
    (2.0, 1.0)
    """
    if pooling is Pooling.CLS:
        return hidden[:, 0]
    weights = mask.unsqueeze(-1).to(hidden.dtype)  # (B, T, 1)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)

"""One forward pass of a model.

In:   token ids and their mask.
Out:  the last hidden states, or, where only [CLS] is wanted, its state alone; one vector per text.
Why:  a BERT of ours can leave out what [CLS] does not need; models of others cannot."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from phage.encoder.bert import Bert
from phage.encoder.settings import Pooling


def last_hidden(model: Any, ids: Tensor, mask: Tensor | None, *, first_only: bool) -> Tensor:  # noqa: ANN401
    """Return the last hidden states (B, T, D); with ``first_only`` a BERT gives (B, 1, D).

    ``mask`` is None where nothing is padded; attention then takes its fastest path.
    """
    more = {"first_only": first_only} if isinstance(model, Bert) else {}
    hidden: Tensor = model(input_ids=ids, attention_mask=mask, **more).last_hidden_state
    return hidden


def pool(hidden: Tensor, mask: Tensor, pooling: Pooling) -> Tensor:
    """Pool token vectors (B, T, D) into (B, D); padding never counts.

    >>> import torch
    >>> hidden = torch.tensor([[[1.0], [3.0], [9.0]]])
    >>> mask = torch.tensor([[1, 1, 0]])
    >>> pool(hidden, mask, Pooling.MEAN).item(), pool(hidden, mask, Pooling.CLS).item()
    (2.0, 1.0)
    """
    if pooling is Pooling.CLS:
        return hidden[:, 0]
    weights = mask.unsqueeze(-1).to(hidden.dtype)  # (B, T, 1)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1e-9)

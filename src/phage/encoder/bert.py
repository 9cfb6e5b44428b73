"""A BERT of our own: the encoder's model wherever a folder holds one.

In:   a folder, or the configuration and the weights of a BERT; token ids and their mask.
Out:  the hidden states of the last layer, to the bit those of transformers' ``BertModel``.
Why:  to import the models of transformers takes three seconds, to read a sentence a hundredth of one.
      Parts and weights have transformers' names. Where only [CLS] is wanted, the last layer computes
      nothing else: the other tokens serve it as keys and values alone. That is a seventh of the work
      of six layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from phage.adapter import ABOUT
from phage.backbone import WEIGHTS, check_numbers
from phage.errors import PhageError
from phage.storage import read_json

_KNOWN = {
    "hidden_act": "gelu", "position_embedding_type": "absolute",
    "is_decoder": False, "add_cross_attention": False, "quantization_config": None,
}  # fmt: skip
"""What a configuration must say, if it says it at all."""
_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_OLD = {"gamma": "weight", "beta": "bias"}
"""How the first BERTs call the weights of a norm."""


def load(folder: Path, dtype: torch.dtype) -> Bert | None:
    """Load a folder's model; None where it is of another kind, in several files or not whole."""
    if (folder / ABOUT).exists():
        return None  # an adapter, whose weights are elsewhere
    try:
        config: Any = read_json(folder / "config.json")
        weights = load_file(folder / WEIGHTS) if isinstance(config, dict) else {}
    except (OSError, ValueError, PhageError, SafetensorError):
        return None
    model = made(config, weights, dtype)
    if model is not None:
        check_numbers(folder, model)
    return model


def made(config: Any, weights: Mapping[str, Tensor], dtype: torch.dtype) -> Bert | None:  # noqa: ANN401
    """Make a model of its weights; None where they are not exactly those of a BERT this size."""
    try:
        said = {name: config.get(name, value) for name, value in _KNOWN.items()}
        if config.get("model_type") != "bert" or said != _KNOWN:
            return None
        with torch.device("meta"):  # no numbers yet
            model = Bert(SimpleNamespace(**config))
    except (ArithmeticError, AttributeError, RuntimeError, TypeError, ValueError):
        return None
    named = {_renamed(name): weight for name, weight in weights.items()}
    wanted = model.state_dict()
    own = {
        name: weight
        for name, weight in named.items()
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("_ids")
    }
    fits = {name: weight.shape for name, weight in own.items()} == {
        name: weight.shape for name, weight in wanted.items()
    }
    if not fits or not all(weight.dtype in _FLOATS for weight in own.values()):
        return None
    model.load_state_dict({name: own[name].to(dtype) for name in wanted}, assign=True)
    return model


def _renamed(name: str) -> str:
    """Return a weight's name in the plain model.

    >>> _renamed("bert.embeddings.LayerNorm.gamma")
    'embeddings.LayerNorm.weight'
    """
    place, _, last = name.removeprefix("bert.").rpartition(".")
    return f"{place}.{_OLD.get(last, last)}"


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a pass gives, named as transformers names it."""

    last_hidden_state: Tensor
    """(B, T, D); (B, 1, D) where only [CLS] was asked for."""


class Bert(nn.Module):
    """A BERT without heads, to encode with; it knows no dropout and does not train."""

    def __init__(self, config: SimpleNamespace) -> None:
        """Make the parts; their weights come with ``load_state_dict``."""
        super().__init__()
        self.config = config
        self.embeddings = Embeddings(config)
        layers = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.encoder = nn.ModuleDict({"layer": layers})

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor | None = None, *, first_only: bool = False
    ) -> Hidden:
        """Read token ids (B, T); ``attention_mask`` is None where nothing is padded."""
        seen = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
        hidden: Tensor = self.embeddings(input_ids)
        layers = list(self.encoder["layer"].children())
        for layer in layers:
            hidden = layer(hidden, seen, first_only=first_only and layer is layers[-1])
        return Hidden(hidden)

    def get_input_embeddings(self) -> nn.Embedding:
        """Return the word embeddings."""
        return self.embeddings.word_embeddings

    @property
    def device(self) -> torch.device:
        """Where it lives."""
        return self.embeddings.word_embeddings.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """The kind of its weights."""
        return self.embeddings.word_embeddings.weight.dtype


class Embeddings(nn.Module):
    """Words, positions and the one kind of token there is here."""

    def __init__(self, config: Any) -> None:  # noqa: ANN401
        """Make the tables."""
        super().__init__()
        width = config.hidden_size
        # as if pretrained: drawing random numbers for them would import torch's compiler
        self.word_embeddings, self.position_embeddings, self.token_type_embeddings = (
            nn.Embedding(rows, width, _weight=torch.empty(rows, width))
            for rows in (config.vocab_size, config.max_position_embeddings, config.type_vocab_size)
        )
        self.LayerNorm = nn.LayerNorm(width, eps=config.layer_norm_eps)

    def forward(self, ids: Tensor) -> Tensor:
        """Look up (B, T) → (B, T, D)."""
        words = self.word_embeddings(ids) + self.token_type_embeddings.weight[0]
        made: Tensor = self.LayerNorm(words + self.position_embeddings.weight[: ids.shape[1]])
        return made


class Layer(nn.Module):
    """Attention, then two products with a GELU between them."""

    def __init__(self, config: Any) -> None:  # noqa: ANN401
        """Make the parts."""
        super().__init__()
        width, wide = config.hidden_size, config.intermediate_size
        self.attention = nn.ModuleDict(
            {
                "self": SelfAttention(width, config.num_attention_heads),
                "output": Output(width, width, config.layer_norm_eps),
            }
        )
        self.intermediate = Intermediate(width, wide)
        self.output = Output(wide, width, config.layer_norm_eps)

    def forward(self, hidden: Tensor, seen: Tensor | None, *, first_only: bool = False) -> Tensor:
        """Compute the next states, or that of the first token alone."""
        asking = hidden[:, :1] if first_only else hidden
        mixed = self.attention["self"](asking, hidden, seen)
        attended = self.attention["output"](mixed, asking)
        made: Tensor = self.output(self.intermediate(attended), attended)
        return made


class SelfAttention(nn.Module):
    """Queries, keys and values, and how they meet."""

    def __init__(self, width: int, heads: int) -> None:
        """Make the products."""
        super().__init__()
        if width % heads:
            raise ValueError(f"{width} dimensions cannot be divided among {heads} heads")
        self.size = width // heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attend = Attend()

    def forward(self, asking: Tensor, hidden: Tensor, seen: Tensor | None) -> Tensor:
        """Let the asking tokens (B, S, D) look at all of them (B, T, D)."""
        query, key, value = (
            x.view(*x.shape[:2], -1, self.size).transpose(1, 2)
            for x in (self.query(asking), self.key(hidden), self.value(hidden))
        )  # (B, H, ·, D / H)
        mixed: Tensor = self.attend(query, key, value, seen)
        return mixed.transpose(1, 2).flatten(2)


class Attend(nn.Module):
    """The stock attention; a part of its own, so that another may stand in for it."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None) -> Tensor:
        """Attend (B, H, S, D) to (B, H, T, D)."""
        return nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)


class Intermediate(nn.Module):
    """The wide product."""

    def __init__(self, width: int, wide: int) -> None:
        """Make the product and its GELU."""
        super().__init__()
        self.dense = nn.Linear(width, wide)
        self.intermediate_act_fn = nn.GELU()

    def forward(self, hidden: Tensor) -> Tensor:
        """Widen the states."""
        made: Tensor = self.intermediate_act_fn(self.dense(hidden))
        return made


class Output(nn.Module):
    """A product, added to what was there and normalised."""

    def __init__(self, given: int, width: int, eps: float) -> None:
        """Make the product and the norm."""
        super().__init__()
        self.dense = nn.Linear(given, width)
        self.LayerNorm = nn.LayerNorm(width, eps=eps)

    def forward(self, found: Tensor, before: Tensor) -> Tensor:
        """Add what was found to the states before."""
        made: Tensor = self.LayerNorm(self.dense(found) + before)
        return made

"""A short text → its vectors, without torch.

In:   the model folder of an index, a text of at most one window.
Out:  the text's own vector and that of its tokens, as ``Encoder.read`` gives them.
Why:  importing torch takes more than a second of CPU; reading one sentence in NumPy takes a tenth.
      Each time, the index's probe checks that both give the same vectors. If they do not, or if
      the model is of another kind, the encoder is used."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phage.claims.normal import sound
from phage.searching.state import PROBE, IndexSettings
from phage.searching.types import Query

Array = NDArray[np.float32]
SAME = 0.99
"""Lowest accepted cosine of the probe's vectors; an index in bfloat16 stays above it."""
_KNOWN = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}


def short_query(settings: IndexSettings, text: str) -> Query | None:
    """Make a query of a short text; None if the encoder is needed."""
    try:
        model = ShortReader.load(settings.model)
        if model is None or not settings.probe:
            return None
        known, made = np.asarray(settings.probe, np.float32), model.read(PROBE)
        text = sound(text)
        vectors = model.read(text)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # whatever is wrong with the folder, the encoder names it
    if vectors is None or made is None or made[0] @ known < SAME * np.linalg.norm(known):
        return None
    return Query(text, vectors[0], ((0, text),), vectors[1][None])


@dataclass(frozen=True, slots=True)
class ShortReader:
    """A BERT encoder that reads one text at a time."""

    tokenizer: Any
    config: dict[str, Any]
    weights: dict[str, NDArray[Any]]
    mean: bool
    """Whether the vector is the mean of all tokens instead of [CLS]."""
    window: int

    @classmethod
    def load(cls, name: str) -> ShortReader | None:
        """Load a model folder; None if this class cannot read its kind."""
        embedded = Path(__file__).parents[1] / "models" / name
        folder = embedded if (embedded / "config.json").is_file() else Path(name)
        if not (folder / "modules.json").is_file():
            return None
        config = _json(folder / "config.json")
        pooling = _json(folder / "1_Pooling" / "config.json")
        prompt = folder / "config_sentence_transformers.json"
        plain = {key: config.get(key, value) for key, value in _KNOWN.items()} == _KNOWN
        if not plain or (prompt.is_file() and _json(prompt).get("default_prompt_name")):
            return None
        if "Normalize" not in (folder / "modules.json").read_text(encoding="utf-8"):
            return None
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        mean = pooling.get("pooling_mode") == "mean" or bool(
            pooling.get("pooling_mode_mean_tokens")
        )
        window = _json(folder / "sentence_bert_config.json").get("max_seq_length") or 512
        weights = load_file(folder / "model.safetensors")
        limit = min(int(window), int(config["max_position_embeddings"]))
        return cls(tokenizer, config, weights, mean, limit)

    def read(self, text: str) -> tuple[Array, Array] | None:
        """Return the text's vector and the mean of its tokens, at unit length; None if too long."""
        ids = self.tokenizer.encode(text).ids
        if not 3 <= len(ids) <= self.window:
            return None
        hidden = self._embedded(ids)  # (T, D)
        for layer in range(int(self.config["num_hidden_layers"])):
            hidden = self._layer(f"encoder.layer.{layer}.", hidden)
        return _unit(hidden.mean(0) if self.mean else hidden[0]), _unit(hidden[1:-1].mean(0))

    def _embedded(self, ids: list[int]) -> Array:
        words = self._weight("embeddings.word_embeddings.weight")[ids]
        places = self._weight("embeddings.position_embeddings.weight")[: len(ids)]
        kinds = self._weight("embeddings.token_type_embeddings.weight")[0]
        return self._norm("embeddings.LayerNorm", words + places + kinds)

    def _layer(self, name: str, hidden: Array) -> Array:
        heads = int(self.config["num_attention_heads"])
        size = hidden.shape[1] // heads
        query, key, value = (
            self._linear(f"{name}attention.self.{part}", hidden).reshape(-1, heads, size)
            for part in ("query", "key", "value")
        )  # (T, H, D / H)
        scores = np.einsum("thd,shd->hts", query, key) / math.sqrt(size)  # (H, T, T)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        mixed = np.einsum("hts,shd->thd", shares, value).reshape(hidden.shape)
        mixed = self._linear(f"{name}attention.output.dense", mixed)
        hidden = self._norm(f"{name}attention.output.LayerNorm", hidden + mixed)
        wide = _gelu(self._linear(f"{name}intermediate.dense", hidden))
        return self._norm(
            f"{name}output.LayerNorm", hidden + self._linear(f"{name}output.dense", wide)
        )

    def _weight(self, name: str) -> Array:
        return np.asarray(self.weights[name], dtype=np.float32)

    def _linear(self, name: str, hidden: Array) -> Array:
        made: Array = hidden @ self._weight(f"{name}.weight").T + self._weight(f"{name}.bias")
        return made

    def _norm(self, name: str, hidden: Array) -> Array:
        centred = hidden - hidden.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        made: Array = centred / spread * self._weight(f"{name}.weight")
        return made + self._weight(f"{name}.bias")


def _gelu(x: Array) -> Array:
    """Return x · Φ(x), with the error function of Abramowitz and Stegun (7.1.26): within 2e-7.

    >>> [round(float(v), 5) for v in _gelu(np.float32([-1, 0, 2]))]
    [-0.15866, 0.0, 1.9545]
    """
    size = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * size)
    series = t * (
        0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))
    )
    error = np.sign(x) * (1 - series * np.exp(-(size**2)))
    made: Array = (0.5 * x * (1 + error)).astype(np.float32)
    return made


def _unit(vector: Array) -> Array:
    made: Array = (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)
    return made


def _json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found

"""Patents → vectors, graph-free.

In:   a model folder or hub name, and texts or patents.
Out:  one row per input, float32, of unit length unless the folder says otherwise.
Why:  the paper's promise: after training, a stock encoder and one forward pass, no claim graph."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from phage.claims.types import Patent
from phage.errors import PhageError

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

CHUNK = 4096
"""Texts tokenised at once: enough to sort well by length, little enough to stay in memory."""


class Pooling(StrEnum):
    """How token vectors become one vector."""

    CLS = "cls"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """What a folder says about how its model wants to be used."""

    pooling: Pooling = Pooling.CLS
    window: int = 512
    """Tokens that the model sees, its special tokens included."""
    normalise: bool = True
    prompt: str = ""
    """Put before every text, as the model was trained."""


class Encoder:
    """A frozen encoder: ``Encoder.from_pretrained(path).encode(patents)``."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        settings: EncoderSettings,
        name: str = "",
    ) -> None:
        """Join a model with its tokenizer; ``from_pretrained`` is the usual way here."""
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.settings = settings
        self.name = name

    @classmethod
    def from_pretrained(
        cls,
        source: Path | str,
        *,
        pooling: Pooling | str | None = None,
        window: int | None = None,
        prompt: str | None = None,
        device: str | torch.device | None = None,
    ) -> Encoder:
        """Load a folder (ours, sentence-transformers, plain transformers) or a hub name.

        What is not said here is taken from the folder: its pooling, window, prompt and whether it
        normalises. A plain transformers folder says nothing: [CLS], normalised, its whole window.
        """
        from transformers import AutoModel, AutoTokenizer

        folder = locate(source)
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder)
            model = AutoModel.from_pretrained(folder, dtype=torch.float32)
        except (OSError, ValueError) as error:
            raise PhageError(
                f"cannot load a model: {error}",
                place=str(source),
                remedy="give a folder with config.json, tokenizer and model.safetensors",
            ) from error
        said = _read_settings(folder, model.config, tokenizer)
        settings = EncoderSettings(
            Pooling(pooling) if pooling else said.pooling,
            _checked_window(window, said.window, model.config),
            said.normalise,
            said.prompt if prompt is None else prompt,
        )
        device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        return cls(model.to(device), tokenizer, settings, str(source))

    @property
    def dimension(self) -> int:
        """Width of the vectors."""
        return int(self.model.config.hidden_size)

    @property
    def device(self) -> torch.device:
        """Where the model lives."""
        device: torch.device = self.model.device
        return device

    def encode(
        self,
        items: Sequence[str] | Sequence[Patent],
        *,
        text: Callable[[Patent], str] | None = None,
        batch_tokens: int | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> NDArray[np.float32]:
        """Give one vector per item, in order.

        ``text`` says what of a patent is read (its claims unless told otherwise), ``batch_tokens``
        how many tokens go through the model at once, ``advance`` is told how many are done.
        """
        budget = batch_tokens or (65_536 if self.device.type == "cuda" else 4_096)
        vectors = np.empty((len(items), self.dimension), dtype=np.float32)
        for start in range(0, len(items), CHUNK):
            texts = [_text(item, text) for item in items[start : start + CHUNK]]
            tokens = self._tokenise(texts)
            for rows in _batches([len(ids) for ids in tokens], budget):
                vectors[[start + row for row in rows]] = self._forward([tokens[r] for r in rows])
                if advance:
                    advance(len(rows))
        return vectors

    def _tokenise(self, texts: list[str]) -> list[list[int]]:
        encoded = self.tokenizer(
            [self.settings.prompt + text for text in texts],
            truncation=True,
            max_length=self.settings.window,
            add_special_tokens=True,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        return list(encoded["input_ids"])

    @torch.inference_mode()
    def _forward(self, batch: list[list[int]]) -> NDArray[np.float32]:
        longest = max(map(len, batch))
        pad = self.tokenizer.pad_token_id or 0
        ids = torch.full((len(batch), longest), pad, dtype=torch.long)  # (B, T)
        mask = torch.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        ids, mask = ids.to(self.device), mask.to(self.device)
        hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state  # (B, T, D)
        pooled = pool(hidden, mask, self.settings.pooling)  # (B, D)
        if self.settings.normalise:
            pooled = torch.nn.functional.normalize(pooled, dim=-1)
        vectors: NDArray[np.float32] = pooled.float().cpu().numpy()
        return vectors


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


def locate(source: Path | str) -> Path:
    """Find a model's folder: a path on disk, or a hub name that is (or can be) downloaded."""
    folder = Path(source)
    if folder.is_dir():
        return folder
    if folder.exists() or str(source).startswith((".", "/", "~")) or str(source).count("/") > 1:
        raise PhageError("there is no model folder here", place=str(source))
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        # Weights in one format only; an unpickled one is never loaded.
        wanted = ["*.json", "*.txt", "*.model", "*.safetensors"]
        return Path(snapshot_download(str(source), allow_patterns=wanted))
    except (LocalEntryNotFoundError, HfHubHTTPError, OSError, ValueError) as error:
        raise PhageError(
            f"no folder of that name, and the model hub gave none ({type(error).__name__})",
            place=str(source),
            remedy="give the path of a downloaded model, or go online once",
        ) from error


def _text(item: str | Patent, text: Callable[[Patent], str] | None) -> str:
    if isinstance(item, str):
        return item
    if text is not None:
        return text(item)
    return "\n".join(claim.text for claim in item.claims)


def _batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Group rows of like length, longest first, so that hardly a token is padding.

    >>> list(_batches([3, 9, 3, 8], budget=18))
    [[1, 3], [0, 2]]
    """
    order = sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


def _json(path: Path) -> Any:  # noqa: ANN401  (whatever the file holds)
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _read_settings(folder: Path, config: Any, tokenizer: Any) -> EncoderSettings:  # noqa: ANN401
    window = _positions(config)
    if 0 < tokenizer.model_max_length < 1_000_000:  # "no limit" is written as 1e30
        window = min(window, tokenizer.model_max_length)
    modules = _json(folder / "modules.json")
    if modules is None:
        return EncoderSettings(window=window)
    kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
    strange = [kind for kind in kinds if kind not in {"Transformer", "Pooling", "Normalize"}]
    if strange:
        raise PhageError(
            f"this model has a part that a plain encoder lacks: {', '.join(strange)}",
            place=str(folder / "modules.json"),
            remedy="evaluate it through sentence-transformers: pip install 'phage[mteb]'",
        )
    stated = (_json(folder / "sentence_bert_config.json") or {}).get("max_seq_length")
    places = [module["path"] for module in modules if module["type"].endswith("Pooling")]
    pooling = _read_pooling(folder / places[0] / "config.json") if places else Pooling.CLS
    prompts = _json(folder / "config_sentence_transformers.json") or {}
    prompt = (prompts.get("prompts") or {}).get(prompts.get("default_prompt_name") or "", "")
    return EncoderSettings(pooling, min(stated or window, window), "Normalize" in kinds, prompt)


def _read_pooling(path: Path) -> Pooling:
    config = _json(path) or {}
    # sentence-transformers 6 writes one word, older ones a switch per kind.
    mode = config.get("pooling_mode")
    if mode is None:
        mode = "cls" if config.get("pooling_mode_cls_token") else None
        mode = "mean" if config.get("pooling_mode_mean_tokens") else mode
    try:
        return Pooling(str(mode))
    except ValueError:
        raise PhageError(
            f"pooling '{mode}' is not one of cls, mean", place=str(path), remedy="say pooling="
        ) from None


def _positions(config: Any) -> int:  # noqa: ANN401
    """Tokens the position table holds; RoBERTa and MPNet keep two or so for padding."""
    positions = int(getattr(config, "max_position_embeddings", 512))
    odd = config.model_type in {"roberta", "xlm-roberta", "mpnet", "camembert"}
    return positions - (config.pad_token_id + 1 if odd else 0)


def _checked_window(asked: int | None, said: int, config: Any) -> int:  # noqa: ANN401
    if asked is None:
        return said
    if not 3 <= asked <= _positions(config):
        raise PhageError(
            f"a window of {asked} tokens does not fit this model",
            remedy=f"3 to {_positions(config)}",
        )
    return asked

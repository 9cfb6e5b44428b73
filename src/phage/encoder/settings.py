"""What a model folder says about how its model wants to be used.

In:   a folder: ours, sentence-transformers', or plain transformers'.
Out:  EncoderSettings: pooling, window, normalisation, prompt.
Why:  a peer is judged fairly only when it is used as its authors meant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from phage.errors import PhageError
from phage.storage import read_json


class Pooling(StrEnum):
    """How token vectors become one vector."""

    CLS = "cls"
    MEAN = "mean"


class Long(StrEnum):
    """What to do with a text that is longer than the window."""

    CUT = "cut"
    MEAN = "mean"
    """Encode window after window and average the vectors."""


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """How a model is used."""

    pooling: Pooling = Pooling.CLS
    window: int = 512
    """Tokens that the model sees, its special tokens included."""
    normalise: bool = True
    prompt: str = ""
    """Put before every text, as the model was trained."""


def _json(path: Path) -> Any:  # noqa: ANN401  (whatever the file holds)
    return read_json(path) if path.is_file() else None


def read_settings(folder: Path, config: Any, tokenizer: Any) -> EncoderSettings:  # noqa: ANN401
    """Read a folder's own settings; what it does not say is [CLS], normalised, whole window."""
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


def checked_window(asked: int | None, said: int, config: Any) -> int:  # noqa: ANN401
    """Take the window asked for, if the model has so many positions."""
    if asked is None:
        return said
    if not 3 <= asked <= _positions(config):
        raise PhageError(
            f"a window of {asked} tokens does not fit this model",
            remedy=f"3 to {_positions(config)}",
        )
    return asked

"""A saved model, loaded whole or refused.

In:   a folder (or hub name) with config.json, a tokenizer and weights.
Out:  tokenizer, configuration and model; or an error that names the missing or damaged part.
Why:  transformers fills what is missing with random numbers, and an encoder made of those still
      gives vectors. No code of the folder is run, and nothing in it is unpickled."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phage.errors import PhageError
from phage.storage import read_json

# In a notebook, transformers' own bars warn that ipywidgets is missing; no bar of theirs is shown.
warnings.filterwarnings("ignore", message="IProgress not found")

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

WEIGHTS = "model.safetensors"
SHARDS = "model.safetensors.index.json"
VOCABULARIES = (
    "tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model",
    "spm.model", "tokenizer.model",
)  # fmt: skip
"""Files that hold a vocabulary; a folder needs one of them."""
REMEDY = (
    "copy or download the folder again; it needs config.json, a tokenizer and model.safetensors"
)
_FLOATS = {"F64", "F32", "F16", "BF16"}
_LEARNED = (".weight", ".bias", ".gamma", ".beta")
_CODELESS = {"trust_remote_code": False}
_UNUSED = ("pooler.",)
"""Tensors that no vector of ours depends on: [CLS] and mean are taken from the last layer."""
_BUFFERS = ("position_ids", "token_type_ids", "inv_freq")
"""Constants that older versions of transformers saved."""


def load_tokenizer(source: Path | str) -> PreTrainedTokenizerBase:
    """Load a tokenizer that knows words; without its vocabulary every word would be the same."""
    from transformers import AutoTokenizer

    folder = Path(source)
    if folder.is_dir() and not any((folder / name).is_file() for name in VOCABULARIES):
        raise broken(source, f"there is no {VOCABULARIES[0]} (nor {', '.join(VOCABULARIES[1:])})")
    with _named(source, "its tokenizer cannot be read"):
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(source, **_CODELESS)
        words = set(tokenizer.get_vocab().values()) - set(tokenizer.all_special_ids)
    if not words:
        raise broken(source, "its tokenizer has no vocabulary: every word would be unknown")
    return tokenizer


def load_config(source: Path | str) -> PreTrainedConfig:
    """Load a model's configuration."""
    from transformers import AutoConfig

    folder = Path(source)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise broken(source, "there is no config.json")
        if not isinstance(read_json(folder / "config.json", REMEDY), dict):
            raise broken(source, "its config.json is not an object")
    with _named(source, "its config.json cannot be used"):
        config: PreTrainedConfig = AutoConfig.from_pretrained(source, **_CODELESS)
    return config


def load_model(source: Path | str, config: PreTrainedConfig, dtype: torch.dtype) -> PreTrainedModel:
    """Load a model whose every weight was in its files, with the shape, kind and name it needs.

    A folder with an adapter takes its weights from the base model that it names.
    """
    from phage import adapter

    found = adapter.read(source)
    if found is None:
        return _load(source, config, dtype)
    base, tensors = found
    place = next(adapter.places(base))
    try:
        model = _load(place, config, dtype)
    except PhageError as error:
        raise adapter.missing(source, base, error) from error
    adapter.merge(model, tensors, str(source))
    return model


def _load(source: Path | str, config: PreTrainedConfig, dtype: torch.dtype) -> PreTrainedModel:
    from transformers import AutoModel

    quiet()  # what it would report is checked below
    if Path(source).is_dir():
        _check_files(Path(source))
    with _named(source, "its weights cannot be loaded"):
        model, loading = AutoModel.from_pretrained(
            source, config=config, dtype=dtype, use_safetensors=True, output_loading_info=True,
            ignore_mismatched_sizes=True,  # refused below, by name
            **_CODELESS,
        )  # fmt: skip
    _check_names(source, model, loading)
    check_numbers(source, model)
    found: PreTrainedModel = model
    return found


def quiet() -> None:
    """Keep transformers from printing its own bars and its list of unused weights."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def check_fit(source: Path | str, tokenizer: Any, model: Any) -> None:  # noqa: ANN401
    """Refuse a tokenizer and a model that do not belong together."""
    rows = int(model.get_input_embeddings().weight.shape[0])
    known = tokenizer.get_vocab()
    last = max(known.values())
    if last >= rows:
        raise broken(
            source, f"its tokenizer gives token {last:,}, but the model has embeddings for {rows:,}"
        )
    if 2 * len(known) < rows:
        raise broken(source, f"its tokenizer knows {len(known):,} of the model's {rows:,} tokens")


def broken(source: Path | str, reason: str) -> PhageError:
    """Return the error for a damaged model folder."""
    return PhageError(f"this model is damaged: {reason}", place=str(source), remedy=REMEDY)


@contextlib.contextmanager
def _named(source: Path | str, what: str) -> Iterator[None]:
    """Name the part that transformers could not load, whichever way it failed."""
    try:
        yield
    except (PhageError, MemoryError):
        raise
    except Exception as error:
        if "trust_remote_code" in str(error):
            raise PhageError(
                "this model needs its own code, which phage never runs",
                place=str(source),
                remedy="use a model whose architecture transformers knows",
            ) from error
        reason = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        if isinstance(error, KeyError):
            reason = f"{reason} is missing"
        raise broken(source, f"{what}: {reason}") from error


def _check_files(folder: Path) -> None:
    """Refuse weight files that are missing, damaged or hold numbers of another kind."""
    from safetensors import safe_open

    names = [WEIGHTS]
    if not (folder / WEIGHTS).is_file():
        if not (folder / SHARDS).is_file():
            other = next((path.name for path in folder.glob("pytorch_model*.bin*")), None)
            more = f"; {other} is not read, since unpickling runs code" if other else ""
            raise broken(folder, f"there is no {WEIGHTS}{more}")
        with _named(folder, f"its {SHARDS} cannot be read"):
            names = sorted(set(read_json(folder / SHARDS)["weight_map"].values()))
    for name in names:
        if not (folder / name).is_file():
            raise broken(folder, f"there is no {name}")
        with (
            _named(folder, f"its {name} is damaged"),
            safe_open(folder / name, framework="pt") as stored,
        ):
            for key in stored.keys():  # noqa: SIM118  (not a dictionary)
                kind = stored.get_slice(key).get_dtype()
                if key.endswith(_LEARNED) and kind not in _FLOATS:
                    raise broken(folder, f"{key} in {name} holds {kind}, not fractions")


def _check_names(source: Path | str, model: Any, loading: dict[str, Any]) -> None:  # noqa: ANN401
    """Refuse a model some of whose weights were not found, or found with another shape."""
    missing = [name for name in loading["missing_keys"] if not name.startswith(_UNUSED)]
    if missing:
        raise broken(source, f"its weights lack {_some(missing)}")
    wrong = [str(entry[0]) for entry in loading.get("mismatched_keys", ())]
    if wrong:
        raise broken(source, f"shapes that differ from config.json: {_some(wrong)}")
    # A head that training used may stay behind; a layer of the model itself may not.
    parts = tuple(f"{name}." for name, _ in model.named_children() if f"{name}." not in _UNUSED)
    prefix = f"{model.base_model_prefix}."
    names = [name.removeprefix(prefix) for name in loading["unexpected_keys"]]
    strange = [n for n in names if n.startswith(parts) and not n.endswith(_BUFFERS)]
    if strange:
        raise broken(source, f"weights that config.json does not mention: {_some(strange)}")
    errors = [*loading.get("error_msgs", ()), *(loading.get("conversion_errors") or ())]
    if errors:
        raise broken(source, f"its weights cannot be loaded: {_some(map(str, errors))}")


def check_numbers(source: Path | str, model: Any) -> None:  # noqa: ANN401
    """Refuse weights that are not finite, and embeddings that are all the same."""
    import torch

    for name, weight in model.named_parameters():
        # the sum first: it needs no second copy, and is finite for all sound weights
        if not torch.isfinite(weight.sum(dtype=torch.float32)) and not weight.isfinite().all():
            raise broken(source, f"{name} has values that are not finite")
    words = model.get_input_embeddings().weight
    if len(words) > 1 and bool((words == words[0]).all()):
        raise broken(source, "all its word embeddings are the same")


def _some(names: Iterable[str], most: int = 3) -> str:
    """Name the first few.

    >>> _some(["b", "a", "d", "c"], most=2)
    'a, b and 2 more'
    """
    ordered = sorted(names)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return ", ".join(ordered[:most]) + more

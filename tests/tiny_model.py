"""A tiny real model, a recipe that trains it, and a larger corpus, for tests of whole commands."""

from __future__ import annotations

import json
from pathlib import Path

WORDS = "a pump with shaft wherein the is steel of claim housing coupled to 1 2 3 4 5 ."
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}


def save(folder: Path) -> None:
    """Write a plain transformers folder: a random BERT of two layers and a word tokenizer."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *sorted(set(WORDS.split()))]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = BertConfig(vocab_size=len(words), max_position_embeddings=64, **SIZES)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)


def other(kind: str) -> object:
    """Give a model of another architecture with random weights."""
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(0)
    sizes = {**SIZES, "intermediate_size": 64, "max_position_embeddings": 66}
    return AutoModel.from_config(AutoConfig.for_model(kind, vocab_size=40, pad_token_id=0, **sizes))


def recipe(model: Path, **train: object) -> str:
    """Spell a recipe for small patents; ``train`` adds to its last section."""
    settings = {"batch": 2, "accumulation": 1, "epochs": 1, "precision": "fp32", **train}
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in settings.items())
    return f"""
[backbone]
model = "{model}"
[input]
window = 32
[graph]
parser = "pattern"
citations = "full"
[train]
{lines}
"""


def repeat(source: Path, path: Path, times: int) -> None:
    """Write a corpus of invented patents several times over, each time under new numbers."""
    lines = source.read_text(encoding="utf-8").splitlines()
    with path.open("w", encoding="utf-8") as out:
        for turn in range(times):
            out.writelines(line.replace('"ZZ', f'"ZZ{turn:03d}', 1) + "\n" for line in lines)

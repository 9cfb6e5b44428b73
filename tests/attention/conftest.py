"""Random claim graphs for the attention tests, and tiny real models of each architecture."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from phage.attention.guidance import Code, Guidance


def random_guidance(
    lengths: list[list[int]], *, tokens: int, seed: int = 0, opened: tuple[int, ...] = ()
) -> Guidance:
    """Per row the tokens of each claim; [CLS] in front, padding behind, edges at random."""
    chance = torch.Generator().manual_seed(seed)
    count = 1 + max(map(len, lengths))
    nodes = torch.full((len(lengths), tokens), -1, dtype=torch.int32)
    table = torch.full((len(lengths), count, count), int(Code.CLOSED), dtype=torch.int8)
    for row, claims in enumerate(lengths):
        held = [0] + [i for i, n in enumerate(claims, start=1) for _ in range(n)]
        assert len(held) <= tokens
        nodes[row, : len(held)] = torch.tensor(held, dtype=torch.int32)
        size = 1 + len(claims)
        if row in opened:
            table[row, :size, :size] = int(Code.FREE)
            continue
        kinds = torch.randint(1, 5, (size, size), generator=chance).to(torch.int8)
        linked = torch.rand(size, size, generator=chance) < 0.4
        later = torch.ones(size, size).tril(-1).bool()
        codes = torch.where(linked & later, kinds, torch.tensor(int(Code.CLOSED)).to(torch.int8))
        codes.fill_diagonal_(int(Code.SELF))
        codes[:, 0] = int(Code.CLOSED)
        codes[0] = int(Code.FREE)
        table[row, :size, :size] = codes
    return Guidance(nodes, table, torch.tensor([row in opened for row in range(len(lengths))]))


def random_qkv(
    guidance: Guidance, *, heads: int = 2, width: int = 32, dtype: torch.dtype = torch.float32
) -> list[Tensor]:
    """Queries, keys, values laid out in memory as a model's projections lie, and a gradient."""
    batch, tokens = guidance.nodes.shape
    chance = torch.Generator().manual_seed(7)
    made = [torch.randn(batch, tokens, heads, width, generator=chance) for _ in range(4)]
    return [x.to(dtype).transpose(1, 2) for x in made]


def unmasked(guidance: Guidance) -> Guidance:
    """Keep the biases but close no pair: rows that mix free and biased keys (an ablation)."""
    size = (guidance.table[:, 0] >= 0).sum(-1)  # nodes in use: [CLS] reads them all
    inside = torch.arange(guidance.table.shape[-1]) < size[:, None]
    pairs = inside[:, :, None] & inside[:, None, :] & (guidance.table == Code.CLOSED)
    table = guidance.table.masked_fill(pairs, int(Code.FREE))
    return Guidance(guidance.nodes, table, guidance.open)


LAYOUTS: dict[str, Guidance] = {
    "three claims": random_guidance([[20, 9, 14]], tokens=44),
    "single claim": random_guidance([[37]], tokens=38),
    "padding": random_guidance([[30, 12, 40, 7], [5, 6]], tokens=90),
    "ragged": random_guidance([[100, 33, 61, 2, 1, 1], [77, 50, 70]], tokens=199, seed=3),
    "116 claims": random_guidance([[3] * 116, [1] * 116], tokens=351, seed=5),
    "open and guided": random_guidance([[9, 30, 4], [25, 25], [40, 3]], tokens=64, opened=(1,)),
    "all open": random_guidance([[9, 30, 4], [25, 25]], tokens=64, opened=(0, 1)),
    "bias without mask": unmasked(random_guidance([[30, 12, 40, 7], [5, 6]], tokens=90)),
    "whole tiles": random_guidance([[60, 33, 30, 64], [70, 50], [1, 126]], tokens=192, seed=9),
    "all padding": random_guidance([[9, 3], []], tokens=16, opened=(1,)),
}
"""Name → guidance: lengths that are not a multiple of any tile, padding, extremes."""


@pytest.fixture(params=list(LAYOUTS))
def layout(request: pytest.FixtureRequest) -> Guidance:
    return LAYOUTS[request.param]


@pytest.fixture
def layouts() -> dict[str, Guidance]:
    return LAYOUTS


@pytest.fixture
def qkv() -> Callable[..., list[Tensor]]:
    return random_qkv


@pytest.fixture
def graph() -> Callable[..., Guidance]:
    return random_guidance


def tiny_model(kind: str, *, seed: int = 0, **more: Any) -> nn.Module:
    """A stock encoder with random weights: three layers, two heads of 32."""
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(
        kind,
        **{
            "vocab_size": 99,
            "hidden_size": 64,
            "embedding_size": 32,  # ELECTRA
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "intermediate_size": 96,
            "max_position_embeddings": 400,
            "local_attention": 16,  # ModernBERT: eight to either side
            "global_attn_every_n_layers": 2,
            "initializer_range": 0.3,  # logits that matter
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "cls_token_id": 1,
            "sep_token_id": 2,
            **more,
        },
    )
    torch.manual_seed(seed)
    return AutoModel.from_config(config).eval()


@pytest.fixture(params=["bert", "roberta", "xlm-roberta", "electra", "modernbert"])
def model(request: pytest.FixtureRequest) -> nn.Module:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    return tiny_model(request.param)


@pytest.fixture
def build() -> Callable[..., nn.Module]:
    return tiny_model

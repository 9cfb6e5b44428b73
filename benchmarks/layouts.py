"""Claim layouts for the attention benchmarks: drawn by seed, like real claim sets.

First claim 100 to 220 tokens, the others 20 to 80; every later claim cites an earlier one and
further implicit edges are drawn until the paper's mean density of 0.19 (edges per ordered pair)."""

from __future__ import annotations

import random

import torch

from phage.attention.guidance import Code, Guidance


def draw(batch: int, tokens: int, seed: int = 7) -> Guidance:
    """Draw the guidance of a batch in which every sequence fills the window."""
    rng = random.Random(seed)
    rows = [_claims(rng, tokens) for _ in range(batch)]
    count = max(len(sizes) for sizes, _ in rows) + 1
    nodes = torch.full((batch, tokens), -1, dtype=torch.int32)
    table = torch.full((batch, count, count), Code.CLOSED, dtype=torch.int8)
    for b, (sizes, edges) in enumerate(rows):
        nodes[b, 0] = 0
        start = 1
        for index, size in enumerate(sizes, start=1):
            nodes[b, start : start + size] = index
            start += size
            table[b, index, index] = Code.SELF
        table[b, 0, : len(sizes) + 1] = Code.FREE
        for (source, target), code in edges.items():
            table[b, target, source] = code
    return Guidance(nodes, table, torch.zeros(batch, dtype=torch.bool))


def _claims(rng: random.Random, tokens: int) -> tuple[list[int], dict[tuple[int, int], int]]:
    sizes = [min(rng.randint(100, 220), tokens - 1)]
    while sum(sizes) < tokens - 1:
        sizes.append(min(rng.randint(20, 80), tokens - 1 - sum(sizes)))
    n = len(sizes)
    edges: dict[tuple[int, int], int] = {}
    for target in range(2, n + 1):
        source = 1 if rng.random() < 0.6 else rng.randint(1, target - 1)
        edges[source, target] = int(Code.CITE)
    free = [(s, t) for t in range(2, n + 1) for s in range(1, t) if (s, t) not in edges]
    wanted = max(0, round(0.19 * n * (n - 1)) - len(edges))
    for pair in rng.sample(free, min(wanted, len(free))):
        kinds = (Code.TERM, Code.FUNC, Code.BOTH)
        edges[pair] = int(rng.choices(kinds, weights=(7.9, 60.3, 2.6))[0])
    return sizes, edges

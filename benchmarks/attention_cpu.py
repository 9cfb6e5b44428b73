"""What guided attention costs on a CPU: attention alone, and a whole MiniLM training step.

In:   claim layouts of 512 tokens (``layouts``).
Out:  results/attention-cpu.json: times and ratios, all from one run, variants taking turns.
Why:  a learned additive mask given to torch costs several times plain attention; ``dense`` must not.

Run:  python benchmarks/attention_cpu.py [--rows 8] [--rounds 7] [--out results/attention-cpu.json]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

import torch
from torch.nn import functional as F

import layouts
from phage.attention import Code, Guidance, guide, guided_attention
from phage.provenance import provenance
from phage.storage import write_json

TOKENS, HEADS, WIDTH = 512, 12, 32


def turns(variants: dict, rounds: int) -> dict[str, dict[str, float]]:
    """Let the variants take turns; report medians, and median ratios to the first.

    ``ratio`` is of wall time; ``cpu_ratio`` of processor time, which a busy machine distorts less.
    """
    for run in variants.values():
        run()
    wall: dict[str, list[float]] = {name: [] for name in variants}
    cpu: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(rounds):
        for name, run in variants.items():
            start, spent = time.perf_counter(), time.process_time()
            run()
            wall[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - spent)
    first = next(iter(variants))

    def ratio(times: dict[str, list[float]], name: str) -> float:
        pairs = zip(times[name], times[first], strict=True)
        return round(statistics.median(taken / plain for taken, plain in pairs), 3)

    return {
        name: {
            "ms": round(1e3 * statistics.median(wall[name]), 2),
            "ratio": ratio(wall, name),
            "cpu_ms": round(1e3 * statistics.median(cpu[name]), 2),
            "cpu_ratio": ratio(cpu, name),
        }
        for name in variants
    }


def learned_mask(bias: torch.Tensor, codes: torch.Tensor) -> torch.Tensor:
    """Look the bias of every pair up: what one writes first."""
    values = torch.cat([bias, bias.new_tensor([0.0, -torch.inf])])
    return values[codes.long()][:, None]


def attention_alone(guidance: Guidance, rounds: int) -> dict[str, dict[str, float]]:
    rows = len(guidance.nodes)
    torch.manual_seed(0)
    q, k, v, grad = (
        torch.randn(rows, TOKENS, HEADS, WIDTH).transpose(1, 2).requires_grad_(i < 3)
        for i in range(4)
    )
    bias = torch.full((5,), 0.6931, requires_grad=True)
    scale = WIDTH**-0.5
    codes = guidance.codes()

    def backward(out: torch.Tensor, *more: torch.Tensor) -> None:
        torch.autograd.grad(out, (q, k, v, *more), grad)

    return turns(
        {
            "plain": lambda: backward(F.scaled_dot_product_attention(q, k, v, scale=scale)),
            "dense": lambda: backward(
                guided_attention(q, k, v, guidance, bias, scale=scale, engine="dense"), bias
            ),
            "learned mask": lambda: backward(
                F.scaled_dot_product_attention(
                    q, k, v, attn_mask=learned_mask(bias, codes), scale=scale
                ),
                bias,
            ),
        },
        rounds,
    )


def minilm() -> torch.nn.Module:
    """MiniLM's shape: six layers of 384; the weights do not matter to the time."""
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    return BertModel(
        BertConfig(
            hidden_size=384, num_hidden_layers=6, num_attention_heads=HEADS, intermediate_size=1536,
            attention_probs_dropout_prob=0.0,
        ),
        add_pooling_layer=False,
    ).train()  # fmt: skip


def training_step(guidance: Guidance, rounds: int) -> dict[str, dict[str, float]]:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    codes = guidance.codes()

    def naive(module, query, key, value, attention_mask, **rest):  # noqa: ANN001, ANN003, ANN202
        mask = learned_mask(F.softplus(module.naive_bias), codes)
        return F.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2), None

    AttentionInterface.register("naive", naive)
    AttentionMaskInterface.register("naive", sdpa_mask)
    ids = torch.randint(5, 30000, guidance.nodes.shape, generator=torch.Generator().manual_seed(1))

    def make(name: str) -> tuple[torch.nn.Module, dict]:
        model = minilm()
        if name == "dense":
            return guide(model, engine="dense"), {"guidance": guidance}
        if name == "learned mask":
            for layer in model.encoder.layer:
                layer.attention.self.naive_bias = torch.nn.Parameter(torch.zeros(5))
            model.set_attn_implementation("naive")
        return model, {}

    def stepper(name: str):  # noqa: ANN202
        model, more = make(name)
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)

        def step() -> None:
            optimizer.zero_grad()
            model(ids, **more).last_hidden_state[:, 0].pow(2).mean().backward()
            optimizer.step()

        return step

    return turns({name: stepper(name) for name in ("plain", "dense", "learned mask")}, rounds)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=8)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--out", type=Path, default=Path("results/attention-cpu.json"))
    asked = options.parse_args()
    guidance = layouts.draw(asked.rows, TOKENS)
    result = {
        "what": "guided attention on a CPU, float32, forward and backward, no dropout",
        "shape": {"rows": asked.rows, "tokens": TOKENS, "heads": HEADS, "width": WIDTH},
        "open_pairs": round((guidance.codes() != Code.CLOSED).float().mean().item(), 3),
        "attention_alone": attention_alone(guidance, asked.rounds),
        "minilm_training_step": training_step(guidance, asked.rounds),
        "provenance": provenance(
            seed=7, threads=torch.get_num_threads(), rounds=asked.rounds, load=os.getloadavg()[0]
        ),
    }
    write_json(asked.out, result)
    for part in ("attention_alone", "minilm_training_step"):
        for name, taken in result[part].items():
            print(
                f"{part:22} {name:14} {taken['ms']:10.1f} ms  {taken['ratio']:.2f} × plain; "
                f"processor {taken['cpu_ms']:10.1f} ms  {taken['cpu_ratio']:.2f} ×"
            )


if __name__ == "__main__":
    main()

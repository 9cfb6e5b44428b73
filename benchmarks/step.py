"""A whole training step, guided and plain, of the same stock encoder on one GPU in one run.

python benchmarks/step.py [-o results/step-h200.json]

BERT-large (24 × 1,024, 16 heads) at 512 tokens and a ModernBERT-base shape (22 × 768) at 8,192,
random weights, every sequence full, autocast bf16, fused AdamW, hidden dropout 0.1, attention dropout
0 on both sides. Both sides are measured eager, with compiled layers (one program for all of them, as
``train.compile`` does), with each compiled layer recorded as a CUDA graph and with the whole pass
recorded as one (as the training loop does with small passes). The fastest plain time is the
yardstick. A recorded pass takes its batch, plans included, from a thread, as in training. Nothing is padded, so BERT's plain attention is called without a mask
(stock ``transformers`` builds one under the compiler and loses flash by it).
``useful`` TFLOP/s count 6 × weights × tokens and the attention over open pairs only; ``dense`` counts
attention over all pairs, on both sides."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AttentionInterface,
    AttentionMaskInterface,
    BertConfig,
    BertModel,
    ModernBertConfig,
    ModernBertModel,
)

import layouts
from phage.attention import Guidance, guide, relation_biases, tiles
from phage.attention.guided_model import plan_ahead
from phage.compiled import compile_layers
from phage.provenance import provenance
from phage.storage import write_json
from phage.training.prefetch import Prefetch
from phage.training.recorded import Recorder


def bert_large() -> Any:
    config = BertConfig(
        vocab_size=39_859, hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
        intermediate_size=4096, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    return BertModel(config, add_pooling_layer=False)


def modern_base() -> Any:
    return ModernBertModel(ModernBertConfig(attention_dropout=0.0, max_position_embeddings=8192))


CASES = {
    "bert-large": (bert_large, ((96, 512), (24, 512), (8, 512))),
    "modernbert-base": (modern_base, ((2, 8192),)),
}

MODES = {"no": None, "layers": None, "graphs": "reduce-overhead", "recorded": None}
"""How much is compiled or recorded, and the compiler's mode; the third records each layer."""


def maskless(
    module: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, _mask: Any, **more: Any
) -> tuple[torch.Tensor, None]:
    """Attend by SDPA without the mask; right where nothing is padded."""
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=more.get("scaling"))
    return out.transpose(1, 2), None


AttentionInterface.register("maskless", maskless)
AttentionMaskInterface.register("maskless", lambda *_, **__: None)


def work(model: Any, batch: int, tokens: int, open_share: float) -> float:
    """Count the floating-point operations of a step: forward and backward."""
    inner = [p.numel() for name, p in model.named_parameters() if "embeddings" not in name]
    width, layers = model.config.hidden_size, model.config.num_hidden_layers
    linear = 6 * sum(inner) * batch * tokens
    return linear + 12 * batch * tokens**2 * width * layers * open_share


def timed(step: Callable[[], None], turns: int = 12) -> float:
    """Median milliseconds of a step after warming up."""
    for _ in range(4):
        step()
    times = []
    for _ in range(turns):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        step()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def trainer(model: Any, ids: torch.Tensor, guidance: Guidance | None) -> Callable[[], None]:
    """Make the step: forward, a loss over [CLS], backward, AdamW; guidance planned once a batch."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    windows = {module.window for module in relation_biases(model)}

    def step() -> None:
        torch.compiler.cudagraph_mark_step_begin()  # recorded outputs may be overwritten from here
        given = {}
        if guidance is not None:
            fresh = Guidance(guidance.nodes, guidance.table, guidance.open)
            for window in windows:
                tiles.plan(fresh, torch.bfloat16, window)
            given = {"guidance": fresh}
        with torch.autocast("cuda", dtype=torch.bfloat16):
            hidden = model(input_ids=ids, **given).last_hidden_state
        hidden[:, 0].float().pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


@dataclass(frozen=True)
class Given:
    """A batch of the recorded pass."""

    ids: torch.Tensor
    guidance: Guidance | None

    def to(self, device: Any) -> Given:
        """Move it without waiting."""
        guidance = self.guidance and self.guidance.to(device)
        return Given(self.ids.to(device, non_blocking=True), guidance)

    def pin_memory(self) -> Given:
        """Pin it, so that the device fetches it by itself."""
        return Given(self.ids.pin_memory(), self.guidance and self.guidance.pin_memory())


def given(model: Any, ids: torch.Tensor, guidance: Guidance | None) -> Iterator[Given]:
    """Make the same batch again and again, as a loader does: planned and pinned."""
    ids, guidance = ids.cpu(), guidance and guidance.to("cpu")
    while True:
        fresh = guidance and Guidance(guidance.nodes, guidance.table, guidance.open)
        if fresh is not None:
            plan_ahead(model, fresh, torch.bfloat16)
        yield Given(ids, fresh).pin_memory()


def recorder(model: Any, batches: Iterator[Given]) -> Callable[[], None]:
    """Make the step whose forward and backward pass are one CUDA graph."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)

    def run(batch: Any, guided: bool) -> torch.Tensor:
        more = {"guidance": batch.guidance} if guided else {}
        with torch.autocast("cuda", dtype=torch.bfloat16):
            hidden = model(input_ids=batch.ids, **more).last_hidden_state
        loss = hidden[:, 0].float().pow(2).mean()
        loss.backward()
        return loss.detach()

    launch = Recorder(run, torch.device("cuda"))

    def step() -> None:
        batch: Any = next(batches)
        launch(batch, batch.guidance is not None)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)

    return step


def measure(build: Callable[[], Any], sizes: tuple[tuple[int, int], ...], way: str) -> list[Any]:
    """Time both sides at every size."""
    rows = []
    for guided in (False, True):
        torch._dynamo.reset()
        torch.manual_seed(0)
        with torch.device("cuda"):
            model = build().train()
        if guided:
            guide(model, engine="kernel", dropout=0.0)
        elif model.config.model_type == "bert":  # ModernBERT's local layers need their mask
            model.set_attn_implementation("maskless")
        if way != "no":
            compile_layers(model, mode=MODES[way])
        for batch, tokens in sizes:
            guidance = layouts.draw(batch, tokens).to("cuda")
            share = float((guidance.codes() >= 0).float().mean())
            ids = torch.randint(1000, 30_000, (batch, tokens), device="cuda")
            torch.cuda.reset_peak_memory_stats()
            asked = guidance if guided else None
            whole = way == "recorded"
            with Prefetch(given(model, ids, asked)) if whole else nullcontext() as batches:
                ms = timed(recorder(model, batches) if whole else trainer(model, ids, asked))
            useful = work(model, batch, tokens, share if guided else 1.0) / ms / 1e9
            row = {
                "batch": batch, "tokens": tokens, "guided": guided, "compiled": way,
                "ms": round(ms, 2), "open_pairs": round(share, 3),
                "useful_tflops": round(useful, 1),
                "dense_tflops": round(work(model, batch, tokens, 1.0) / ms / 1e9, 1),
                "peak_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2),
            }  # fmt: skip
            print(row, flush=True)
            rows.append(row)
        del model
        torch.cuda.empty_cache()
    return rows


def ratios(rows: list[Any]) -> list[dict[str, Any]]:
    """Set the best guided step of each size beside the best plain one."""
    found = []
    for batch, tokens in dict.fromkeys((row["batch"], row["tokens"]) for row in rows):
        mine = [row for row in rows if (row["batch"], row["tokens"]) == (batch, tokens)]
        plain, guided = (
            min((row for row in mine if row["guided"] is side), key=lambda row: row["ms"])
            for side in (False, True)
        )
        found.append(
            {
                "batch": batch,
                "tokens": tokens,
                "guided_over_plain_time": round(guided["ms"] / plain["ms"], 3),
                "guided_over_plain_memory": round(guided["peak_gib"] / plain["peak_gib"], 3),
                "plain_compiled": plain["compiled"],
                "guided_compiled": guided["compiled"],
            }
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="results/step-h200.json")
    parser.add_argument("--case", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--batch", type=int, nargs="*", help="Only these batch sizes.")
    options = parser.parse_args()
    path = Path(options.output)
    # cases not run now are kept, each with its own provenance
    kept = json.loads(path.read_text())["cases"] if path.is_file() else {}
    result: dict[str, Any] = {"what": __doc__, "device": torch.cuda.get_device_name()}
    result["cases"] = kept
    for name in options.case:
        build, sizes = CASES[name]
        sizes = tuple(size for size in sizes if not options.batch or size[0] in options.batch)
        rows: list[Any] = []
        for way in MODES:
            rows += measure(build, sizes, way)
            kept[name] = {"ratios": ratios(rows), "steps": rows, "provenance": provenance()}
            write_json(path, result)  # a run cut short leaves its rows
        print(name, result["cases"][name]["ratios"], flush=True)


if __name__ == "__main__":
    main()

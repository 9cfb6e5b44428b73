"""One job on one device: train, encode, hand the vectors on.

In:   a job and the corpora.
Out:  per share of first weights and per attention one set of vectors, as files; and the model where
      it is to be kept.
Why:  the stock loop and the stock encoder, in a process that lives for many runs: what a run costs
      is its steps, not its imports."""

from __future__ import annotations

import gc
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.mini import corpora
from benchmarks.mini.plan import Job

from phage.attention.batch import Layout, collate
from phage.encoder import Encoder
from phage.errors import PhageError
from phage.projection import CODES
from phage.storage import sha256
from phage.training import loop
from phage.training.checkpoint import Run
from phage.training.data import TrainingSet
from phage.training.model import load_tokenizer
from phage.training.prepare import settings_of
from phage.training.processes import Options
from phage.training.start import average, start_state

BUDGET = 131_072
"""Tokens encoded at once on a GPU."""


@dataclass(frozen=True)
class Made:
    """Vectors of one corpus by one model, in a file."""

    job: Job
    corpus: str
    label: str
    """``plain`` or ``guided``."""
    share: float
    """Of first weights."""
    path: Path
    seconds: Mapping[str, Any]


class Worker:
    """Runs jobs one after the other."""

    def __init__(self, known: Mapping[str, corpora.Prepared], scratch: Path) -> None:
        """Choose the device: the first use of the GPU in this process."""
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.zeros(1, device=self.device)
        self.corpora = known
        self.scratch = scratch
        self._sets: dict[tuple[str, int | None], TrainingSet] = {}
        # The final checkpoint holds what resuming needs; nobody resumes a run of seconds.
        Run.save = lambda *_: None  # type: ignore[method-assign, assignment]
        loop.plot = lambda *_: None  # type: ignore[assignment]
        torch._dynamo.config.recompile_limit = 64  # runs with other shapes share a process

    def rest(self) -> None:
        """Give memory back after a run: other processes need it."""
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()

    def patents(self, job: Job) -> TrainingSet:
        """Give the training set of a job, read once."""
        key = (job.data, job.size)
        if key not in self._sets:
            self._sets[key] = corpora.training_set(self.corpora, *key)
        return self._sets[key]

    def train(self, job: Job) -> tuple[Path, dict[str, Any]]:
        """Train into a folder of its own; say how long it took and how fast its steps were."""
        if job.untrained:
            return Path(job.recipe.backbone.model), {}
        self._check(job)
        place = self.scratch / job.name.replace("/", "_")
        shutil.rmtree(place, ignore_errors=True)
        start = time.monotonic()
        loop.train(job.recipe, self.patents(job), place, Options())
        rows = [json.loads(line) for line in (place / "history.jsonl").read_text().splitlines()]
        later = rows[len(rows) // 3 :]  # warm
        step = sum(row["seconds"] for row in later) / len(later)
        return place, {
            "train": round(time.monotonic() - start, 2),
            "steps": len(rows),
            "step": round(step, 4),
            "tokens_per_s": round(sum(row["tokens"] for row in later) / len(later) / step),
            "loss_first": rows[0]["loss"],
            "loss_last": rows[-1]["loss"],
            "weights": sha256(place / "model.safetensors"),
        }

    def _check(self, job: Job) -> None:
        """Refuse tokens or graphs that were not made as the recipe asks."""
        found = self.patents(job).origin["settings"]
        wanted = settings_of(job.recipe, load_tokenizer(job.recipe))
        found = {"input.section": "claims", **found}
        for key in ("tokenizer", "input.window", "input.fit", "input.section", "graph"):
            if wanted[key] is not None and found[key] != wanted[key]:
                raise PhageError(f"{key} was prepared as {found[key]}, not {wanted[key]}")

    def vectors(self, job: Job, place: Path, took: dict[str, Any]) -> Iterator[Made]:
        """Encode what is scored, graph-free and, where asked, guided."""
        encoder = self.encoder(place, job)
        torch.set_float32_matmul_precision(
            "high"
        )  # TF32: cosines to four digits, eight times faster
        trained = {name: value.clone() for name, value in encoder.model.state_dict().items()}
        first = start_state(job.recipe) if any(job.averages) else {}
        for share in job.averages:
            if share:
                encoder.model.load_state_dict(average(trained, first, share))
            for name in job.score:
                start = time.monotonic()
                found = encoder._encode_ids(self.corpora[name].tokens(), None, self.budget)
                took = {**took, "encode": round(time.monotonic() - start, 2)}
                yield self._made(job, (name, "plain", share), found, took)
        if job.guided and job.recipe.guidable:
            encoder.model.load_state_dict(trained)
            for name in job.score:
                found = self.guided(encoder, job, name)
                yield self._made(job, (name, "guided", 0.0), found, took)
        torch.set_float32_matmul_precision("highest")  # losses need all digits

    @property
    def budget(self) -> int:
        """Give the tokens of a batch."""
        return BUDGET if self.device.type == "cuda" else 4_096

    def encoder(self, place: Path | str, job: Job) -> Encoder:
        """Load a model in float32, as `phage evaluate` on a CPU does."""
        pooling = job.recipe.backbone.pooling
        encoder = Encoder.from_pretrained(place, pooling=pooling, device=self.device)
        encoder.model.float()
        if torch.device(self.device).type == "cuda":  # bfloat16 was loaded: take the exact weights
            from safetensors.torch import load_file

            encoder.model.load_state_dict(
                load_file(Path(place) / "model.safetensors"), strict=False
            )
        return encoder

    @torch.inference_mode()
    def guided(self, encoder: Encoder, job: Job, name: str) -> np.ndarray:
        """Encode with the graph on, from the relation parameters beside the model."""
        from safetensors.torch import load_file

        from phage.attention import guide, relation_biases, release
        from phage.graph.types import Relation

        place = self.scratch / job.name.replace("/", "_")
        model, recipe = encoder.model, job.recipe
        guide(model, dropout=0.0)
        stored = load_file(place / "relations.safetensors")
        for bias, raw in zip(relation_biases(model), stored.get("bias", ()), strict=False):
            bias.raw.copy_(raw)
        used = frozenset(CODES[Relation(one)] for one in recipe.graph.relations)
        corpus = self.corpora[name]
        layout = Layout.of(model, encoder.tokenizer)
        rows = corpus.rows[np.argsort(-corpus.documents.lengths[corpus.rows], kind="stable")]
        size = 256 if self.device.type == "cuda" else 8
        found = {}
        # As in training: the kernel was made for bfloat16.
        half = torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")
        for at in range(0, len(rows), size):
            chosen = rows[at : at + size]
            batch = collate([corpus.documents.projection(int(r), used) for r in chosen], layout)
            batch = batch.to(self.device)
            with half:
                hidden = model(**batch.inputs()).last_hidden_state.float()
            mean = recipe.backbone.pooling == "mean"
            pooled = batch.means(hidden) if mean else batch.documents(hidden)
            unit = torch.nn.functional.normalize(pooled, dim=-1).float().cpu().numpy()
            found.update(zip(chosen.tolist(), unit, strict=True))
        release(model)
        return np.stack([found[row] for row in corpus.rows.tolist()])

    def _made(
        self, job: Job, what: tuple[str, str, float], vectors: np.ndarray, took: dict[str, Any]
    ) -> Made:
        corpus, label, share = what
        name = f"{job.name}/{corpus}-{label}-{share}".replace("/", "_")
        path = self.scratch / f"{name}.npy"
        np.save(path, vectors)
        return Made(job, corpus, label, share, path, took)


def peak(device: torch.device) -> dict[str, Any]:
    """Say what of the GPU was used."""
    if device.type != "cuda":
        return {}
    memory = round(torch.cuda.max_memory_allocated() / 2**30, 1)
    return {"peak_gib": memory, "device": torch.cuda.get_device_name()}

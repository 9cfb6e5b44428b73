"""One run of an ablation: train, encode, score.

In:   a row of a plan, a seed and the prepared inputs.
Out:  ``ROW/seed-N.json`` with the scores and ``seed-N.npz`` with the answers per document or query,
      from which every p can be computed again.
Why:  with the first file a run counts as finished; it is written last, so a run that was killed at
      any moment is done again or goes on from its last checkpoint."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import shutil
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from numpy.typing import NDArray

from phage.errors import PhageError
from phage.evaluation.ablation_inputs import Documents, Inputs
from phage.evaluation.ablation_plan import Row
from phage.evaluation.results import load_samples, save_samples
from phage.evaluation.scoring import TaskScore, score_vectors
from phage.provenance import provenance
from phage.storage import read_json, sha256, write_json
from phage.terminal import messages

if TYPE_CHECKING:
    from phage.training.recipe import Recipe

RUN_FORMAT = "phage-ablation-run/3"
BUDGET = {"cuda": 131_072, "cpu": 4_096}
"""Tokens encoded at once."""


@dataclass(frozen=True)
class Job:
    """One run."""

    row: Row
    seed: int
    inputs: Inputs
    output: Path
    keep_model: bool = False

    @property
    def name(self) -> str:
        """Name it as messages do."""
        return f"{self.row.name}, seed {self.seed}"

    @property
    def error(self) -> Path:
        """Name the file that says why it failed."""
        return self.place.with_suffix(".error")

    @property
    def place(self) -> Path:
        """Name the file of its scores."""
        return self.output / self.row.name / f"seed-{self.seed}.json"

    def finished(self) -> bool:
        """Return whether it is done; refuse scores that were made with other settings."""
        return is_finished(self.place, self.row.load(self.seed), self.tasks_digest())

    def tasks_digest(self) -> str:
        """Name what is asked: same digest, same documents, same questions."""
        digest = hashlib.sha256()
        for name in self.row.score:
            data = self.inputs.tasks(name)
            digest.update(json.dumps([name, dict(data.notes)], sort_keys=True).encode())
            for view, ids in sorted(data.ids.items()):
                digest.update(f"{view}:{','.join(ids)}".encode())
            for task in data.tasks:
                digest.update(task.name.encode())
        return digest.hexdigest()

    def prepare(self) -> None:
        """Make the files that it reads."""
        recipe = self.row.load(self.seed)
        if not self.row.untrained:
            self.inputs.patents(self.row.train, recipe)
        for name in self.row.score:
            self.inputs.tokens(name, recipe)


def run(job: Job, free: contextlib.AbstractContextManager[Any]) -> None:
    """Do one run; ``free`` is held while it trains and encodes."""
    recipe = job.row.load(job.seed)
    folder = Path(recipe.backbone.model)
    took: dict[str, Any] = {}
    with free:
        if not job.row.untrained:
            folder, took = _train(job, recipe)
        start = time.monotonic()
        asked = {name: job.inputs.documents(name, recipe) for name in job.row.score}
        vectors = _encode(str(folder), recipe, asked)
        took["encode"] = round(time.monotonic() - start, 2)
        _rest()
    start, scores = time.monotonic(), []
    for name in job.row.score:
        data = job.inputs.tasks(name)
        # Thousands of tiny steps: a CPU takes them while the GPU trains others.
        found = score_vectors(vectors[name], data, job.inputs.plan.runs, device="cpu")
        scores += [(name, score) for score in found]
    took["score"] = round(time.monotonic() - start, 2)
    _save(job, recipe, scores, took)
    if not job.row.untrained and not job.keep_model:
        shutil.rmtree(folder)
    job.error.unlink(missing_ok=True)


def _train(job: Job, recipe: Recipe) -> tuple[Path, dict[str, Any]]:
    """Train; say how long it took and how fast its steps were."""
    from phage.training.loop import Options, train

    data, start = job.inputs.patents(job.row.train, recipe), time.monotonic()
    # Without guidance nothing keeps the patents of a row apart: such a variant is padded.
    pack = job.inputs.plan.pack and recipe.guided
    place = job.place.with_name(f"run-{job.seed}")
    folder = train(recipe, data, place, Options(resume=True, pack=pack))
    lines = (folder / "history.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [json.loads(line) for line in lines]
    warm = steps[len(steps) // 3 :]
    return folder, {
        "train": round(time.monotonic() - start, 2),
        "steps": len(steps),
        "tokens": sum(step["tokens"] for step in steps),
        "step": round(sum(step["seconds"] for step in warm) / max(1, len(warm)), 4),
        "weights": sha256(folder / "model.safetensors"),
    }


def _encode(
    folder: str, recipe: Recipe, asked: Mapping[str, Documents]
) -> dict[str, dict[str, NDArray[Any]]]:
    """Encode what every data set asks about, graph-free, in float32."""
    from phage.encoder import Encoder

    # On the CPU first: there the weights are loaded as they were saved.
    encoder = Encoder.from_pretrained(
        folder, pooling=recipe.backbone.pooling, window=recipe.input.window, device="cpu"
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder.model.to(device)
    budget = BUDGET[device]
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")  # cosines to four digits, eight times faster
    try:
        return {
            name: {view: encoder.encode_tokens(ids, budget) for view, ids in views.items()}
            for name, views in asked.items()
        }
    finally:
        torch.set_float32_matmul_precision(before)  # losses need all digits


def _rest() -> None:
    """Return the GPU's memory back: other processes need it."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _save(
    job: Job, recipe: Recipe, scores: Sequence[tuple[str, TaskScore]], took: Mapping[str, Any]
) -> None:
    from phage.training.recipe_file import to_toml

    # Two data sets may have tasks of one name.
    named = [(name, replace(score, task=f"{name}/{score.task}")) for name, score in scores]
    save_samples(job.place.with_suffix(".npz"), [score for _, score in named])
    row = {
        "format": RUN_FORMAT,
        "variant": job.row.name,
        "seed": job.seed,
        "recipe": to_toml(recipe),
        "trained_on": [] if job.row.untrained else list(job.row.train),
        "tasks_digest": job.tasks_digest(),
        "tasks": {score.task: {"data_set": name, **score.to_json()} for name, score in named},
        "seconds": dict(took),
        "provenance": provenance(),
    }
    write_json(job.place, row)  # last: with it the run counts as finished
    shown = (f"{score.task} {next(iter(score.runs.values()))[0]:.3f}" for _, score in named)
    messages.print(f"{job.name}: {', '.join(shown)}", highlight=False)


def is_finished(place: Path, recipe: Recipe, tasks: str) -> bool:
    """Return whether a run is done; refuse one that was made with other settings."""
    from phage.training.recipe_file import to_toml

    if not place.is_file():
        return False
    try:
        row = read_json(place)
        load_samples(place.with_suffix(".npz"))
        if not isinstance(row, dict):
            raise PhageError("this is not a result")
    except PhageError as error:
        messages.print(f"{place}: {error.message}; it will be trained again", markup=False)
        return False
    made_with = (row.get("format"), row.get("tasks_digest"), _rewritten(row.get("recipe")))
    wanted = (RUN_FORMAT, tasks, to_toml(recipe))
    if made_with == wanted:
        return True
    whats = ("version of phage", "evaluation data", "recipe")
    what = next(w for w, one, other in zip(whats, made_with, wanted, strict=True) if one != other)
    raise PhageError(
        f"this run was made with another {what}",
        place=str(place),
        remedy="choose another -o, or delete the file to train it again",
    )


def _rewritten(recipe: object) -> object:
    """Return the recipe of a finished run as this version writes it."""
    from phage.training.recipe_file import from_values, to_toml

    try:
        return to_toml(from_values(tomllib.loads(str(recipe))))
    except (PhageError, tomllib.TOMLDecodeError):
        return recipe

"""One model out of several seeds: the mean of their weights, scored.

python -m benchmarks.mini run final --again --variant phage-mini --leave runs/mini/models --out …
python -m benchmarks.mini.average runs/mini/models --out … [--package src/phage/models/phage-mini]

In:   folders of trained models that started from the same weights, by run (``run --leave``).
Out:  rows of the stage ``average`` (test) and ``average-validation``, and the weights in parts;
      with ``--package`` what the package carries of it, bit for bit.
Why:  seeds err in different directions; their mean costs nothing at inference. One model has no
      deviation over seeds: the rows of the table stay those of single seeds."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from benchmarks.mini import corpora, plan
from benchmarks.mini.schedule import Call, append, brief, keep, pack, scored
from benchmarks.mini.work import Worker
from safetensors.torch import load_file, save_file
from torch import Tensor

from phage.evaluation.tasks import Part
from phage.storage import atomic


def mean(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Average weights; what is no weight is taken from the first.

    >>> mean([{"w": torch.tensor([1.0])}, {"w": torch.tensor([4.0])}])
    {'w': tensor([2.5000])}
    """
    return {
        name: torch.stack([state[name].float() for state in states]).mean(0).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in states[0].items()
    }


def averaged(folders: Sequence[Path], place: Path) -> Path:
    """Write the mean of several models, with the small files of the first."""
    shutil.copytree(folders[0], place, dirs_exist_ok=True)
    state = mean([load_file(folder / "model.safetensors") for folder in folders])
    save_file(state, place / "model.safetensors", {"format": "pt"})
    return place


def package(place: Path, to: Path) -> None:
    """Write what the package carries: fp16 weights without the unused pooler, relations, recipe."""
    state = load_file(place / "model.safetensors")
    carried = {name: v.half() for name, v in state.items() if not name.startswith("pooler.")}
    to.mkdir(parents=True, exist_ok=True)
    with atomic(to / "model.safetensors") as partial:
        save_file(carried, partial, {"format": "pt"})
    for name in ("relations.safetensors", "recipe.toml"):
        shutil.copyfile(place / name, to / name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    parser.add_argument("--data", type=Path, default=Path("gpu/mini"))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--stage", default="final")
    parser.add_argument("--variant", default="phage-mini")
    parser.add_argument("--set", nargs="*", default=[], help="lines changed in all recipes")
    parser.add_argument("--scratch", type=Path, default=Path("runs/mini/average"))
    parser.add_argument("--package", type=Path, help="write the package's files here")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    folders = sorted(options.models.glob(f"{options.stage}_{options.variant}_*"))
    print(f"the mean of {', '.join(folder.name for folder in folders)}")
    setting = plan.Setting(options.data / "base", tuple(options.set), 1, (options.variant,))
    (first,) = plan.jobs(options.stage, setting)
    job = replace(first, stage="average", variant=f"{options.variant}-{len(folders)}", seed=0)
    place = averaged(folders, options.scratch / "model")
    keep(place, options.out, job)
    if options.package:
        package(place, options.package)
    known = {name: corpora.load(options.data, name) for name in job.score}
    worker = Worker(known, options.scratch)
    for made in worker.vectors(replace(job, guided=False), place, {"models": len(folders)}):
        asked = known[made.corpus].tasks
        for part, stage in ((Part.VALIDATION, "average-validation"), (Part.TEST, "average")):
            asks = replace(job, part=part.value, stage=stage)
            row = scored(replace(made, job=asks), asked, options.scratch)
            append(options.out / f"{stage}.jsonl", row)
            print(brief(row), flush=True)
    pack(Call(options.data, options.out, options.scratch), "average")


if __name__ == "__main__":
    main()

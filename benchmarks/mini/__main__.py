"""phage-mini, stage by stage.

python -m benchmarks.mini plan                              # what there is to do, expected seconds
python -m benchmarks.mini inputs                            # is it prepared as it was for the results?
python -m benchmarks.mini run search --deadline 540         # on the GPU machine → --out
python -m benchmarks.mini merge FOLDER                      # rows and samples that came back
python -m benchmarks.mini run both --again --variant phage-mini --seeds 1; … again FOLDER
python -m benchmarks.mini table                             # results/mini/table.{json,md}, growth.svg

Stages stand in plan.toml. A run that is in results/mini already, made by the same recipe, is passed
over; one that could not end before the deadline is not begun. ``--smoke`` rehearses it all on a CPU
with invented patents."""

from __future__ import annotations

import os

# Before torch: forks must find the GPU untouched, and each process has one core to itself.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "3")

import argparse
import json
import shutil
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.mini import plan
from benchmarks.mini.corpora import counted
from benchmarks.mini.rows import rows

from phage.training.recipe import Recipe
from phage.training.recipe_file import from_values

RESULTS = Path("results/mini")
STEPS = 250
"""Of a usual run: five passes over the week."""


def done(folders: Iterable[Path]) -> dict[str, list[dict[str, Any]]]:
    """Collect the rows of every job that is in a results folder."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in (row for folder in folders for row in rows(folder)):
        found.setdefault(row["job"], []).append(row)
    return found


def finished(job: plan.Job, found: Iterable[dict[str, Any]]) -> bool:
    """Say whether all that a job scores has been scored with a model of its recipe."""
    made = [row for row in found if same(row["recipe"], job.recipe)]
    scored = {(row["corpus"], row["attention"], row["share"]) for row in made if "corpus" in row}
    return bool(made) and scored >= {*job.scored}


def same(old: str, recipe: Recipe) -> bool:
    """Say whether a run was made by this recipe; settings that are younger had their default."""
    return from_values(tomllib.loads(old)) == recipe


def chosen(options: argparse.Namespace) -> list[plan.Job]:
    """List the jobs of the stages asked for that are still to do, and can be done."""
    from benchmarks.mini.schedule import needed

    setting = plan.Setting(
        options.data / "base", tuple(options.set or ()), options.seeds,
        tuple(options.variant or ()), options.bases,
    )  # fmt: skip
    every = [job for stage in options.stage for job in plan.jobs(stage, setting)]
    old = done([options.out] if options.again else [options.results, options.out])
    todo = [job for job in every if not finished(job, old.get(job.name, ()))]
    found = {path.name.partition(".")[0] for path in options.data.glob("*.safetensors.xz")}
    lacking = {job.name: {*needed([job])} - found for job in todo}
    for job in todo:
        if not (Path(job.recipe.backbone.model) / "config.json").is_file():
            lacking[job.name].add(job.recipe.backbone.model)  # see bases
    for name, missing in lacking.items():
        if missing:
            print(f"{name} is left out: {', '.join(sorted(missing))} is not prepared")
    return [job for job in todo if not lacking[job.name]]


def show(options: argparse.Namespace) -> None:
    """Print what there is to do."""
    from benchmarks.mini.schedule import Call

    counts = _counts(options.data)
    call = Call(
        options.data, options.out, options.out, trainers=options.trainers, rate=options.rate
    )
    total = 0.0
    for stage in options.stage or list(plan.stages()):
        setting = plan.Setting(options.data / "base", tuple(options.set or ()), options.seeds)
        jobs = plan.jobs(stage, setting)
        work = sum(job.sequences(counted(job.data, counts)) for job in jobs)
        seconds = sum(call.expected(job, counts) for job in jobs) / call.trainers
        total += seconds
        print(f"{stage:10} {len(jobs):3} runs {work / 1e6:6.2f} M sequences {seconds:6.0f} s")
        if options.verbose:
            for job in jobs:
                print(f"    {job.name:46} {call.expected(job, counts):5.0f} s")
    print(f"{'all':10} {total:36.0f} s, with {call.trainers} at {call.rate:,.0f} sequences/s")


def _counts(folder: Path) -> dict[str, int]:
    told = folder / "manifest.json"
    from benchmarks.mini.corpora import FIELD, OTHERWISE, WEEK

    found = {**dict.fromkeys((WEEK, *OTHERWISE), 3_244), FIELD: 43_320}
    if told.is_file():
        known = json.loads(told.read_text())["corpora"]
        found.update({name: row["trained"] for name, row in known.items()})
    return found


def work(options: argparse.Namespace) -> None:
    """Run stages on this machine; one that calibrates decides how the others are computed."""
    from benchmarks.mini.schedule import Call, run

    end = time.monotonic() + options.deadline
    scratch = Path(tempfile.mkdtemp(prefix="mini-", dir=_roomy()))
    call = Call(
        options.data, options.out, scratch, options.trainers, options.scorers,
        options.deadline, options.rate, options.leave,
    )  # fmt: skip
    stages = options.stage
    try:
        if "calibrate" in stages:
            stages = [stage for stage in stages if stage != "calibrate"]
            alone = argparse.Namespace(**{**vars(options), "stage": ["calibrate"]})
            if stages:  # seeds and variants are meant for those
                alone.seeds = alone.variant = None
            for group in _groups(chosen(alone)):
                run(group, replace(call, deadline=end - time.monotonic()))
            call = replace(call, rate=_settle(options) or call.rate)
        options.stage = stages
        jobs = chosen(options)
        print(f"{len(jobs)} runs to do, {call.rate:.0f} sequences/s expected", flush=True)
        if jobs:
            run(jobs, replace(call, deadline=end - time.monotonic()))
    finally:
        for log in scratch.glob("*.log"):
            text = log.read_text(errors="replace")
            if any(word in text for word in ("Error", "Warning", "Timeout")):
                print(f"--- {log.name}\n{text[-1500:]}")
        shutil.rmtree(scratch, ignore_errors=True)


def _settle(options: argparse.Namespace) -> float:
    """Take the faster way of computing for all stages to come; give its sequences per second."""
    path = options.out / "calibrate.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    speeds: dict[str, float] = {}
    for row in rows:
        took = row["seconds"]
        # A run of the usual length, with what comes before its steps: compiling takes long.
        whole = took["train"] + (STEPS - took["steps"]) * took["step"]
        speed = STEPS * row["rows"] / whole
        speeds[row["variant"]] = speeds.get(row["variant"], 0.0) + speed
    print(f"sequences/s of {len(rows)} calibrating runs: {speeds}", flush=True)
    eager = speeds.get("eager", 0.0)
    if speeds.get("compiled", 0.0) > 1.1 * eager:
        options.set = [*(options.set or []), "train.compile=true"]
        return speeds["compiled"]
    return eager


def _roomy() -> Path | None:
    """Name the memory disk where it has room: runs are written and read once."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > 16 << 30 else None


def _groups(jobs: list[plan.Job]) -> list[list[plan.Job]]:
    """Keep variants apart: each is timed with others of its kind."""
    apart: dict[str, list[plan.Job]] = {}
    for job in jobs:
        apart.setdefault(job.variant, []).append(job)
    return list(apart.values())


def merge(options: argparse.Namespace) -> None:
    """Take in what came back from the GPU machine."""
    options.results.mkdir(parents=True, exist_ok=True)
    for path in sorted(options.folder.glob("*.jsonl")):
        target = options.results / path.name
        known = set(target.read_text(encoding="utf-8").splitlines()) if target.exists() else set()
        fresh = [line for line in path.read_text("utf-8").splitlines() if line not in known]
        with target.open("a", encoding="utf-8") as out:
            out.writelines(f"{line}\n" for line in fresh)
        print(f"{target}: {len(fresh)} rows more")
    for path in sorted(options.folder.glob("samples-*.tar")):
        with tarfile.open(path) as tar:
            tar.extractall(options.results / "samples", filter="data")
    for path in sorted(options.folder.glob("*.safetensors.0")):
        name = path.name.removesuffix(".safetensors.0")
        place = options.models / name
        place.mkdir(parents=True, exist_ok=True)
        parts = sorted(
            options.folder.glob(f"{name}.safetensors.*"), key=lambda p: int(p.suffix[1:])
        )
        (place / "model.safetensors").write_bytes(b"".join(part.read_bytes() for part in parts))
        with tarfile.open(options.folder / f"{name}.tar") as tar:
            tar.extractall(place, filter="data")
        print(f"{place}: the model")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["plan", "inputs", "run", "merge", "again", "table"])
    parser.add_argument(
        "stage", nargs="*", help="stages; for merge and again the folder that came back"
    )
    parser.add_argument("--data", type=Path, default=Path("gpu/mini"))
    parser.add_argument("--bases", type=Path, default=Path("gpu/bases"), help="what bases made")
    parser.add_argument("--out", type=Path, default=Path(os.environ.get("OUT", "runs/mini")))
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--models", type=Path, default=Path("runs/mini"))
    parser.add_argument("--deadline", type=float, default=540.0, help="seconds from now")
    parser.add_argument("--trainers", type=int, default=5)
    parser.add_argument("--scorers", type=int, default=max(1, (os.cpu_count() or 2) - 7))
    parser.add_argument("--rate", type=float, default=plan.RATE, help="sequences/s, all together")
    parser.add_argument("--seeds", type=int, help="only so many")
    parser.add_argument("--variant", nargs="*", help="only these")
    parser.add_argument("--leave", type=Path, help="where every trained model is left")
    parser.add_argument("--set", nargs="*", help="lines changed in all recipes")
    parser.add_argument("--again", action="store_true", help="also what results have, to compare")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    if options.what == "plan":
        show(options)
    elif options.what == "inputs":
        from benchmarks.mini.inputs import write as note

        note(options.data, options.results)
    elif options.what == "run":
        work(options)
    elif options.what == "merge":
        options.folder = Path(options.stage[0])
        merge(options)
    elif options.what == "again":
        from benchmarks.mini.again import write as compare

        compare(Path(options.stage[0]), options.results)
    else:
        from benchmarks.mini.table import write

        write(options.results)


if __name__ == "__main__":
    main()

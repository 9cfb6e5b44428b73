"""Train and evaluate a folder of recipes.

In:   recipes that differ in one line each, patents, seeds.
Out:  per variant and seed one file of scores; per variant mean, deviation and differences.
Why:  the paper's ablation and λ tables in one command that can be stopped and started again:
      what is finished is never repeated, what was interrupted goes on from its last checkpoint."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.datasets.benchmark import Benchmark
from phage.evaluation.leakage import find_leaks
from phage.evaluation.results import load_samples, save_samples
from phage.evaluation.scoring import RUNS, TaskScore, score_vectors
from phage.evaluation.tasks import Split
from phage.provenance import provenance
from phage.storage import read_json, read_text, readable, write_json, write_text
from phage.terminal import messages

if TYPE_CHECKING:
    from phage.training.data import TrainingSet
    from phage.training.recipe import Recipe

FULL, BACKBONE = "full", "backbone"
RUN_FORMAT = "phage-ablation-run/2"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is trained and on what it is evaluated."""

    recipes: Path
    """Folder of recipes; one file per variant."""
    benchmarks: tuple[Benchmark, ...]
    seeds: int = 5
    base: Path | None = None
    """Recipe the variants start from, in place of their own; itself the ``full`` variant."""
    changes: tuple[str, ...] = ()
    """Lines changed in every variant: ``train.epochs=1``."""
    train: Callable[[], Iterable[Patent]] | None = None
    """Reads the training patents, once per window; else the first benchmark's training part."""
    runs: int = RUNS
    workers: int = 1
    pack: bool = False
    """Several patents per row, in the variants whose attention is guided."""
    keep_models: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    """About the training data: file hashes."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of the table."""

    name: str
    path: Path | None
    """None for the full recipe, which is the base itself, and for the backbone."""


def variants(plan: Plan) -> list[Variant]:
    """List the backbone, every recipe of the folder, and the full one they differ from."""
    files = sorted(plan.recipes.glob("*.toml"))
    if not files:
        raise PhageError("no recipe is in this folder", place=str(plan.recipes))
    found = [Variant(file.stem, file) for file in files]
    if not any(variant.name == FULL for variant in found) and _base(plan):
        found.append(Variant(FULL, _base(plan)))
    return [Variant(BACKBONE, None), *found]


def run_all(plan: Plan, output: Path) -> list[Variant]:
    """Train and score all variants with all seeds; finished ones are passed over."""
    todo = variants(plan)
    tasks = _tasks_digest(plan.benchmarks)
    sets: list[TrainingSet] = []
    for variant in todo:
        for seed in [0] if variant.name == BACKBONE else range(1, plan.seeds + 1):
            place = output / variant.name / f"seed-{seed}.json"
            recipe = _recipe(plan, variant, seed)
            if _finished(place, recipe, tasks):
                messages.print(f"{variant.name}, seed {seed}: done before", highlight=False)
                continue
            if variant.name == BACKBONE:
                folder = recipe.backbone.model
            else:
                prepared = _prepared(plan, recipe, output, sets)
                folder = str(_train(plan, recipe, prepared, output / variant.name / f"run-{seed}"))
            scores = _score(folder, recipe, plan)
            _save(place, (variant, seed), recipe, scores, tasks)
            if variant.name != BACKBONE and not plan.keep_models:
                shutil.rmtree(folder)
    return todo


def _base(plan: Plan) -> Path | None:
    """Find the recipe that the folder's files start from."""
    import tomllib

    if plan.base is not None:
        return plan.base
    bases = set()
    for file in plan.recipes.glob("*.toml"):
        with readable(file):
            values = tomllib.loads(read_text(file, "utf-8-sig"))
        if "base" in values:
            bases.add((file.parent / str(values["base"])).resolve())
    return bases.pop() if len(bases) == 1 else None


def _recipe(plan: Plan, variant: Variant, seed: int) -> Recipe:
    from phage.training.recipe_file import load

    base = _base(plan)
    path = variant.path or base or next(iter(sorted(plan.recipes.glob("*.toml"))))
    changes = (*plan.changes, f"train.seed={seed}")
    return load(path, changes, None if path == base else plan.base)


def _prepared(plan: Plan, recipe: Recipe, output: Path, sets: list[TrainingSet]) -> TrainingSet:
    """Give a training set that fits; variants that read the same tokens and graphs share one."""
    from phage.training.model import load_tokenizer
    from phage.training.prepare import agree

    tokenizer = load_tokenizer(recipe)
    if not sets and _base(plan):
        # The full recipe first: its graphs serve all variants, those of No Graph would serve none.
        sets.append(_prepare(plan, _recipe(plan, Variant(FULL, _base(plan)), 1), tokenizer, output))
    for found in sets:
        if agree(found, recipe, tokenizer) is None:
            return found
    sets.append(_prepare(plan, recipe, tokenizer, output))
    return sets[-1]


def _prepare(
    plan: Plan,
    recipe: Recipe,
    tokenizer: Any,  # noqa: ANN401  (a fast tokenizer of transformers)
    output: Path,
) -> TrainingSet:
    from phage.terminal import progress
    from phage.training.prepare import Corpus, cached, prepare, settings_of

    first = plan.benchmarks[0]
    own = plan.train is None
    others = plan.benchmarks[1:] if own else plan.benchmarks
    held_out = [p for b in others for p in b.patents(Split.TEST)]
    patents = list(first.patents(Split.TRAIN) if plan.train is None else plan.train())
    if own:
        # The hash split keeps inventions together; this proves it for the very patents used.
        find_leaks(patents, first.patents(Split.TEST)).refuse()

    def make() -> TrainingSet:
        corpus = Corpus(patents, held_out=held_out, facts=dict(plan.facts))
        with progress("preparing", len(patents), "patents") as advance:
            return prepare(corpus, recipe, tokenizer, plan.workers, advance)

    settings = json.dumps(settings_of(recipe, tokenizer), sort_keys=True)
    name = f"training-set-{hashlib.sha256(settings.encode()).hexdigest()[:8]}.safetensors"
    return cached(output / name, recipe, tokenizer, make, strict=True)


def _train(plan: Plan, recipe: Recipe, prepared: TrainingSet, place: Path) -> Path:
    from phage.training.loop import Options, train

    # Without guidance nothing keeps the patents of a row apart: such a variant is padded.
    return train(recipe, prepared, place, Options(resume=True, pack=plan.pack and recipe.guided))


def _score(folder: str, recipe: Recipe, plan: Plan) -> list[tuple[str, TaskScore]]:
    """Encode and score on every benchmark, graph-free, with the window of the training."""
    from phage.evaluation.peers.models import load_model
    from phage.terminal import progress

    embedder = load_model(folder, pooling=recipe.backbone.pooling, window=recipe.input.window)
    scores = []
    for benchmark in plan.benchmarks:
        vectors = {}
        for view, ids in benchmark.tasks.ids.items():
            with progress(f"{recipe.name}: encoding {view}", len(ids), "documents") as advance:
                vectors[view] = embedder.embed(benchmark.texts(view), advance)
        found = score_vectors(vectors, benchmark.tasks, plan.runs)
        scores += [(benchmark.tasks.data_set, score) for score in found]
    return scores


def _save(
    place: Path,
    who: tuple[Variant, int],
    recipe: Recipe,
    scores: Sequence[tuple[str, TaskScore]],
    tasks: str,
) -> None:
    from phage.training.recipe_file import to_toml

    # Two data sets may have tasks of one name.
    named = [(name, replace(score, task=f"{name}/{score.task}")) for name, score in scores]
    save_samples(place.with_suffix(".npz"), [score for _, score in named])
    row = {
        "format": RUN_FORMAT,
        "variant": who[0].name,
        "seed": who[1],
        "recipe": to_toml(recipe),
        "tasks_digest": tasks,
        "tasks": {score.task: {"data_set": name, **score.to_json()} for name, score in named},
        "provenance": provenance(),
    }
    write_json(place, row)  # last: with it the run counts as finished


def _finished(place: Path, recipe: Recipe, tasks: str) -> bool:
    """Tell whether a run is done, and refuse one that was made otherwise."""
    from phage.training.recipe_file import to_toml

    if not place.is_file():
        return False
    try:
        row = read_json(place)
        load_samples(place.with_suffix(".npz"))
        if not isinstance(row, dict):
            raise PhageError("this is not a result")
    except PhageError as error:
        messages.print(f"{place}: {error.message}; it is made again", markup=False)
        return False
    told = (row.get("format"), row.get("tasks_digest"), row.get("recipe"))
    wanted = (RUN_FORMAT, tasks, to_toml(recipe))
    if told == wanted:
        return True
    whats = ("version of phage", "evaluation data", "recipe")
    what = next(w for w, one, other in zip(whats, told, wanted, strict=True) if one != other)
    raise PhageError(
        f"this run was made with another {what}",
        place=str(place),
        remedy="choose another -o, or delete the file to train it again",
    )


def _tasks_digest(benchmarks: Iterable[Benchmark]) -> str:
    """Name what is asked: same digest, same documents, same questions."""
    digest = hashlib.sha256()
    for benchmark in benchmarks:
        data = benchmark.tasks
        digest.update(json.dumps([data.data_set, dict(data.notes)], sort_keys=True).encode())
        for view, ids in sorted(data.ids.items()):
            digest.update(f"{view}:{','.join(ids)}".encode())
        for task in data.tasks:
            digest.update(task.name.encode())
    return digest.hexdigest()


def write_outputs(output: Path, row: Mapping[str, Any], markdown: str, latex: str) -> None:
    """Write the table in three forms."""
    write_json(output / "ablation.json", row)
    write_text(output / "ablation.md", markdown)
    write_text(output / "ablation.tex", latex)

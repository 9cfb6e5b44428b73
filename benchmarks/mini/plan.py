"""Which runs there are, and how long each takes.

In:   ``plan.toml`` and the recipes it names.
Out:  jobs: a recipe, a corpus, a seed, what is scored; in the order they are run.
Why:  the whole protocol is data, committed; what has been done is known by a job's name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from phage.errors import PhageError
from phage.training.recipe import Recipe
from phage.training.recipe_file import load

ROOT = Path(__file__).parents[2]
PLAN = Path(__file__).with_name("plan.toml")
RATE = 3_000.0
"""Sequences per second of all processes together, eager, first trial on an H200; until measured."""


@dataclass(frozen=True)
class Job:
    """One training run and its scoring."""

    stage: str
    variant: str
    data: str
    """Corpus trained on: ``week``, ``a61b5`` or ``both``."""
    size: int | None
    """Patents of it; None for all."""
    seed: int
    recipe: Recipe
    score: tuple[str, ...]
    """Corpora scored."""
    part: str
    averages: tuple[float, ...] = (0.0,)
    """Shares of the first weights to score the model with."""
    runs: int = 5
    """Of probe and K-Means."""
    guided: bool = False
    """Score it with the graph on as well."""
    keep: bool = False
    """Keep the model of the first seed."""
    untrained: bool = False
    """The backbone as it is."""

    @property
    def name(self) -> str:
        """Tell it from all others."""
        size = "" if self.size is None else f"-{self.size}"
        return f"{self.stage}/{self.variant}/{self.data}{size}/{self.seed}"

    @property
    def scored(self) -> Iterator[tuple[str, str, float]]:
        """Name what is scored: corpus, attention, share of first weights."""
        for corpus in self.score:
            yield from ((corpus, "plain", share) for share in self.averages)
            if self.guided and self.recipe.guidable:
                yield corpus, "guided", 0.0

    def sequences(self, patents: int) -> float:
        """Count what is encoded in training, in sequences."""
        train, loss = self.recipe.train, self.recipe.loss
        if self.untrained:
            return 0.0
        anchors = min(patents, self.size or patents) * train.epochs
        if train.max_steps:
            anchors = min(anchors, train.max_steps * train.batch * train.accumulation)
        rows = 2.0 if loss.negatives == "pairs" else 3.0
        if self.recipe.viewed:
            rows += 1.0 if loss.view == "whole" else 0.6
        return rows * anchors


@dataclass(frozen=True)
class Setting:
    """What holds for all jobs of a call."""

    base: Path
    """The backbone."""
    changes: tuple[str, ...] = ()
    """Lines changed in every recipe, such as ``train.compile=true``."""
    seeds: int | None = None
    """Only the first ones."""
    variants: tuple[str, ...] = ()
    """Only these; all unless named."""
    bases: Path = Path("gpu/bases")
    """Backbones made beside it (``bases``), which a variant names by ``start``."""


def stages(path: Path = PLAN) -> dict[str, Any]:
    """Read the plan."""
    found: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))["stage"]
    return found


def jobs(stage: str, setting: Setting, path: Path = PLAN) -> list[Job]:
    """List the jobs of a stage: seed by seed, so that a call cut short has all variants."""
    known = stages(path)
    if stage not in known:
        raise PhageError(f"the plan has no stage '{stage}'", remedy=f"one of {', '.join(known)}")
    about = known[stage]
    wanted = setting.variants or tuple(about["variants"])
    found = []
    for size in about.get("sizes", [None]):
        for seed in about["seeds"][: setting.seeds]:
            for variant in wanted:
                if seed not in about["variants"].get(variant, {}).get("seeds", about["seeds"]):
                    continue  # fewer suffice for some
                found.append(_job(stage, about, variant, setting, (size, seed)))
    return sorted(found, key=lambda job: about["seeds"].index(job.seed))


def _job(
    stage: str, about: Mapping[str, Any], variant: str, setting: Setting, which: tuple[Any, int]
) -> Job:
    recipe = _recipe(about, variant, setting, which[1])
    about = {**about, **about["variants"][variant]}  # a variant may have its own data and score
    untrained = about.get("untrained", False)
    return Job(
        stage, variant, about["data"], which[0], which[1], recipe,
        tuple(about["score"]), about.get("part", "validation"),
        (0.0,) if untrained else tuple(about.get("averages", [0.0])), about.get("runs", 5),
        untrained=untrained,
        guided=variant in about.get("guided", []),
        keep=variant in about.get("keep", []) and which[1] == about["seeds"][0],
    )  # fmt: skip


def _recipe(about: Mapping[str, Any], variant: str, setting: Setting, seed: int) -> Recipe:
    if variant not in about["variants"]:
        known = ", ".join(about["variants"])
        raise PhageError(f"the stage has no variant '{variant}'", remedy=f"one of {known}")
    row = about["variants"][variant]
    changes = tuple(_changes(about, row))
    start = row.get("start")
    while "like" in row:
        row = about["variants"][row["like"]]
        start = start or row.get("start")
    model = setting.bases / start if start else setting.base
    base = ROOT / "recipes" / f"{row['base']}.toml" if "base" in row else None
    return replace(
        load(
            ROOT / "recipes" / f"{row['recipe']}.toml",
            [
                f"backbone.model={model}", "train.save_every=0", *about.get("changes", []),
                *changes, *setting.changes, f"train.seed={seed}",
            ],
            base,
        ),
        name=variant,
    )  # fmt: skip


def _changes(about: Mapping[str, Any], row: Mapping[str, Any]) -> Iterator[str]:
    if "like" in row:
        yield from _changes(about, about["variants"][row["like"]])
    yield from row.get("changes", [])

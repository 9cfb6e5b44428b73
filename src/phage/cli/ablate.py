"""``phage ablate``: train and evaluate a folder of recipes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from phage.claims import Patent
    from phage.evaluation.datasets import Benchmark


def ablate(
    recipes: Annotated[
        Path, typer.Option(help="Folder of recipes that differ in one line each.")
    ] = Path("recipes/ablations"),
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A weekly file, or NAME=PATH for another data set; repeatable. Invented patents "
            "where none is given and the recipe allows it."
        ),
    ] = None,
    train: Annotated[
        list[Path] | None,
        typer.Option(help="Train on these; otherwise on the training part of the first --data."),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings per variant.")] = 5,
    base: Annotated[
        Path | None, typer.Option(help="Recipe they start from, in place of their own base.")
    ] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="Change a line in all: train.epochs=1.")
    ] = None,
    validation: Annotated[
        bool, typer.Option(help="Score the validation part: to choose λ, not to report.")
    ] = False,
    runs: Annotated[int, typer.Option(min=1, help="Runs of probe and K-Means each.")] = 5,
    workers: Annotated[int, typer.Option(min=1, help="Processes that build graphs.")] = 1,
    pack: Annotated[
        bool, typer.Option("--pack", help="Several patents per row where guided; for GPUs.")
    ] = False,
    keep_models: Annotated[bool, typer.Option(help="Keep the trained folders.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of results.")] = Path(
        "results/ablation"
    ),
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Train and evaluate every recipe of a folder, several seeds each; stop and go on at will.

    Prints mean ± deviation, on the paper's data sets beside the paper's figures; † differs from full,
    ‡ from No Graph by a paired randomisation test (p < 0.05). Writes ablation.json, .md, .tex, .png.

    Example: phage ablate --recipes recipes/ablations --base recipes/mini/untaught.toml --data week.xml
    """
    from functools import partial

    from phage import terminal
    from phage.claims import read_some
    from phage.evaluation import ablation, ablation_table
    from phage.evaluation.randomisation import TEST
    from phage.evaluation.tables import latex, markdown
    from phage.provenance import provenance
    from phage.storage import alone, sha256
    from phage.training.recipe_file import find

    recipes, base = find(recipes), find(base) if base else None
    plan = ablation.Plan(
        recipes,
        _benchmarks(data or [], base or recipes, validation),
        seeds,
        base,
        tuple(change or ()),
        partial(read_some, train) if train else None,
        runs,
        workers,
        pack,
        keep_models,
        {"files": {path.name: sha256(path) for path in train or [] if path.is_file()}},
    )
    with alone(output, output / ".lock"):
        done = ablation.run_all(plan, output)
        table = ablation_table.read_table(output, [variant.name for variant in done])
        titles, rows = ablation_table.titles(table), ablation_table.rows(table)
        compared = ablation_table.differences(table)
        heads = ["Variant", "Measure", "Against", "Difference", "95 %", "p"]
        row = {
            "format": ablation_table.FORMAT,
            "test": TEST,
            "table": ablation_table.to_json(table),
            "notes": [dict(benchmark.tasks.notes) for benchmark in plan.benchmarks],
            "provenance": provenance(seeds=seeds, runs=runs, changes=list(plan.changes)),
        }
        text = markdown(titles, rows) + f"\np: {TEST}.\n\n" + markdown(heads, compared)
        ablation.write_outputs(output, row, text, latex(titles, rows))
        ablation_table.plot(table, output / "ablation.png")
    if json:
        terminal.emit_json(row)
        return
    terminal.table(f"{output}, {seeds} seeds", titles, rows)
    terminal.messages.print(f"written: {output}/ablation.json, .md, .tex, .png", highlight=False)


def _benchmarks(data: list[str], recipe: Path, validation: bool) -> tuple[Benchmark, ...]:
    from dataclasses import replace

    from phage.errors import PhageError
    from phage.evaluation.datasets import DATA_SETS, week
    from phage.evaluation.tasks import Part

    found = []
    for text in data:
        name, _, path = text.rpartition("=")
        name = name or "uspto-week"
        if name not in DATA_SETS:
            raise PhageError(f"no data set '{name}'", remedy=f"one of {', '.join(DATA_SETS)}")
        found.append(DATA_SETS[name][1](path))
    names = [one.tasks.data_set for one in found]
    for place, name in enumerate(names):
        if names.count(name) > 1:  # two weeks: their scores must not meet under one name
            file = Path(data[place].rpartition("=")[2]).name
            tasks = replace(found[place].tasks, data_set=f"{name} {file}")
            found[place] = replace(found[place], tasks=tasks)
    if not found:
        found.append(week.from_patents(_invented(recipe)))
    parts = (Part.VALIDATION,) if validation else (Part.TEST,)
    return tuple(replace(one, tasks=one.tasks.choose(parts)) for one in found)


def _invented(recipe: Path) -> list[Patent]:
    from phage.claims.invented import invent
    from phage.errors import PhageError
    from phage.training.recipe_file import load

    count = load(recipe).input.invented if recipe.is_file() else 0
    if not count:
        raise PhageError(
            "there is nothing to train and evaluate on",
            remedy="give --data with a weekly file, or --base recipes/debug.toml to try it out",
        )
    return [invention.patent for invention in invent(count)]

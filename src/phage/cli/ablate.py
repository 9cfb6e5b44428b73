"""``phage ablate``: train and evaluate the rows of a plan, or a folder of recipes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from phage.evaluation.ablation_plan import DataSet, Plan


def ablate(
    plan: Annotated[
        Path | None, typer.Argument(help="A plan (TOML); or give --recipes and --data.")
    ] = None,
    recipes: Annotated[
        Path, typer.Option(help="Folder of recipes that differ in one line each.")
    ] = Path("recipes/ablations"),
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="A weekly file, or NAME=PATH for another data set; repeatable. By default "
            "fictional patents, if the recipe allows them."
        ),
    ] = None,
    train: Annotated[
        list[Path] | None,
        typer.Option(help="Train on these; otherwise on the training part of the first --data."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Trainings per row; by default 5, or what the plan says."),
    ] = None,
    base: Annotated[
        Path | None, typer.Option(help="Base recipe of all rows, in place of their own.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key in all recipes: train.epochs=1."),
    ] = None,
    validation: Annotated[
        bool,
        typer.Option("--validation", help="Score the validation part: to choose λ, not to report."),
    ] = False,
    runs: Annotated[int, typer.Option(min=1, help="Repetitions of probe and K-Means.")] = 5,
    jobs: Annotated[int, typer.Option(min=1, help="Trainings at once, on one GPU or CPU.")] = 1,
    deadline: Annotated[
        float | None, typer.Option(help="Seconds after which no new run starts.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that build graphs; by default all cores.")
    ] = os.cpu_count() or 1,
    pack: Annotated[
        bool, typer.Option("--pack", help="Several patents per row where guided; for GPUs.")
    ] = False,
    keep_models: Annotated[
        bool, typer.Option("--keep-models", help="Keep the trained folders.")
    ] = False,
    prepare: Annotated[
        bool, typer.Option("--prepare", help="Only make the files that the runs read.")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="Train nothing; make the table of the finished runs.")
    ] = False,
    output: Annotated[Path, typer.Option("-o", "--output", help="Folder of results.")] = Path(
        "results/ablation"
    ),
    json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Train and evaluate every row of a plan, several seeds each. A stopped run can be resumed.

    Prints mean ± standard deviation, on the paper's data sets beside the paper's figures. † marks a
    significant difference from the full method, ‡ from No Graph (paired randomisation test, p < 0.05).
    Writes ablation.json, .md, .tex and .png.

    Example: phage ablate --recipes recipes/ablations --base recipes/mini/untaught.toml --data week.xml
    Example: phage ablate experiments/controls/plan.toml --jobs 5 --deadline 540 -o runs/controls
    """
    from phage import terminal
    from phage.errors import PhageError
    from phage.evaluation import ablation
    from phage.evaluation.ablation_inputs import Inputs
    from phage.evaluation.ablation_plan import Plan as Planned
    from phage.evaluation.ablation_plan import from_folder, read_plan
    from phage.storage import alone, sha256
    from phage.training.recipe_file import find

    if plan is not None:
        todo = read_plan(plan, change or (), seeds)
    else:
        recipes, base = find(recipes), find(base) if base else None
        sets = _data_sets(data or [], base or recipes, output)
        shared = {
            "train": tuple(map(str, train or ())) or (sets[0].name,),
            "score": tuple(one.name for one in sets),
        }
        rows = from_folder(recipes, base, change or (), seeds or 5, shared)
        parts = ("validation",) if validation else ("test",)
        files = {path.name: sha256(path) for path in train or [] if path.is_file()}
        todo = Planned(rows, sets, parts, runs, None, pack, {"files": files})
    inputs = Inputs(todo, todo.inputs or output / "inputs", workers)
    with alone(output, output / ".lock"):
        left = []
        if not table:
            how = ablation.How(jobs, deadline, keep_models)
            left = ablation.run_all(inputs, output, how, only_prepare=prepare)
        if prepare:
            terminal.messages.print(f"{inputs.folder}: prepared for {len(left)} runs")
            return
        row, titles, rows_shown = _write_table(todo, inputs, output)
    if json:
        terminal.emit_json(row)
    else:
        terminal.table(str(output), titles, rows_shown)
        terminal.messages.print(f"written: {output}/ablation.json, .md, .tex")
    if left:
        raise PhageError(
            f"{len(left)} runs are still to do: {left[0]}",
            place=str(output), remedy="give the same command again; finished runs are kept",
        )  # fmt: skip


def _write_table(
    plan: Plan, inputs: Any, output: Path  # noqa: ANN401  (Inputs, imported late)
) -> tuple[dict[str, Any], list[str], list[list[str]]]:  # fmt: skip
    from phage.errors import PhageError
    from phage.evaluation import ablation, ablation_table
    from phage.evaluation.randomisation import TEST
    from phage.evaluation.tables import latex, markdown
    from phage.provenance import provenance
    from phage.terminal import messages

    table = ablation_table.read_table(output, plan.rows)
    titles, rows = ablation_table.titles(table), ablation_table.rows(table)
    heads = ["Variant", "Measure", "Against", "Difference", "95 %", "p"]
    row = {
        "format": ablation_table.FORMAT,
        "test": TEST,
        "table": ablation_table.to_json(table),
        "notes": [dict(inputs.tasks(one.name).notes) for one in plan.data],
        "provenance": provenance(runs=plan.runs, rows=len(plan.rows), parts=list(plan.parts)),
    }
    text = markdown(titles, rows) + f"\np: {TEST}.\n\n"
    text += markdown(heads, ablation_table.differences(table))
    ablation.write_outputs(output, row, text, latex(titles, rows))
    try:
        ablation_table.plot(table, output / "ablation.png")
    except PhageError as missing:  # a machine that only computes; --table draws it elsewhere
        messages.print(f"no picture: {missing.message}", highlight=False)
    return row, titles, rows


def _data_sets(data: list[str], recipe: Path, output: Path) -> tuple[DataSet, ...]:
    """Name the data sets of the command line; two of one kind are named after their files."""
    from phage.errors import PhageError
    from phage.evaluation.ablation_plan import DataSet
    from phage.evaluation.datasets import DATA_SETS

    pairs = [text.rpartition("=") for text in data]
    kinds = [kind or "uspto-week" for kind, _, _ in pairs]
    for kind in kinds:
        if kind not in DATA_SETS:
            raise PhageError(
                f"unknown data set '{kind}'", remedy=f"use one of {', '.join(DATA_SETS)}"
            )
    names = [
        f"{kind} {Path(path).name}" if kinds.count(kind) > 1 else kind
        for kind, (_, _, path) in zip(kinds, pairs, strict=True)
    ]
    found = [DataSet(n, k, p) for n, k, (_, _, p) in zip(names, kinds, pairs, strict=True)]
    return tuple(found) or (DataSet("uspto-week", "uspto-week", str(_invented(recipe, output))),)


def _invented(recipe: Path, output: Path) -> Path:
    """Write as many fictional patents as the recipe asks for; they are the same in every call."""
    from phage.claims import write
    from phage.errors import PhageError
    from phage.invented import invent
    from phage.training.recipe_file import load

    count = load(recipe).input.invented if recipe.is_file() else 0
    if not count:
        raise PhageError(
            "no data was given",
            remedy="give --data with a weekly file, or --base recipes/debug.toml to try it out",
        )
    path = output / f"invented-{count}.jsonl"
    if not path.is_file():
        write([invention.patent for invention in invent(count)], path)
    return path

"""The paper's tables, its numbers and ours side by side.

In:   a folder of results.
Out:  one table per table of the paper, then those the paper has no counterpart for.
Why:  a reproduction is read by comparison; a cell that was not measured stays empty, and none is
      ever filled from anywhere but a result's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from phage.evaluation import ablation_table
from phage.evaluation.datasets.dapfam import SETTINGS
from phage.evaluation.results import Result, find_results
from phage.evaluation.tables import figure, headline
from phage.storage import read_json

AVERAGE = "average"
PHAGE = "PHAGE"
"""The paper's name for its own row; ``phage evaluate MODEL --name PHAGE`` fills it."""
EMPTY = "empty because"
"""Title of the last column."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A table ready to print."""

    name: str
    caption: str
    titles: list[str]
    rows: list[list[str]]


def make_report(folder: Path | str) -> list[Shown]:
    """Make all tables from the results under a folder."""
    results = [with_average(result) for result in find_results(folder)]
    printed = ablation_table.paper()
    shown = [
        _by_task(name, table, results) if table.get("by_task") else _beside(name, table, results)
        for name, table in printed["tables"].items()
    ]
    shown += _ablations(Path(folder))
    for data_set in ("uspto-week", "mteb"):
        ours = [result for result in results if result.data_set == data_set]
        ours.sort(key=lambda result: -(result.mean("retrieval", "ndcg@100") or 0))
        if ours:
            titles, rows = headline(ours, data_set)
            shown.append(Shown(data_set, f"{data_set} (not in the paper)", titles, rows))
    return shown


def with_average(result: Result) -> Result:
    """Add the mean of DAPFAM's six settings, where all six were measured."""
    names = ["-".join(pair) for pair in SETTINGS[:6]]
    if result.data_set != "dapfam" or not all(name in result.tasks for name in names):
        return result
    measures = set.intersection(*(set(result.tasks[name]["measures"]) for name in names))
    averages = {
        measure: {
            "mean": sum(result.tasks[n]["measures"][measure]["mean"] for n in names) / len(names)
        }
        for measure in measures
    }
    return replace(result, tasks={**result.tasks, AVERAGE: {"measures": averages}})


def _beside(name: str, table: Mapping[str, Any], results: Sequence[Result]) -> Shown:
    """Put ours beside the paper's, model by model; models the paper lacks follow."""
    columns = table["columns"]
    ours: dict[str, list[str]] = {}
    for place, column in enumerate(columns):
        for result in results:
            if result.data_set == column["data_set"]:
                value = result.mean(column["task"], column["measure"])
                cells = ours.setdefault(result.model, [""] * len(columns))
                cells[place] = figure(value) or cells[place]
    ours = {model: cells for model, cells in ours.items() if any(cells)}
    order = [*table["rows"], *(model for model in ours if model not in table["rows"])]
    rows = []
    for model in order:
        theirs = [figure(value) for value in table["rows"].get(model, [None] * len(columns))]
        own = ours.get(model, [""] * len(columns))
        empty = [column for column, cell in zip(columns, own, strict=True) if not cell]
        cells = [cell for pair in zip(theirs, own, strict=True) for cell in pair]
        rows.append([model, *cells, _reasons(model, empty, results)])
    return Shown(name, table["caption"], _titles("Model", columns), rows)


def _by_task(name: str, table: Mapping[str, Any], results: Sequence[Result]) -> Shown:
    """Put PHAGE's own settings beside the paper's, row by row."""
    columns = table["columns"]
    ours = next((r for r in results if r.data_set == "dapfam" and r.model == PHAGE), None)
    rows = []
    for task, values in table["rows"].items():
        own = [figure(ours.mean(task, c["measure"]) if ours else None) for c in columns]
        theirs = [figure(value) for value in values]
        cells = [cell for pair in zip(theirs, own, strict=True) for cell in pair]
        asked = [{**column, "task": task} for column in columns]
        empty = [column for column, cell in zip(asked, own, strict=True) if not cell]
        rows.append([task.replace("-", " → "), *cells, _reasons(PHAGE, empty, results)])
    return Shown(name, table["caption"], _titles("Query → corpus", columns), rows)


def _reasons(model: str, empty: Sequence[Mapping[str, Any]], results: Sequence[Result]) -> str:
    """Give the reasons why cells of a row are empty, each once."""
    return "; ".join(dict.fromkeys(_reason(model, column, results) for column in empty))


def _reason(model: str, column: Mapping[str, Any], results: Sequence[Result]) -> str:
    hidden: str | None = ablation_table.paper()["not_public"].get(model)
    if hidden:
        return hidden
    data_set, task = column["data_set"], column["task"]
    if " + " in model and data_set != "clef-ip":
        return f"{data_set} has no single labels to train a graph network on"
    found = [one for one in results if one.model == model and one.data_set == data_set]
    if not found:
        return f"no result on {data_set} is named {model}"
    if task in found[0].tasks:
        return f"{data_set} {task} has no {column['measure']}"
    why = "needs all six settings" if task == AVERAGE else "was not asked"
    return f"{data_set} {task} {why}"


def _titles(first: str, columns: Sequence[Mapping[str, Any]]) -> list[str]:
    pairs = ((f"{column['title']} paper", "ours") for column in columns)
    return [first, *(title for pair in pairs for title in pair), EMPTY]


def _ablations(folder: Path) -> list[Shown]:
    """Show every ablation of a folder; the paper's variants that it lacks stay, with the reason."""
    caption = ablation_table.paper()["ablation"]["caption"]
    shown = []
    for path in sorted(folder.rglob("ablation.json")):
        row = read_json(path)
        if row.get("format") == ablation_table.FORMAT:
            table = ablation_table.from_json(row["table"])
            # An ablation on other data, or on validation, has nothing of the paper's beside it.
            whole = ablation_table.is_papers(table)
            what = caption if whole else "Variants, not on the paper's test sets"
            test = row.get("test", "paired bootstrap, anti-conservative for macro-F1")
            shown.append(_ablation(f"{what}: {path.parent} († ‡ {test})", table, whole))
    return shown or [_ablation(caption, {}, True)]


def _ablation(caption: str, table: ablation_table.Table, whole: bool) -> Shown:
    titles = ablation_table.titles(table, everyone=whole)
    rows = ablation_table.rows(table, everyone=whole)
    measured = {row[0] for row in ablation_table.rows(table)}
    return Shown(
        "ablation",
        caption,
        [*titles, EMPTY],
        [[*row, _unmeasured(titles, row, row[0] in measured)] for row in rows],
    )


def _unmeasured(titles: Sequence[str], row: Sequence[str], trained: bool) -> str:
    if not trained:
        return "not trained: phage ablate trains it"
    empty = [
        title
        for title, cell in zip(titles, row, strict=True)
        if not cell and "(paper)" not in title
    ]
    return f"not scored: {', '.join(empty)}" if empty else ""

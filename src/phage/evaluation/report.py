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
        rows.append([model, *(cell for pair in zip(theirs, own, strict=True) for cell in pair)])
    return Shown(name, table["caption"], _titles("Model", columns), rows)


def _by_task(name: str, table: Mapping[str, Any], results: Sequence[Result]) -> Shown:
    """Put PHAGE's own settings beside the paper's, row by row."""
    columns = table["columns"]
    ours = next((r for r in results if r.data_set == "dapfam" and r.model == "PHAGE"), None)
    rows = []
    for task, values in table["rows"].items():
        own = [figure(ours.mean(task, c["measure"]) if ours else None) for c in columns]
        theirs = [figure(value) for value in values]
        cells = [cell for pair in zip(theirs, own, strict=True) for cell in pair]
        rows.append([task.replace("-", " → "), *cells])
    return Shown(name, table["caption"], _titles("Query → corpus", columns), rows)


def _titles(first: str, columns: Sequence[Mapping[str, Any]]) -> list[str]:
    pairs = ((f"{column['title']} paper", "ours") for column in columns)
    return [first, *(title for pair in pairs for title in pair)]


def _ablations(folder: Path) -> list[Shown]:
    shown = []
    for path in sorted(folder.rglob("ablation.json")):
        row = read_json(path)
        if row.get("format") == ablation_table.FORMAT:
            table = ablation_table.from_json(row["table"])
            caption = ablation_table.paper()["ablation"]["caption"]
            test = row.get("test", "paired bootstrap, anti-conservative for macro-F1")
            where = f"{caption}: {path.parent} († ‡ {test})"
            shown.append(
                Shown("ablation", where, ablation_table.titles(), ablation_table.rows(table))
            )
    return shown or [
        Shown(
            "ablation",
            ablation_table.paper()["ablation"]["caption"],
            ablation_table.titles(),
            ablation_table.rows({}, everyone=True),
        )
    ]

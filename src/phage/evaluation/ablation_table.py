"""The ablation's table: mean ± deviation over seeds, and what differs by more than chance.

In:   the finished runs of an ablation's folder.
Out:  rows beside the paper's, differences to full and to No Graph, a plot.
Why:  reading the folder again must give the table again; nothing in it comes from memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from phage.errors import PhageError
from phage.evaluation.ablation import FULL, RUN_FORMAT
from phage.evaluation.influence import Samples
from phage.evaluation.randomisation import Chance, Difference, chances, judge
from phage.evaluation.results import load_samples
from phage.evaluation.tasks import Kind
from phage.extras import require
from phage.storage import atomic, read_json

FORMAT = "phage-ablation/2"
NO_GRAPH = "no-graph"
HEADLINES = {"macro_f1": "Ma-F1", "micro_f1": "Mi-F1", "ndcg@100": "NDCG@100", "nmi": "NMI"}
"""The paper's three measures and micro-F1."""
MEASURES = ("macro_f1", "ndcg@100", "nmi")
"""What the table shows of each data set; the files hold micro-F1 as well."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure of one variant."""

    mean: float
    sd: float
    seeds: int
    against_full: Difference | None = None
    against_no_graph: Difference | None = None

    def text(self) -> str:
        """Write mean ± deviation; † differs from full, ‡ from No Graph (p < 0.05)."""
        marks = "†" if self.against_full and self.against_full.sure else ""
        marks += "‡" if self.against_no_graph and self.against_no_graph.sure else ""
        spread = f" ± {self.sd:.3f}" if self.seeds > 1 else ""
        return f"{self.mean:.3f}{spread}{marks}"


Table = dict[str, dict[str, Cell]]
"""Variant → column → cell; a column is ``clef-ip/macro_f1``, or ``clef-ip/macro_f1/validation``."""


def read_table(output: Path, names: Sequence[str]) -> Table:
    """Read all finished runs of the named variants and compare them."""
    runs = {name: _runs(output / name) for name in names}
    runs = {name: found for name, found in runs.items() if found}
    if not runs:
        raise PhageError("no finished run is here", place=str(output))
    samples = {
        name: [load_samples(output / name / f"seed-{run['seed']}.npz") for run in found]
        for name, found in runs.items()
    }
    apart = {
        (name, other): _differences((runs[name], samples[name]), (runs[other], samples[other]))
        for name in runs
        for other in (FULL, NO_GRAPH)
        if other in runs and name != other
    }
    table: Table = {}
    for name, found in runs.items():
        table[name] = {}
        for column in _columns(found[0]):
            values = _values(found, column)
            pair = [apart.get((name, other), {}).get(column) for other in (FULL, NO_GRAPH)]
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            table[name][column] = Cell(float(np.mean(values)), spread, len(values), *pair)
    return table


def rows(table: Table, *, everyone: bool = False) -> list[list[str]]:
    """Give the paper's rows, ours and theirs; variants the paper lacks follow.

    The paper's figure stands beside a score on the same data set's test part, beside no other.
    ``everyone`` keeps the paper's rows and columns that we have not measured.
    """
    printed = {row["recipe"]: row for row in paper()["ablation"]["rows"]}
    order = [name for name in printed if everyone or name in table]
    order += [name for name in table if name not in printed]
    theirs = _printed_columns()
    made = []
    for name in order:
        cells = [printed.get(name, {}).get("title", name)]
        for column in _shown(table, everyone):
            cell = table.get(name, {}).get(column)
            cells.append(cell.text() if cell else "")
            if column in theirs:
                values = printed.get(name, {}).get("values")
                cells.append(f"{values[theirs.index(column)]:.3f}" if values else "")
        made.append(cells)
    return made


def titles(table: Table, *, everyone: bool = False) -> list[str]:
    """Name the columns of ``rows``."""
    found = ["Variant"]
    for column in _shown(table, everyone):
        found.append(_title(column))
        if column in _printed_columns():
            found.append(f"{_title(column)} (paper)")
    return found


def is_papers(table: Table) -> bool:
    """Tell whether a table has a column of the paper's: its data set, scored on the test part."""
    printed = _printed_columns()
    return any(column in printed for cells in table.values() for column in cells)


def _printed_columns() -> list[str]:
    printed = paper()["ablation"]
    pairs = zip(printed["data_sets"], printed["measures"], strict=True)
    return [f"{data_set}/{measure}" for data_set, measure in pairs]


def _shown(table: Table, everyone: bool) -> list[str]:
    """List the columns of a table, those of the paper first."""
    found = dict.fromkeys(column for cells in table.values() for column in cells)
    wanted = [column for column in _printed_columns() if everyone or column in found]
    return wanted + [c for c in found if c not in wanted and c.split("/")[1] in MEASURES]


def _title(column: str) -> str:
    data_set, measure, *part = column.split("/")
    return f"{data_set} {HEADLINES[measure]}" + "".join(f" ({one})" for one in part)


def differences(table: Table) -> list[list[str]]:
    """Give every comparison: variant, measure, against whom, difference, interval, p."""
    made = []
    for name, cells in table.items():
        for column, cell in cells.items():
            for other, found in ((FULL, cell.against_full), (NO_GRAPH, cell.against_no_graph)):
                if found:
                    interval = f"[{found.low:+.3f}, {found.high:+.3f}]"
                    value = f"{found.value:+.3f}"
                    made.append([name, _title(column), other, value, interval, f"{found.p:.3f}"])
    return made


def to_json(table: Table) -> dict[str, Any]:
    """Give the table as JSON values."""
    return {name: {m: asdict(cell) for m, cell in cells.items()} for name, cells in table.items()}


def from_json(row: Mapping[str, Any]) -> Table:
    """Read the table back."""

    def cell(values: Mapping[str, Any]) -> Cell:
        pair = [
            Difference(**values[key]) if values[key] else None
            for key in ("against_full", "against_no_graph")
        ]
        return Cell(values["mean"], values["sd"], values["seeds"], *pair)

    return {name: {m: cell(v) for m, v in cells.items()} for name, cells in row.items()}


def plot(table: Table, path: Path) -> None:
    """Draw every variant's columns with their deviation."""
    backends: Any = require("matplotlib.backends.backend_agg", extra="eval")
    figures: Any = require("matplotlib.figure", extra="eval")
    columns = list(dict.fromkeys(column for cells in table.values() for column in cells))
    names = list(table)
    figure = figures.Figure(figsize=(3.2 * len(columns) + 2, 0.32 * len(names) + 1.6))
    backends.FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for axis, column in zip(axes, columns, strict=True):
        for place, name in enumerate(names):
            if cell := table[name].get(column):
                colour = "tab:red" if name == FULL else "tab:blue"
                axis.errorbar(cell.mean, place, xerr=cell.sd, fmt="o", capsize=3, color=colour)
        axis.set_title(_title(column))
        axis.grid(axis="x", alpha=0.3)
        axis.locator_params(axis="x", nbins=5)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    figure.tight_layout()
    with atomic(path) as partial:
        figure.savefig(partial, format="png", dpi=150)


def paper() -> dict[str, Any]:
    """Read the paper's printed figures."""
    text = resources.files("phage.evaluation").joinpath("paper.json").read_text(encoding="utf-8")
    printed: dict[str, Any] = json.loads(text)
    return printed


_Runs = tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Samples]]]
"""A variant's runs and their samples."""


def _runs(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("seed-*.json"), key=lambda p: int(p.stem.split("-")[1])):
        row = read_json(path)
        if row.get("format") == RUN_FORMAT:
            found.append(row)
    return found


def _columns(run: Mapping[str, Any]) -> dict[str, list[str]]:
    """Give the columns of a run: what each is, and the tasks that it is the mean of.

    One data set's settings (DAPFAM) are averaged, two data sets never. Tasks over all documents
    are left out, and so are DAPFAM's claims, as in the paper.
    """
    found: dict[str, list[str]] = {}
    for name, task in run["tasks"].items():
        if task["part"] == "all" or name.endswith("/claims-claims"):
            continue
        part = "" if task["part"] == "test" else f"/{task['part']}"
        for measure in HEADLINES:
            if measure in task["measures"]:
                found.setdefault(f"{task['data_set']}/{measure}{part}", []).append(name)
    return found


def _values(runs: Sequence[Mapping[str, Any]], column: str) -> list[float]:
    """Give a column's value per seed."""
    measure = column.split("/")[1]
    names = _columns(runs[0])[column]
    return [
        float(np.mean([run["tasks"][name]["measures"][measure]["mean"] for name in names]))
        for run in runs
    ]


def _differences(one: _Runs, other: _Runs) -> dict[str, Difference]:
    """Compare two variants by every column; of several tasks that have it, by their mean."""
    drawn: dict[str, dict[str, Chance]] = {}
    for task, about in one[0][0]["tasks"].items():
        if task in other[0][0]["tasks"]:
            sides = [[seed[task] for seed in samples] for _, samples in (one, other)]
            drawn[task] = chances(Kind(about["kind"]), sides[0], sides[1], place=task)
    found = {}
    for column, tasks in _columns(one[0][0]).items():
        measure = column.split("/")[1]
        if all(measure in drawn.get(task, {}) for task in tasks):
            found[column] = judge(measure, [drawn[task][measure] for task in tasks])
    return found

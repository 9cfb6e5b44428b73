"""The ablation's table: mean ± deviation over seeds, and what differs by more than chance.

In:   the finished runs of an ablation's folder.
Out:  rows beside the paper's, differences to full and to No Graph, a plot.
Why:  reading the folder again must give the table again; nothing in it comes from memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from phage.errors import PhageError
from phage.evaluation.ablation_plan import FULL, NO_GRAPH, Row
from phage.evaluation.ablation_run import RUN_FORMAT
from phage.evaluation.influence import Samples
from phage.evaluation.randomisation import Chance, Difference, chances, judge
from phage.evaluation.results import load_samples
from phage.evaluation.tasks import Kind
from phage.extras import require
from phage.storage import atomic, read_json

FORMAT = "phage-ablation/3"
MARKS = {FULL: "†", NO_GRAPH: "‡"}
"""Beside a figure that differs from that row's (p < 0.05); a cross for any other row."""
HEADLINES = {"macro_f1": "Ma-F1", "micro_f1": "Mi-F1", "ndcg@100": "NDCG@100", "nmi": "NMI"}
"""The paper's three measures and micro-F1."""
MEASURES = ("macro_f1", "ndcg@100", "nmi")
"""What the table shows of the paper's data sets; the files hold micro-F1 as well."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One measure of one variant."""

    mean: float
    sd: float
    seeds: int
    against: Mapping[str, Difference] = field(default_factory=dict)
    """Row → difference to it."""

    def text(self) -> str:
        """Write mean ± deviation; † differs from full, ‡ from No Graph, ✗ from another row."""
        found = [name.split("/")[0] for name, apart in self.against.items() if apart.sure]
        marks = "".join(MARKS.get(name, "✗") for name in found)
        spread = f" ± {self.sd:.3f}" if self.seeds > 1 else ""
        return f"{self.mean:.3f}{spread}{marks}"


Table = dict[str, dict[str, Cell]]
"""Variant → column → cell; a column is ``clef-ip/macro_f1``, or ``clef-ip/macro_f1/validation``."""


def read_table(output: Path, wanted: Sequence[Row]) -> Table:
    """Read all finished runs of some rows and compare them."""
    found = {row: _runs(output / row.name) for row in wanted}
    runs = {row.name: made for row, made in found.items() if made}
    if not runs:
        raise PhageError("this folder has no finished runs", place=str(output))
    samples = {
        name: [load_samples(output / name / f"seed-{run['seed']}.npz") for run in made]
        for name, made in runs.items()
    }
    table: Table = {}
    for row in wanted:
        if row.name not in runs:
            continue
        name, made = row.name, runs[row.name]
        apart = {
            other: _differences((made, samples[name]), (runs[other], samples[other]))
            for other in row.against
            if other in runs and other != name
        }
        table[name] = {}
        for column in _columns(made[0]):
            values = _values(made, column)
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            against = {other: each[column] for other, each in apart.items() if column in each}
            table[name][column] = Cell(float(np.mean(values)), spread, len(values), against)
    return table


def rows(table: Table, *, everyone: bool = False) -> list[list[str]]:
    """Return the paper's rows, ours and theirs; variants the paper lacks follow.

    The paper's figure stands beside a score on the same data set's test part, beside no other.
    ``everyone`` keeps the paper's rows and columns that we have not measured.
    """
    printed = {row["recipe"]: row for row in paper()["ablation"]["rows"]}
    order = [name for first in printed for name in _of_kind(table, first) or [first] * everyone]
    order += [name for name in table if name.split("/")[0] not in printed]
    theirs = _printed_columns()
    made = []
    for name in order:
        first, *rest = name.split("/")  # the rest says where on the plan's axes
        cells = [", ".join([printed.get(first, {}).get("title", first), *rest])]
        for column in _shown(table, everyone):
            cell = table.get(name, {}).get(column)
            cells.append(cell.text() if cell else "")
            if column in theirs:
                values = printed.get(first, {}).get("values")
                cells.append(f"{values[theirs.index(column)]:.3f}" if values else "")
        made.append(cells)
    return made


def _of_kind(table: Table, first: str) -> list[str]:
    """Return the rows of one variant, one for each place on the plan's axes."""
    return [name for name in table if name.split("/")[0] == first]


def titles(table: Table, *, everyone: bool = False) -> list[str]:
    """Name the columns of ``rows``."""
    found = ["Variant"]
    for column in _shown(table, everyone):
        found.append(_title(column))
        if column in _printed_columns():
            found.append(f"{_title(column)} (paper)")
    return found


def is_papers(table: Table) -> bool:
    """Return whether a table has a column of the paper: its data set, scored on the test part."""
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
    theirs = set(paper()["ablation"]["data_sets"])
    more = [c.split("/")[0] not in theirs or c.split("/")[1] in MEASURES for c in found]
    return wanted + [c for c, shown in zip(found, more, strict=True) if shown and c not in wanted]


def _title(column: str) -> str:
    data_set, measure, *part = column.split("/")
    return f"{data_set} {HEADLINES[measure]}" + "".join(f" ({one})" for one in part)


def differences(table: Table) -> list[list[str]]:
    """Return every comparison: variant, measure, against whom, difference, interval, p."""
    made = []
    for name, cells in table.items():
        for column, cell in cells.items():
            for other, found in cell.against.items():
                interval = f"[{found.low:+.3f}, {found.high:+.3f}]"
                value = f"{found.value:+.3f}"
                made.append([name, _title(column), other, value, interval, f"{found.p:.4f}"])
    return made


def to_json(table: Table) -> dict[str, Any]:
    """Return the table as JSON values."""
    return {name: {m: asdict(cell) for m, cell in cells.items()} for name, cells in table.items()}


def from_json(row: Mapping[str, Any]) -> Table:
    """Read the table back."""

    def cell(values: Mapping[str, Any]) -> Cell:
        apart = {name: Difference(**found) for name, found in values["against"].items()}
        return Cell(values["mean"], values["sd"], values["seeds"], apart)

    return {name: {m: cell(v) for m, v in cells.items()} for name, cells in row.items()}


def plot(table: Table, path: Path) -> None:
    """Draw every variant's columns with their deviation."""
    columns = list(dict.fromkeys(column for cells in table.values() for column in cells))
    if not columns:
        raise PhageError("the rows of this plan are trained but not scored")
    backends: Any = require("matplotlib.backends.backend_agg", extra="eval")
    figures: Any = require("matplotlib.figure", extra="eval")
    names = list(table)
    figure = figures.Figure(figsize=(3.2 * len(columns) + 2, 0.32 * len(names) + 1.6))
    backends.FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for axis, column in zip(axes, columns, strict=True):
        for place, name in enumerate(names):
            if cell := table[name].get(column):
                colour = "tab:red" if name.split("/")[0] == FULL else "tab:blue"
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
    """Return the columns of a run: what each is, and the tasks that it is the mean of.

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
    """Return a column's value per seed."""
    measure = column.split("/")[1]
    names = _columns(runs[0])[column]
    return [
        float(np.mean([run["tasks"][name]["measures"][measure]["mean"] for name in names]))
        for run in runs
    ]


def _differences(one: _Runs, other: _Runs) -> dict[str, Difference]:
    """Compare two variants by every column; of several tasks that have it, by their mean.

    Seeds that both have are compared, so that each run is paired with its own counterpart.
    """
    common = {run["seed"] for run in one[0]} & {run["seed"] for run in other[0]}
    one, other = (_some(side, common) for side in (one, other))
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


def _some(side: _Runs, seeds: set[int]) -> _Runs:
    kept = [place for place, run in enumerate(side[0]) if run["seed"] in seeds or not seeds]
    return [side[0][place] for place in kept], [side[1][place] for place in kept]

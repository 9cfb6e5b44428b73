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

FORMAT = "phage-ablation/1"
NO_GRAPH = "no-graph"
HEADLINES = {"macro_f1": "Ma-F1", "micro_f1": "Mi-F1", "ndcg@100": "NDCG@100", "nmi": "NMI"}
"""The paper's three measures and micro-F1."""
MEASURES = ("macro_f1", "ndcg@100", "nmi")
"""The columns of the paper's table."""


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
"""Variant → measure → cell."""


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
        for measure in HEADLINES:
            values = _values(found, measure)
            if values is None:
                continue
            pair = [apart.get((name, other), {}).get(measure) for other in (FULL, NO_GRAPH)]
            spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
            table[name][measure] = Cell(float(np.mean(values)), spread, len(values), *pair)
    return table


def rows(table: Table, *, everyone: bool = False) -> list[list[str]]:
    """Give the paper's rows, ours and theirs; variants the paper lacks follow.

    ``everyone`` keeps the paper's rows that we have not measured.
    """
    printed = {row["recipe"]: row for row in paper()["ablation"]["rows"]}
    order = [name for name in printed if everyone or name in table]
    order += [name for name in table if name not in printed]
    made = []
    for name in order:
        theirs = printed.get(name, {}).get("values") or [None] * len(MEASURES)
        cells = [printed.get(name, {}).get("title", name)]
        for place, measure in enumerate(MEASURES):
            cell = table.get(name, {}).get(measure)
            cells.append(cell.text() if cell else "")
            cells.append("" if theirs[place] is None else f"{theirs[place]:.3f}")
        made.append(cells)
    return made


def titles() -> list[str]:
    """Name the columns of ``rows``."""
    return ["Variant", *(t for m in MEASURES for t in (HEADLINES[m], f"{HEADLINES[m]} (paper)"))]


def differences(table: Table) -> list[list[str]]:
    """Give every comparison: variant, measure, against whom, difference, interval, p."""
    made = []
    for name, cells in table.items():
        for measure, cell in cells.items():
            for other, found in ((FULL, cell.against_full), (NO_GRAPH, cell.against_no_graph)):
                if found:
                    interval = f"[{found.low:+.3f}, {found.high:+.3f}]"
                    value = f"{found.value:+.3f}"
                    made.append(
                        [name, HEADLINES[measure], other, value, interval, f"{found.p:.3f}"]
                    )
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
    """Draw every variant's measures with their deviation."""
    backends: Any = require("matplotlib.backends.backend_agg", extra="eval")
    figures: Any = require("matplotlib.figure", extra="eval")
    measures = [m for m in HEADLINES if any(m in cells for cells in table.values())]
    names = list(table)
    figure = figures.Figure(figsize=(3.2 * len(measures) + 2, 0.32 * len(names) + 1.6))
    backends.FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
    for axis, measure in zip(axes, measures, strict=True):
        for place, name in enumerate(names):
            if cell := table[name].get(measure):
                colour = "tab:red" if name == FULL else "tab:blue"
                axis.errorbar(cell.mean, place, xerr=cell.sd, fmt="o", capsize=3, color=colour)
        axis.set_title(HEADLINES[measure])
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


def _values(runs: Sequence[Mapping[str, Any]], measure: str) -> list[float] | None:
    """Give a measure per seed; of several tasks that have it, their mean (DAPFAM's settings)."""
    names = _tasks(runs[0], measure)
    if not names:
        return None
    return [
        float(np.mean([run["tasks"][name]["measures"][measure]["mean"] for name in names]))
        for run in runs
    ]


def _tasks(run: Mapping[str, Any], measure: str) -> list[str]:
    """Name the tasks that a headline is the mean of: not those over all documents, nor claims."""
    return [
        name
        for name, task in run["tasks"].items()
        if measure in task["measures"] and task["part"] != "all" and name != "claims-claims"
    ]


def _differences(one: _Runs, other: _Runs) -> dict[str, Difference]:
    """Compare two variants by every headline; of several tasks that have it, by their mean."""
    found: dict[str, list[Chance]] = {}
    for task, about in one[0][0]["tasks"].items():
        if task not in other[0][0]["tasks"]:
            continue
        sides = [[seed[task] for seed in samples] for _, samples in (one, other)]
        drawn = chances(Kind(about["kind"]), sides[0], sides[1], place=task)
        for measure, chance in drawn.items():
            if measure in HEADLINES and task in _tasks(one[0][0], measure):
                found.setdefault(measure, []).append(chance)
    return {measure: judge(measure, tasks) for measure, tasks in found.items()}

"""What the runs say: tables, differences with their p, and the growth drawn.

In:   ``results/mini/*.jsonl`` and the samples beside them.
Out:  ``table.json`` and ``table.md`` (the rows on both corpora, growth, ablations, graph on and off,
      search), ``growth.svg``.
Why:  every figure is a mean over seeds with its deviation; a difference is told from luck by the
      same paired bootstrap as `phage ablate`, drawing documents and seeds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.mini.schedule import sample_name

from phage.evaluation.bootstrap import compare, redraw
from phage.evaluation.results import load_samples
from phage.evaluation.tasks import Kind
from phage.provenance import provenance
from phage.storage import write_json, write_text

Key = tuple[str, str, int | None, str, str, float]
"""Stage, variant, size, corpus, attention, share of first weights."""
COLUMNS = (
    ("micro-F1", "classification", "micro_f1"),
    ("macro-F1", "classification", "macro_f1"),
    ("NMI", "clustering", "nmi"),
    ("ARI", "clustering", "ari"),
    ("NDCG@100", "retrieval", "ndcg@100"),
    ("R@100", "retrieval", "recall@100"),
)
TUNED = (
    ("micro-F1", "classification-validation", "micro_f1"),
    ("macro-F1", "classification-validation", "macro_f1"),
    ("NMI", "clustering-validation", "nmi"),
    ("NDCG@100 validation", "retrieval-validation", "ndcg@100"),
    ("NDCG@100 development", "retrieval-development", "ndcg@100"),
)


@dataclass(frozen=True)
class Runs:
    """All rows, by what was trained and scored."""

    rows: dict[Key, dict[int, dict[str, Any]]]
    folder: Path

    @classmethod
    def read(cls, folder: Path) -> Runs:
        """Read every row; the last one of a seed counts."""
        rows: dict[Key, dict[int, dict[str, Any]]] = defaultdict(dict)
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if "tasks" in row:
                    key = tuple(row[k] for k in ("stage", "variant", "size", "corpus"))
                    rows[(*key, row["attention"], row["share"])][row["seed"]] = row
        return cls(dict(rows), folder)

    def values(self, key: Key, task: str, measure: str) -> list[float]:
        """Give one figure per seed."""
        seeds = self.rows.get(key, {})
        found = [seeds[seed]["tasks"].get(task, {}).get("measures", {}) for seed in sorted(seeds)]
        return [row[measure]["mean"] for row in found if measure in row]

    def difference(self, key: Key, other: Key, task: str, measure: str) -> dict[str, float] | None:
        """Compare two variants on the seeds that both have; an untrained one has none in common."""
        ours, theirs = self.rows.get(key, {}), self.rows.get(other, {})
        common = set(ours) & set(theirs)
        if common:
            ours, theirs = ({s: side[s] for s in sorted(common)} for side in (ours, theirs))
        drawn, pair = [], []
        for side in (ours, theirs):
            seeds = sorted(side)
            paths = [self.folder / "samples" / sample_name(side[seed]) for seed in seeds]
            if not seeds or not all(path.is_file() for path in paths):
                return None
            if task not in side[seeds[0]]["tasks"]:
                return None
            kind = Kind(side[seeds[0]]["tasks"][task]["kind"])
            drawn.append(redraw(kind, task, [load_samples(path)[task] for path in paths]))
            pair.append(mean(side[s]["tasks"][task]["measures"][measure]["mean"] for s in seeds))
        if any(measure not in one for one in drawn):
            return None
        apart = compare(measure, drawn[0][measure], drawn[1][measure], (pair[0], pair[1]))
        return {"difference": apart.value, "low": apart.low, "high": apart.high, "p": apart.p}


def cell(values: Sequence[float]) -> str:
    """Write a mean with its deviation.

    >>> cell([0.5, 0.52]), cell([])
    ('.510 ± .014', '–')
    """
    if not values:
        return "–"
    shown = f"{mean(values):.3f}".lstrip("0")
    return f"{shown} ± {stdev(values):.3f}".replace("± 0", "± ") if len(values) > 1 else shown


def table(
    runs: Runs, keys: dict[str, Key], columns: Iterable[tuple[str, str, str]], base: Key | None
) -> tuple[str, dict[str, Any]]:
    """Give the Markdown and the JSON of some variants; ``base`` is what they are compared with."""
    columns = [c for c in columns if any(runs.values(key, *c[1:]) for key in keys.values())]
    lines = [
        f"| model | {' | '.join(c[0] for c in columns)} | seeds |",
        "|---" * (len(columns) + 2) + "|",
    ]
    told: dict[str, Any] = {}
    for title, key in keys.items():
        seeds = len(runs.rows.get(key, {}))
        if not seeds:
            continue
        cells, told[title] = [], {"seeds": seeds, "measures": {}}
        for _, task, measure in columns:
            values = runs.values(key, task, measure)
            apart = None
            if base is not None and key != base:
                apart = runs.difference(key, base, task, measure)
            sign = "*" if apart and apart["p"] < 0.05 else ""
            cells.append(cell(values) + sign)
            if values:
                told[title]["measures"][f"{task} {measure}"] = {
                    "mean": mean(values),
                    "sd": stdev(values) if len(values) > 1 else 0.0,
                    "values": values,
                    "against": apart,
                }
        lines.append(f"| {title} | {' | '.join(cells)} | {seeds} |")
    return "\n".join(lines), told


def sections(runs: Runs) -> dict[str, tuple[str, dict[str, Any]]]:
    """Make every table that there are rows for."""
    found = {}

    def keyed(stage: str, corpus: str, attention: str = "plain") -> dict[str, Key]:
        names = {key[1]: key for key in runs.rows if key[0] == stage and key[3] == corpus}
        return {
            name: (stage, name, None, corpus, attention, 0.0)
            for name in names
            if (stage, name, None, corpus, attention, 0.0) in runs.rows
        }

    for title, stage, corpus in (
        ("Week, trained on the week", "seeds", "week"),
        ("Week, trained on both", "both", "week"),
        ("A61B 5, trained on both", "both", "a61b5"),
    ):
        keys = {**keyed("base", corpus), **keyed(stage, corpus)}
        base = (stage, "no-graph", None, corpus, "plain", 0.0)
        if keyed(stage, corpus):
            found[f"{title}; * differs from no-graph, p < 0.05"] = table(runs, keys, COLUMNS, base)
            mini = (stage, "no-graph-mini", None, corpus, "plain", 0.0)
            if mini in runs.rows and (stage, "phage-mini", None, corpus, "plain", 0.0) in runs.rows:
                some = {name: key for name, key in keys.items() if name.endswith("-mini")}
                found[f"{title}; * differs from no-graph-mini"] = table(runs, some, COLUMNS, mini)
        guided = keyed(stage, corpus, "guided")
        if guided:
            both = {}
            for name, key in guided.items():
                both[f"{name}, graph off"] = (*key[:4], "plain", 0.0)
                both[f"{name}, graph on"] = key
            found[f"{title}: graph at inference"] = table(runs, both, COLUMNS, None)
    if keyed("ablations", "week"):
        base = ("ablations", "full", None, "week", "plain", 0.0)
        keys = keyed("ablations", "week")
        found["Ablations on the week; * differs from full"] = table(runs, keys, COLUMNS, base)
    searched = {
        f"{key[1]} {key[5]}": key
        for key in sorted(runs.rows, key=_tuned(runs))
        if key[0] == "search"
    }
    if searched:
        found["Search on validation, best first"] = table(runs, searched, TUNED, None)
    return found


def _tuned(runs: Runs) -> Any:
    """Order by the sum of what is tuned; the steady retrieval counts, the small one does not."""

    def key(one: Key) -> tuple[float, str]:
        chosen = [c for c in TUNED if c[0] != "NDCG@100 validation"]
        return -sum(mean(runs.values(one, *c[1:]) or [0.0]) for c in chosen), str(one)

    return key


def growth(runs: Runs, path: Path, whole: int = 46_564) -> dict[str, Any]:
    """Draw how the gain over No Graph moves with the corpus."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    told: dict[str, Any] = {}
    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axis, corpus in zip(axes, ("week", "a61b5"), strict=True):
        sizes = sorted({key[2] for key in runs.rows if key[0] == "growth" and key[2]})
        points = [("growth", size, size) for size in sizes] + [("both", None, whole)]
        for title, task, measure in COLUMNS:
            if title in ("ARI", "R@100", "micro-F1"):
                continue
            found = []
            for stage, size, shown in points:
                ours, theirs = (
                    (stage, name, size, corpus, "plain", 0.0)
                    for name in ("phage-mini", "no-graph-mini")
                )
                apart = runs.difference(ours, theirs, task, measure)
                if apart:
                    found.append((shown, apart))
            if found:
                told[f"{corpus} {title}"] = [{"patents": s, **apart} for s, apart in found]
                middle = [apart["difference"] for _, apart in found]
                reach = [
                    [apart["difference"] - apart["low"] for _, apart in found],
                    [apart["high"] - apart["difference"] for _, apart in found],
                ]
                axis.errorbar(
                    [s for s, _ in found], middle, reach, marker="o", capsize=3, label=title
                )
        axis.axhline(0, color="grey", linewidth=0.8)
        axis.set_xscale("log")
        axis.set_xlabel("training patents")
        axis.set_title({"week": "the week", "a61b5": "A61B 5"}[corpus])
    axes[0].set_ylabel("phage-mini minus No Graph")
    if told:
        axes[0].legend()
        figure.tight_layout()
        figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return told


def write(folder: Path) -> None:
    """Write all of it."""
    runs = Runs.read(folder)
    made = sections(runs)
    drawn = growth(runs, folder / "growth.svg")
    text = "\n\n".join(f"## {title}\n{lines}" for title, (lines, _) in made.items())
    write_text(folder / "table.md", f"# phage-mini\n\n{text}\n")
    tables = {title: told for title, (_, told) in made.items()}
    write_json(
        folder / "table.json", {"tables": tables, "growth": drawn, "provenance": provenance()}
    )
    print(text)

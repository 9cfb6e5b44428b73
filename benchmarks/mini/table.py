"""What the runs say: tables, differences with their p, and the growth drawn.

In:   ``results/mini/*.jsonl`` and the samples beside them.
Out:  ``table.json`` and ``table.md`` (the rows on both corpora, growth, ablations, graph on and off,
      search), ``growth.svg``.
Why:  every figure is a mean over seeds with its deviation; a difference is told from luck by the
      same test as in `phage ablate`, over documents and seeds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from benchmarks.mini.beside import beside
from benchmarks.mini.rows import rows
from benchmarks.mini.schedule import sample_name

from phage.evaluation.randomisation import TEST, Difference, chances, judge
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
GROWN = ("untaught", "no-graph-untaught")
"""The two that are compared as the corpus grows: nothing but the graph tells them apart."""
BM25 = Path("results/uspto-week/BM25.json")
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
    judged: dict[tuple[Any, ...], dict[str, Difference]] = field(default_factory=dict)
    """What was compared, by task and files: a task has several measures."""

    @classmethod
    def read(cls, folder: Path) -> Runs:
        """Read every row; the last one of a seed counts."""
        found: dict[Key, dict[int, dict[str, Any]]] = defaultdict(dict)
        for row in rows(folder):
            if "tasks" in row:
                key = tuple(row[k] for k in ("stage", "variant", "size", "corpus"))
                found[(*key, row["attention"], row["share"])][row["seed"]] = row
        return cls(dict(found), folder)

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
        sides: list[tuple[Path, ...]] = []
        for side in (ours, theirs):
            seeds = sorted(side)
            paths = [self.folder / "samples" / sample_name(side[seed]) for seed in seeds]
            if not seeds or not all(path.is_file() for path in paths):
                return None
            if task not in side[seeds[0]]["tasks"]:
                return None
            kind = Kind(side[seeds[0]]["tasks"][task]["kind"])
            sides.append(tuple(paths))
        apart = self._judged(kind, task, sides).get(measure)
        if apart is None:
            return None
        return {"difference": apart.value, "low": apart.low, "high": apart.high, "p": apart.p}

    def _judged(
        self, kind: Kind, task: str, sides: Sequence[tuple[Path, ...]]
    ) -> dict[str, Difference]:
        key = (task, *sides)
        if key not in self.judged:
            samples = [[load_samples(path)[task] for path in paths] for paths in sides]
            found = chances(kind, samples[0], samples[1], place=task)
            self.judged[key] = {name: judge(name, [chance]) for name, chance in found.items()}
        return self.judged[key]


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
        wanted = (stage, None, corpus, attention)
        return {
            f"{key[1]}, {key[5]:.0%} first weights" if key[5] else key[1]: key
            for key in runs.rows
            if (key[0], *key[2:5]) == wanted
        }

    for title, stage, corpus in (
        ("Week, trained on both, 400 steps", "final", "week"),
        ("A61B 5, trained on both, 400 steps", "final", "a61b5"),
        ("Week, trained on both, 200 steps, the earlier teacher", "both", "week"),
        ("A61B 5, trained on both, 200 steps, the earlier teacher", "both", "a61b5"),
        ("Week, trained on the week", "seeds", "week"),
    ):
        keys = {**keyed("base", corpus), **keyed(stage, corpus)}
        means = _averages(keyed("average", corpus)) if stage == "final" else {}
        keys.update(means)
        base = (stage, "no-graph", None, corpus, "plain", 0.0)
        if keyed(stage, corpus):
            lines, told = table(runs, keys, COLUMNS, base)
            if corpus == "week" and BM25.is_file():
                lines, told = _with_bm25(lines, told)
            found[f"{title}; * differs from no-graph, p < 0.05"] = lines, told
            found.update(_twins(runs, title, keys))
            plain = next((key for key in means.values() if key[1].startswith("no-graph")), None)
            if plain:
                head = f"{title}, the mean of several seeds for both; * differs from no-graph"
                found[head] = table(runs, means, COLUMNS, plain)
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
        found["Ablations beside the paper's, change against full; * p < 0.05"] = beside(
            lambda name, *what: runs.values(keys[name], *what) if name in keys else [],
            lambda name, *what: runs.difference(keys[name], base, *what),
        )
    return {**found, **_searched(runs)}


def _searched(runs: Runs) -> dict[str, tuple[str, dict[str, Any]]]:
    """List what was tried on validation, the best first."""
    found = {}
    for title, stage, corpus in (
        ("Search on validation, best first", "search", None),
        ("How the corpora mix, on the week's validation, best first", "blend", "week"),
        ("How the corpora mix, on A61B 5's validation, best first", "blend", "a61b5"),
        ("Parts of the corpora, on the week's validation, best first", "mix", "week"),
        ("Parts of the corpora, on A61B 5's validation, best first", "mix", "a61b5"),
        ("The mean of several seeds, on the week's validation", "average-validation", "week"),
        ("The mean of several seeds, on A61B 5's validation", "average-validation", "a61b5"),
    ):
        searched = {
            f"{key[1]} {key[5]}": key
            for key in sorted(runs.rows, key=_tuned(runs))
            if key[0] == stage and corpus in (None, key[3])
        }
        if searched:
            found[title] = table(runs, searched, TUNED, None)
    return found


def _averages(keys: dict[str, Key]) -> dict[str, Key]:
    """Say of how many seeds a model is the mean.

    >>> key = ("average", "phage-mini-4", None, "week", "plain", 0.0)
    >>> list(_averages({"phage-mini-4": key, "no-graph-4": key}))
    ['phage-mini, the mean of 4 seeds (shipped)', 'no-graph, the mean of 4 seeds']
    """
    found = {}
    for name, key in keys.items():
        variant, _, count = name.rpartition("-")
        shipped = " (shipped)" if variant == "phage-mini" else ""
        found[f"{variant}, the mean of {count} seeds{shipped}"] = key
    return found


def _twins(runs: Runs, title: str, keys: dict[str, Key]) -> dict[str, tuple[str, dict[str, Any]]]:
    """Set models beside the same without a graph."""
    found = {}
    for name in ("phage-mini", "untaught"):
        twin = f"no-graph-{name.removeprefix('phage-')}"
        some = {one: keys[one] for one in (twin, name) if one in keys}
        if len(some) == 2:
            head = f"{title}; * differs from {twin}"
            found[head] = table(runs, some, COLUMNS, keys[twin])
    return found


def _with_bm25(lines: str, told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Add the words alone, which only retrieve: as `phage evaluate` scored them."""
    measures = json.loads(BM25.read_text(encoding="utf-8"))["tasks"]["retrieval"]["measures"]
    found = {name: measures[name]["mean"] for name in ("ndcg@100", "recall@100")}
    shown = " | ".join(["–"] * 4 + [cell([value]) for value in found.values()])
    head, rule, *rest = lines.split("\n")
    row = {"seeds": 1, "measures": {f"retrieval {k}": {"mean": v} for k, v in found.items()}}
    return "\n".join([head, rule, f"| BM25 | {shown} | 1 |", *rest]), {"BM25": row, **told}


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
                ours, theirs = ((stage, name, size, corpus, "plain", 0.0) for name in GROWN)
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
    axes[0].set_ylabel("with graph minus without")
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
    write_text(folder / "table.md", f"# phage-mini\n\np: {TEST}.\n\n{text}\n")
    tables = {title: told for title, (_, told) in made.items()}
    write_json(
        folder / "table.json",
        {"test": TEST, "tables": tables, "growth": drawn, "provenance": provenance()},
    )
    print(text)

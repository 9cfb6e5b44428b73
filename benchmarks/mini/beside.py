"""The paper's ablation table, and ours beside it.

In:   the rows of stage ``ablations``; the paper's table (src/phage/evaluation/paper.json).
Out:  per variant the change against full, here and there, and whether both say the same.
Why:  corpora and backbones differ, so levels cannot be compared; what a component adds can."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from typing import Any

from phage.evaluation.ablation_table import paper

TASKS = {"macro_f1": "classification", "ndcg@100": "retrieval", "nmi": "clustering"}
Means = Callable[[str, str, str], list[float]]
"""Variant, task, measure → a value per seed."""
Apart = Callable[[str, str, str], dict[str, float] | None]
"""The same → its difference to full, with its p."""


def beside(values: Means, apart: Apart) -> tuple[str, dict[str, Any]]:
    """Give the Markdown and the JSON; a change is the same where its sign is, and p < 0.05."""
    table = paper()["ablation"]
    there = {row["recipe"]: dict(zip(table["measures"], row["values"], strict=True))
             for row in table["rows"]}  # fmt: skip
    heads = {"macro_f1": "macro-F1", "ndcg@100": "NDCG@100", "nmi": "NMI"}
    lines = [
        "| variant | " + " | ".join(f"{h} here | paper" for h in heads.values()) + " | same |",
        "|---" * (2 * len(heads) + 2) + "|",
    ]
    told: dict[str, Any] = {}
    for row in table["rows"]:
        name = row["recipe"]
        if name == "full" or not values(name, TASKS["nmi"], "nmi"):
            continue
        cells, same, told[name] = [], 0, {}
        for measure in heads:
            found = apart(name, TASKS[measure], measure)
            here = mean(values(name, TASKS[measure], measure)) - mean(
                values("full", TASKS[measure], measure)
            )
            claimed = there[name][measure] - there["full"][measure]
            sure = found is not None and found["p"] < 0.05
            same += sure and here * claimed > 0
            cells += [f"{here:+.3f}{'*' if sure else ''}", f"{claimed:+.3f}"]
            told[name][measure] = {"here": here, "paper": claimed, "p": found and found["p"]}
        lines.append(f"| {row['title']} | {' | '.join(cells)} | {same} of {len(heads)} |")
    return "\n".join(lines), told

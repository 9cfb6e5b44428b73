"""How docs/findings.md names rows and columns and writes scores and differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SIZES = {"minilm": "6 × 384", "gte": "12 × 384", "mpnet": "12 × 768"}
"""Base of a run → layers and width."""
ROWS = {
    "untrained": "not trained",
    "no-graph": "No Graph", "paper": "the paper's method, true edges",
    "random-pairs": "random pairs of claims", "rewired": "edges rewired",
    "other-patent": "another patent's graph", "no-mask-claim-loss": "claim loss alone, true edges",
    "no-mask-random-pairs": "claim loss alone, random pairs",
    "no-mask-rewired": "claim loss alone, rewired",
    "no-mask-other-patent": "claim loss alone, another patent's graph",
    "ours": "our recipe, true edges", "ours-random-pairs": "our recipe, random pairs",
    "ours-rewired": "our recipe, rewired", "ours-other-patent": "our recipe, another patent's graph",
    "ours-no-graph": "our recipe, no graph",
}  # fmt: skip
KINDS = {
    "with mask and bias": "",
    "with the claim loss alone": "no-mask-",
    "of our recipe": "ours-",
}
"""Kind of training → how its rows begin."""
FALSE = ("random-pairs", "rewired", "other-patent")
TRUE = {
    f"{start}{name}": true
    for start, true in zip(KINDS.values(), ("paper", "no-mask-claim-loss", "ours"), strict=True)
    for name in FALSE
}
"""Control → the row with the true edges that it is compared with."""
HOW = {"context": "in context", "alone": "alone"}
SETS = {"week": "week", "indian": "Indian"}
LATER = {
    f"{one}/parents/{how}/mrr_later": f"{title}, {said}, not claim 1"
    for one, title in SETS.items() for how, said in HOW.items()
}  # fmt: skip
PARENTS = {f"{one}/parents/context/mrr": f"{title}, in context" for one, title in SETS.items()}
PARENTS |= LATER
PATENTS = {
    f"{one}/patents/{how}/ndcg@100": f"{title}, {said}"
    for one, title in SETS.items() for how, said in HOW.items()
}  # fmt: skip
"""Columns about claim vectors."""
RULES = {
    "chance": "chance", "claim-1": "claim 1 first", "nearest": "the nearest claim before",
    "independent": "the nearest independent claim before", "words": "shared words (TF-IDF)",
}  # fmt: skip
"""Rows about claim vectors that have no base."""
Table = Mapping[str, Any]
"""Row and base → column → cell."""


def short(value: float, sign: str = "") -> str:
    """Write a score as tables do.

    >>> short(0.4621), short(-0.0109, "+"), short(0.00049, "+")
    ('.462', '-.011', '+.000')
    """
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


def grid(heads: list[str], rows: list[list[str]]) -> str:
    """Write a Markdown table."""
    lines = [" | ".join(cells) for cells in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(f"| {line} |" for line in lines)


def ordered(table: Table) -> list[tuple[str, str]]:
    """List rows and bases in the order of the page."""
    return [(row, base) for base in SIZES for row in ROWS if f"{row}/{base}" in table]


def score(cell: Mapping[str, Any] | None) -> str:
    """Write mean ± deviation."""
    if cell is None:
        return ""
    spread = f" ± {short(cell['sd'])}" if cell["seeds"] > 1 else ""
    return f"{short(cell['mean'])}{spread}"


def scores(table: Table, columns: Mapping[str, str], more: Mapping[str, str] = {}) -> str:
    """Give mean ± deviation over the seeds; ``more`` names rows without a base."""
    names = {name: [title, ""] for name, title in more.items() if name in table}
    names |= {f"{row}/{base}": [ROWS[row], SIZES[base]] for row, base in ordered(table)}
    rows = [
        [*titles, *(score(table[name].get(column)) for column in columns)]
        for name, titles in names.items()
        if any(column in table[name] for column in columns)
    ]
    return grid(["row", "model", *columns.values()], rows)


def apart(table: Table, others: Mapping[str, str], columns: Mapping[str, str]) -> str:
    """Give differences to other rows: value, 95 % interval; bold where p < .05."""
    rows = []
    for row, base in ordered(table):
        other = f"{others.get(row)}/{base}"
        if row in others and other in table:
            found = [table[f"{row}/{base}"][column]["against"][other] for column in columns]
            rows.append([ROWS[row], SIZES[base], *map(difference, found)])
    return grid(["row", "model", *columns.values()], rows)


def difference(found: Mapping[str, float]) -> str:
    """Write a difference with its interval."""
    value, low, high = (short(found[key], "+") for key in ("value", "low", "high"))
    return f"{f'**{value}**' if found['p'] < 0.05 else value} [{low}, {high}]"


def tally(table: Table, columns: Mapping[str, str] | None = None) -> str:
    """Count per kind of training how often a control differs from the true edges, and which way."""
    lines = []
    for kind, start in KINDS.items():
        tests = [
            cell["against"][f"{TRUE[row]}/{base}"]
            for row in (f"{start}{name}" for name in FALSE)
            for base in SIZES if f"{row}/{base}" in table
            for column, cell in table[f"{row}/{base}"].items()
            if f"{TRUE[row]}/{base}" in cell["against"] and column in (columns or [column])
        ]  # fmt: skip
        sure = [one["value"] for one in tests if one["p"] < 0.05]
        if tests:
            most = f"; the largest is {max(map(abs, sure)):.3f}" if sure else ""
            lines.append(
                f"- Of {len(tests)} differences {kind}, {sum(v < 0 for v in sure)} favour the true "
                f"edges and {sum(v > 0 for v in sure)} a control (p < .05, not corrected){most}."
            )
    return "\n".join(lines)

"""The tables and the figure of docs/findings.md, from committed results.

python experiments/controls/findings.py

In:   ``results/controls`` (runs with samples), ``results/mini`` and ``results/reading.json``.
Out:  what stands between the marks of ``docs/findings.md``; ``docs/drawings/findings.svg``.
Why:  no figure of a page for talks may be typed in. Rows that are run later come in by themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from phage.evaluation.ablation_table import paper
from phage.storage import write_text

ROOT = Path(__file__).parents[2]
PAGE, PICTURE = ROOT / "docs/findings.md", ROOT / "docs/drawings/findings.svg"
SIZES = {"minilm": "6 × 384", "gte": "12 × 384", "mpnet": "12 × 768"}
"""Base of a run → layers and width."""
ROWS = {
    "no-graph": "No Graph", "paper": "the paper's method, true edges",
    "random-pairs": "random pairs of claims", "rewired": "edges rewired",
    "other-patent": "another patent's graph", "no-mask-claim-loss": "claim loss alone, true edges",
    "no-mask-random-pairs": "claim loss alone, random pairs",
    "no-mask-rewired": "claim loss alone, rewired",
    "no-mask-other-patent": "claim loss alone, another patent's graph",
    "ours": "our recipe, true edges",
}  # fmt: skip
TRUE = {"random-pairs": "paper", "rewired": "paper", "other-patent": "paper"} | {
    f"no-mask-{name}": "no-mask-claim-loss" for name in ("random-pairs", "rewired", "other-patent")
}
"""Control → the row with the true edges that it is compared with."""
COLUMNS = {
    "week/micro_f1": "week micro-F1", "week/nmi": "week NMI", "week/ndcg@100": "week NDCG@100",
    "indian/ndcg@100": "Indian NDCG@100", "a61b5/micro_f1": "A61B 5 micro-F1",
}  # fmt: skip
DRAWN = ("week/ndcg@100", "indian/ndcg@100", "a61b5/micro_f1")
SHOWN = 0.06
"""Largest difference in the picture; longer bars leave it."""
WEEK = "Week, trained on both, 400 steps; * differs from no-graph, p < 0.05"
EARLIER = "Week, trained on both, 200 steps, the earlier teacher; * differs from no-graph, p < 0.05"
UNTAUGHT = EARLIER.split(";")[0] + "; * differs from no-graph-untaught"
INFERENCE = "Week, trained on both, 400 steps: graph at inference"
NDCG = "retrieval ndcg@100"


def read(name: str) -> Any:
    """Read a committed result."""
    return json.loads((ROOT / "results" / name).read_text(encoding="utf-8"))


def controls() -> dict[str, Any]:
    """Read the table of the runs: row and base → column → cell."""
    found: dict[str, Any] = {}
    for folder in ("controls", "controls-mpnet"):
        if (ROOT / "results" / folder / "ablation.json").is_file():
            found |= read(f"{folder}/ablation.json")["table"]
    return found


def short(value: float, sign: str = "") -> str:
    """Write a score as tables do.

    >>> short(0.4621), short(-0.0109, "+"), short(0.00049, "+")
    ('.462', '-.011', '+.000')
    """
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


def runs(table: Mapping[str, Any]) -> str:
    """Count the runs that the first tables are made of."""
    seeds = [next(iter(cells.values()))["seeds"] for cells in table.values()]
    bases = {name.split("/")[1] for name in table}
    sizes = ", ".join(size for base, size in SIZES.items() if base in bases)
    each = " to ".join(map(str, sorted({min(seeds), max(seeds)})))
    return f"{sum(seeds)} runs: {len(table)} rows ({sizes}), {each} seeds each."


def ordered(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """List rows and bases in the order of the page."""
    return [(row, base) for base in SIZES for row in ROWS if f"{row}/{base}" in table]


def grid(heads: list[str], rows: list[list[str]]) -> str:
    """Write a Markdown table."""
    lines = [" | ".join(cells) for cells in (heads, ["---"] * len(heads), *rows)]
    return "\n".join(f"| {line} |" for line in lines)


def scores(table: Mapping[str, Any]) -> str:
    """Give mean ± deviation over the seeds."""
    rows = [
        [ROWS[row], SIZES[base]]
        + [f"{short(cell['mean'])} ± {short(cell['sd'])}"
           for cell in (table[f"{row}/{base}"][column] for column in COLUMNS)]
        for row, base in ordered(table)
    ]  # fmt: skip
    return grid(["row", "model", *COLUMNS.values()], rows)


def apart(table: Mapping[str, Any], others: Mapping[str, str]) -> str:
    """Give differences to other rows: value, 95 % interval; bold where p < .05."""
    rows = []
    for row, base in ordered(table):
        other = f"{others.get(row)}/{base}"
        if row in others and other in table:
            found = [table[f"{row}/{base}"][column]["against"][other] for column in COLUMNS]
            rows.append([ROWS[row], SIZES[base], *map(difference, found)])
    return grid(["row", "model", *COLUMNS.values()], rows)


def difference(found: Mapping[str, float]) -> str:
    """Write a difference with its interval."""
    value, low, high = (short(found[key], "+") for key in ("value", "low", "high"))
    return f"{f'**{value}**' if found['p'] < 0.05 else value} [{low}, {high}]"


def counted(table: Mapping[str, Any]) -> str:
    """Count how often a control differs from the true edges, and which way."""
    lines = []
    for kind, start in (("with mask and bias", ""), ("with the claim loss alone", "no-mask-")):
        tests = [
            cell["against"][f"{true}/{base}"]
            for row, true in TRUE.items() if row.startswith("no-mask-") is bool(start)
            for base in SIZES if f"{row}/{base}" in table
            for cell in table[f"{row}/{base}"].values() if f"{true}/{base}" in cell["against"]
        ]  # fmt: skip
        sure = [one["value"] for one in tests if one["p"] < 0.05]
        for_true, against = sum(v < 0 for v in sure), sum(v > 0 for v in sure)
        lines.append(
            f"- Of {len(tests)} differences {kind}, {for_true} favour the true edges and {against} "
            f"a control (p < .05, not corrected); the largest is {max(map(abs, sure)):.3f}."
        )
    moved = read("controls/moved.json")["controls"]
    shares = ", ".join(f"{ROWS[name]} {found['moved']:.0%}" for name, found in moved.items())
    return "\n".join([*lines, f"- Share of edges that the control changes: {shares}."])


def levers(table: Mapping[str, Any]) -> str:
    """List what was changed, without and with it: NDCG@100 of the week."""
    tables, whole = read("mini/table.json")["tables"], read("mini/tac.json")["measures"][NDCG]
    late, early, asked = tables[WEEK], tables[EARLIER], tables[INFERENCE]
    half = "50% first weights"
    deep = [_cell(table[f"no-graph/{base}"]["week/ndcg@100"]) for base in ("minilm", "gte")]
    rows = [
        ["title and abstract are read before the claims", short(whole["claims"]),
         short(whole["tac"]), f"the earlier phage-mini, p {short(whole['difference']['p'])}"],
        ["12 layers instead of 6", *deep, "No Graph"],
        ["our recipe's pooling, pairs and views", _mini(early["no-graph"]),
         _mini(early["no-graph-untaught"]), "no graph, no teacher"],
        ["a teacher", _mini(early["no-graph-untaught"]), _mini(early["no-graph-mini"]), "no graph"],
        ["half of the first weights", _mini(early["no-graph-untaught"]),
         _mini(early[f"no-graph-untaught, {half}"]), "no graph, no teacher"],
        ["the mean of four seeds", _mini(late["phage-mini"]),
         _mini(late["phage-mini, the mean of 4 seeds (shipped)"]), "the earlier phage-mini's recipe"],
        ["**the graph**, as in the paper", _mini(late["no-graph"]), _mini(late["paper"]), "400 steps"],
        ["**the graph**, our way", _mini(early["no-graph-untaught"]), _mini(early["untaught"]),
         f"no teacher, p {_p(tables[UNTAUGHT]['untaught'])}"],
        ["**the graph**, our way", _mini(late["no-graph-mini"]), _mini(late["phage-mini"]),
         f"beside a teacher, p {_p(tables[WEEK.split(';')[0] + '; * differs from no-graph-mini']['phage-mini'])}"],
        ["**the graph** at inference", _mini(asked["phage-mini, graph off"]),
         _mini(asked["phage-mini, graph on"]), "the earlier phage-mini's recipe"],
    ]  # fmt: skip
    return grid(["what", "without", "with", "where"], rows)


def _mini(row: Mapping[str, Any]) -> str:
    cell = row["measures"][NDCG]
    return _cell({**cell, "seeds": row["seeds"]})


def _p(row: Mapping[str, Any]) -> str:
    return f"{row['measures'][NDCG]['against']['p']:.2f}".replace("0.", ".")


def _cell(cell: Mapping[str, Any]) -> str:
    if cell["seeds"] == 1:
        return f"{short(cell['mean'])} (1)"
    return f"{short(cell['mean'])} ± {short(cell['sd'])} ({cell['seeds']})"


def growth() -> str:
    """Give the graph's share at four sizes of corpus, our recipe without a teacher."""
    lines = (ROOT / "results/mini/growth.jsonl").read_text(encoding="utf-8").splitlines()
    found = {}
    for row in map(json.loads, lines):
        if row.get("corpus") == "week" and "tasks" in row:
            score = row["tasks"]["retrieval"]["measures"]["ndcg@100"]["mean"]
            found[row["size"], row["variant"]] = score
    rows = [
        [f"{size:,}", *(short(found[size, name]) for name in ("no-graph-untaught", "untaught")),
         short(found[size, "untaught"] - found[size, "no-graph-untaught"], "+"), "1"]
        for size in sorted({size for size, _ in found})
    ]  # fmt: skip
    last = read("mini/table.json")["tables"][UNTAUGHT]
    ends = [last[name]["measures"][NDCG]["mean"] for name in ("no-graph-untaught", "untaught")]
    seeds = str(last["untaught"]["seeds"])
    rows.append(["all", *map(short, ends), short(ends[1] - ends[0], "+"), seeds])
    return grid(["patents", "without graph", "with graph", "difference", "seeds"], rows)


def ablations() -> str:
    """Give the paper's ablations beside ours: change against the full method."""
    (lines,) = (
        rows for title, rows in read("mini/table.json")["tables"].items() if "beside" in title
    )
    names = {row["recipe"]: row["title"] for row in paper()["ablation"]["rows"]}
    keys = {"macro_f1": "macro-F1", "ndcg@100": "NDCG@100", "nmi": "NMI"}
    heads = [f"{title}, {side}" for title in keys.values() for side in ("here", "paper")]
    rows = [
        [names[name], *(short(line[key][side], "+") for key in keys for side in ("here", "paper"))]
        for name, line in lines.items()
    ]
    return grid(["left out", *heads], rows)


def weights() -> str:
    """Give the ways of weighing claims."""
    rows = [[name, short(value)] for name, value in read("reading.json")["ndcg@100"].items()]
    return grid(["what the vector is made of", "NDCG@100"], rows)


def parts() -> dict[str, str]:
    """Make every part of the page."""
    table = controls()
    free = {row: "no-graph" for row in ROWS if row != "no-graph"}
    return {
        "runs": runs(table), "scores": scores(table), "no-graph": apart(table, free),
        "true": apart(table, TRUE), "counted": counted(table), "levers": levers(table),
        "growth": growth(), "ablations": ablations(), "weights": weights(),
    }  # fmt: skip


def renewed(page: str) -> str:
    """Put every part between its marks."""
    for name, text in parts().items():
        marks = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        page, count = re.subn(marks, rf"\g<1>{text}\n\g<2>", page, flags=re.DOTALL)
        if count != 1:
            raise SystemExit(f"the page has {count} places for '{name}'")
    return page


def draw(path: Path) -> None:
    """Draw the differences from No Graph: one column per measure, one line per row."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    table = controls()
    names = [row for row in ROWS if row != "no-graph" and any(f"{row}/{b}" in table for b in SIZES)]
    bases = [base for base in SIZES if any(f"{row}/{base}" in table for row in names)]
    with mpl.rc_context({"font.size": 13, "svg.hashsalt": "findings"}):
        figure = Figure(figsize=(13.3, 7.2), facecolor="white")
        axes = figure.subplots(1, len(DRAWN), sharex=True, sharey=True)
        for axis, column in zip(axes, DRAWN, strict=True):
            axis.axvline(0, color="0.3", linewidth=1.2)
            axis.set_title(COLUMNS[column], fontsize=14)
            axis.grid(axis="x", alpha=0.25)
            axis.spines[["top", "right", "left"]].set_visible(False)
            axis.tick_params(axis="y", length=0)
            for place, row in enumerate(names):
                for shift, base in enumerate(bases):
                    if cell := table.get(f"{row}/{base}"):
                        found = cell[column]["against"][f"no-graph/{base}"]
                        _bar(axis, found, place + 0.3 * (shift - (len(bases) - 1) / 2), row, shift)
        axes[0].set_yticks(range(len(names)), [ROWS[name] for name in names])
        axes[0].invert_yaxis()
        axes[0].set_xticks([-0.04, -0.02, 0, 0.02, 0.04], ["-.04", "-.02", "0", "+.02", "+.04"])
        axes[0].set_xlim(-SHOWN, SHOWN)
        axes[1].set_xlabel("difference from No Graph, 95 % interval (right of the line: better)")
        _legend(figure, bases)
        figure.suptitle(
            "We did not find that true claim edges do better than false ones", fontsize=19, x=0.5
        )
        figure.tight_layout(rect=(0, 0.05, 1, 1))
        figure.savefig(path, format="svg", metadata={"Date": None})


def _bar(axis: Any, found: Mapping[str, float], place: float, row: str, shift: int) -> None:
    colour = "#1b7f3b" if row == "ours" else "#6b7280" if row in TRUE else "#b3261e"
    ends = [[found["value"] - found["low"]], [found["high"] - found["value"]]]
    axis.errorbar(
        found["value"], place, xerr=ends, fmt="os^"[shift], color=colour, capsize=3, markersize=7,
        markerfacecolor="white" if shift == 0 else colour,
    )  # fmt: skip


def _legend(figure: Any, bases: list[str]) -> None:
    from matplotlib.lines import Line2D

    colours = {"true edges": "#b3261e", "control": "#6b7280", "our recipe": "#1b7f3b"}
    marks = [Line2D([], [], color=c, linewidth=4, label=name) for name, c in colours.items()]
    for place, base in enumerate(bases):
        look = {"marker": "os^"[place], "markerfacecolor": "0.3" if place else "white"}
        marks.append(Line2D([], [], color="0.3", linewidth=0, label=SIZES[base], **look))
    figure.legend(handles=marks, loc="lower center", ncols=len(marks), frameon=False)


if __name__ == "__main__":
    write_text(PAGE, renewed(PAGE.read_text(encoding="utf-8")))
    draw(PICTURE)

"""The tables and the figure of docs/findings.md, from committed results.

python experiments/controls/findings.py

In:   ``results/controls`` (runs with samples), ``results/mini`` and ``results/reading.json``.
Out:  what stands between the marks of ``docs/findings.md``; ``docs/drawings/findings.svg``.
Why:  no figure of a page for talks may be typed in. Rows that are run later come in by themselves."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cells import (
    LATER,
    PARENTS,
    PATENTS,
    ROWS,
    RULES,
    SIZES,
    TRUE,
    apart,
    grid,
    scores,
    short,
    tally,
)  # fmt: skip

from phage.evaluation.ablation_table import paper
from phage.storage import write_text

ROOT = Path(__file__).parents[2]
PAGE, PICTURE = ROOT / "docs/findings.md", ROOT / "docs/drawings/findings.svg"
COLUMNS = {
    "week/micro_f1": "week micro-F1", "week/nmi": "week NMI", "week/ndcg@100": "week NDCG@100",
    "indian/ndcg@100": "Indian NDCG@100", "a61b5/micro_f1": "A61B 5 micro-F1",
}  # fmt: skip
CLAIMS = "claim-vectors/table.json"
SECTION = """## Claims to claims
Claim vectors of the models above, with references such as "of claim …" removed before anything is read
([script](../experiments/controls/claims.py)). A claim is read in the context of its patent, or alone as a text.

**Parents.** For each dependent claim with one parent, the other claims of its patent are ranked by cosine. The tables
give the mean reciprocal rank of the parent, also for claims whose parent is not the first claim.

<!-- claim-parents -->
<!-- end -->

**Patents.** All claims are ranked by their similarity to each independent claim of a test patent, and patents by their
best claim. The tables give NDCG@100 of the patents that share citations with it.

<!-- claim-patents -->
<!-- end -->

**False edges, or none, minus true edges**, with 95 % intervals. Bold means p < .05 in the paired randomisation test. First
the parents, then the patents:

<!-- claim-parents-true -->
<!-- end -->

<!-- claim-patents-true -->
<!-- end -->

<!-- claim-counted -->
<!-- end -->

"""
NEXT = "## What helped a small model"
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


def runs(table: Mapping[str, Any]) -> str:
    """Count the runs that the first tables are made of."""
    seeds = [next(iter(cells.values()))["seeds"] for cells in table.values()]
    bases = {name.split("/")[1] for name in table}
    sizes = ", ".join(size for base, size in SIZES.items() if base in bases)
    each = " to ".join(map(str, sorted({min(seeds), max(seeds)})))
    return f"{sum(seeds)} runs: {len(table)} rows ({sizes}), {each} seeds each."


def counted(table: Mapping[str, Any]) -> str:
    """Count how often a control differs from the true edges, and how many edges it changes."""
    moved = read("controls/moved.json")["controls"]
    shares = ", ".join(f"{ROWS[name]} {found['moved']:.0%}" for name, found in moved.items())
    return f"{tally(table)}\n- Share of edges that the control changes: {shares}."


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


def claims() -> dict[str, str]:
    """Make the parts about claim vectors, if they have been measured."""
    if not (ROOT / "results" / CLAIMS).is_file():
        return {}
    table, others = read(CLAIMS)["table"], {**TRUE, "no-graph": "paper", "ours-no-graph": "ours"}
    return {
        "claim-parents": scores(table, PARENTS, RULES),
        "claim-patents": scores(table, PATENTS, RULES),
        "claim-parents-true": apart(table, others, LATER),
        "claim-patents-true": apart(table, others, PATENTS),
        "claim-counted": tally(table, LATER | PATENTS),
    }


def parts() -> dict[str, str]:
    """Make every part of the page."""
    table = controls()
    free = {row: "no-graph" for row in ROWS if row != "no-graph"}
    return {
        "runs": runs(table), "scores": scores(table, COLUMNS),
        "no-graph": apart(table, free, COLUMNS),
        "true": apart(table, {**TRUE, "ours-no-graph": "ours"}, COLUMNS),
        "counted": counted(table), **claims(), "levers": levers(table),
        "growth": growth(), "ablations": ablations(), "weights": weights(),
    }  # fmt: skip


def renewed(page: str) -> str:
    """Put every part between its marks; the section about claims comes in with its results."""
    found = parts()
    if "claim-counted" in found and SECTION.splitlines()[0] not in page:
        page = page.replace(NEXT, SECTION + NEXT)
    for name, text in found.items():
        marks = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
        page, count = re.subn(marks, lambda m: f"{m[1]}{text}\n{m[2]}", page, flags=re.DOTALL)  # noqa: B023
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
    colour = "#6b7280" if row in TRUE else "#1b7f3b" if row.startswith("ours") else "#b3261e"
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

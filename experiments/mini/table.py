"""The figures of results/mini once more, from its rows.

python experiments/mini/table.py           # compare, and write results/mini/table.{json,md}

In:   ``results/mini/*.jsonl``: a row per run and corpus, with recipe, scores and versions.
Out:  every mean, deviation and value per seed of ``table.json``, computed again; ``table.md``.
Why:  a figure must follow from what is committed. The answers per document behind the differences
      are lost (they were not committed), so differences and p are those of the runs' own table:
      a paired bootstrap, too sure of macro-F1 and NMI. New tables come from `phage ablate`."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from phage.evaluation.ablation_table import paper
from phage.storage import write_json, write_text

FOLDER = Path("results/mini")
BM25 = Path("results/uspto-week/BM25.json")
STAGES = {
    "400 steps": "final", "200 steps": "both", "Ablations": "ablations", "Search": "search",
    "How the corpora": "blend", "Parts of": "mix", "The mean of several": "average-validation",
}  # fmt: skip
NAMES = {
    "micro_f1": "micro-F1", "macro_f1": "macro-F1", "nmi": "NMI", "ari": "ARI",
    "ndcg@100": "NDCG@100", "recall@100": "R@100",
}  # fmt: skip
BESIDE = {"macro_f1": "classification", "ndcg@100": "retrieval", "nmi": "clustering"}
Rows = dict[tuple[Any, ...], dict[int, dict[str, Any]]]


def read_rows(folder: Path) -> Rows:
    """Read every row by stage, variant, size, corpus, attention and share of the first weights."""
    found: Rows = defaultdict(dict)
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "tasks" in row:
                key = ("stage", "variant", "size", "corpus", "attention", "share")
                found[tuple(row[name] for name in key)][row["seed"]] = row["tasks"]
    return found


def seeds_of(rows: Rows, title: str, name: str) -> dict[int, dict[str, Any]]:
    """Find the runs that a row of a table is the mean of."""
    if name == "BM25":
        return {0: json.loads(BM25.read_text(encoding="utf-8"))["tasks"]}
    stage = next(stage for start, stage in STAGES.items() if start in title)
    attention = "guided" if name.endswith(", graph on") else "plain"
    name, share = re.sub(r", graph (on|off)$", "", name), 0.0
    if many := re.fullmatch(r"(.*), the mean of (\d) seeds.*", name):
        stage, name = "average", f"{many[1]}-{many[2]}"
    elif part := re.fullmatch(r"(.*), (\d+)% first weights", name):
        name, share = part[1], int(part[2]) / 100
    elif part := re.fullmatch(r"(.*) (0\.\d)", name):
        name, share = part[1], float(part[2])
    elif name.startswith("base-"):
        stage = "base"
    corpus = "a61b5" if "A61B 5" in title else "week"
    return next(
        seeds
        for key, seeds in rows.items()
        if (*key[:3], *key[4:]) == (stage, name, None, attention, share)
        and (key[3] == corpus or stage == "search")
    )


def again(table: dict[str, Any], rows: Rows) -> dict[str, Any]:
    """Compute every score of a table anew; its titles and its differences stay."""
    made: dict[str, Any] = json.loads(json.dumps(table))
    for title, lines in made["tables"].items():
        for name, line in lines.items():
            if "measures" not in line:  # beside the paper's: changes against full
                for measure, task in BESIDE.items():
                    line[measure] |= _beside(rows, title, name, (task, measure))
                continue
            seeds = seeds_of(rows, title, name)
            line["seeds"] = len(seeds)
            for key, cell in line["measures"].items():
                task, _, measure = key.rpartition(" ")
                values = [seeds[seed][task]["measures"][measure]["mean"] for seed in sorted(seeds)]
                cell["mean"] = mean(values)
                if name != "BM25":
                    cell["sd"] = stdev(values) if len(values) > 1 else 0.0
                    cell["values"] = values
    return made


def _beside(rows: Rows, title: str, name: str, what: tuple[str, str]) -> dict[str, float]:
    task, measure = what
    printed = paper()["ablation"]
    place = printed["measures"].index(measure)
    theirs = {row["recipe"]: row["values"][place] for row in printed["rows"]}
    ours = {
        one: mean(run[task]["measures"][measure]["mean"] for run in seeds.values())
        for one in (name, "full")
        for seeds in [{s: t for s, t in sorted(seeds_of(rows, title, one).items())}]
    }
    return {"here": ours[name] - ours["full"], "paper": theirs[name] - theirs["full"]}


def markdown(table: dict[str, Any]) -> str:
    """Write the tables; * where the difference of a row has p < 0.05."""
    parts = ["# phage-mini", f"The stars are of the {table['test']}."]
    for title, lines in table["tables"].items():
        rows = [line for line in lines.values() if "measures" in line]
        if not rows:
            parts.append(f"## {title}\n{_beside_markdown(lines)}")
            continue
        keys = list(dict.fromkeys(key for line in rows for key in line["measures"]))
        keys.sort(
            key=lambda key: (list(NAMES).index(key.split(" ")[1]), key.split("-")[-1][0] == "d")
        )
        heads = [NAMES[key.split(" ")[1]] + _which(key) for key in keys]
        text = [f"| model | {' | '.join(heads)} | seeds |", "|---" * (len(keys) + 2) + "|"]
        for name, line in lines.items():
            cells = [_cell(line["measures"].get(key)) for key in keys]
            text.append(f"| {name} | {' | '.join(cells)} | {line['seeds']} |")
        parts.append(f"## {title}\n" + "\n".join(text))
    return "\n\n".join(parts) + "\n"


def _which(key: str) -> str:
    """Tell the two retrievals of validation apart."""
    part = re.match(r"retrieval-(\w+) ", key)
    return f" {part[1]}" if part else ""


def _cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return "–"
    text = f"{found['mean']:.3f}".lstrip("0")
    if len(found.get("values", ())) > 1:
        text += f" ± {found['sd']:.3f}".replace("± 0", "± ")
    return text + "*" * bool(found.get("against") and found["against"]["p"] < 0.05)


def _beside_markdown(lines: dict[str, Any]) -> str:
    names = {row["recipe"]: row["title"] for row in paper()["ablation"]["rows"]}
    heads = " | ".join(f"{NAMES[measure]} here | paper" for measure in BESIDE)
    text = [f"| variant | {heads} | same |", "|---" * 8 + "|"]
    for name, line in lines.items():
        sure = {
            measure: line[measure]["p"] is not None and line[measure]["p"] < 0.05
            for measure in BESIDE
        }
        same = sum(sure[m] and line[m]["here"] * line[m]["paper"] > 0 for m in BESIDE)
        cells = [f"{line[m]['here']:+.3f}{'*' * sure[m]} | {line[m]['paper']:+.3f}" for m in BESIDE]
        text.append(f"| {names[name]} | {' | '.join(cells)} | {same} of 3 |")
    return "\n".join(text)


def main() -> None:
    table = json.loads((FOLDER / "table.json").read_text(encoding="utf-8"))
    made = again(table, read_rows(FOLDER))
    print("the same scores" if made == table else "OTHER SCORES than those of table.json")
    write_json(FOLDER / "table.json", made)
    write_text(FOLDER / "table.md", markdown(made))


if __name__ == "__main__":
    main()

"""Put what `make demo` made on one HTML page: figures, the drawn graph, the training curves."""

from __future__ import annotations

import base64
import html
import json
import sys
from pathlib import Path

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark; }
table { border-collapse: collapse; margin: 1rem 0; }
td, th { padding: .3rem .9rem; border-bottom: 1px solid #8884; text-align: right; }
td:first-child, th:first-child { text-align: left; }
figure { margin: 1.5rem 0; overflow-x: auto; } img { max-width: 100%; }
code { background: #8882; padding: .1rem .3rem; border-radius: .2rem; }
"""
MEASURES = {
    "classification": ("micro_f1", "macro_f1"),
    "clustering": ("nmi", "ari"),
    "retrieval": ("ndcg@100", "recall@100"),
}


def rows(folder: Path) -> list[list[str]]:
    """Read every result: its name and the measures of the three tasks."""
    found = []
    for path in sorted(folder.glob("**/*.json"), key=lambda path: path.stat().st_mtime):
        result = json.loads(path.read_text(encoding="utf-8"))
        if "tasks" not in result:
            continue
        cells = [result["model"]]
        for task, names in MEASURES.items():
            measures = result["tasks"].get(task, {}).get("measures", {})
            cells += [f"{measures[n]['mean']:.3f}" if n in measures else "" for n in names]
        found.append(cells)
    return found


def table(titles: list[str], cells: list[list[str]]) -> str:
    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in cells
    )
    return f"<table><tr>{head}</tr>{body}</table>"


def picture(path: Path) -> str:
    if not path.is_file():
        return ""
    kind = "svg+xml" if path.suffix == ".svg" else "png"
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<figure><img alt="{html.escape(path.stem)}" src="data:image/{kind};base64,{data}"></figure>'


def main(folder: Path) -> None:
    titles = ["model", *(name for names in MEASURES.values() for name in names)]
    page = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>PHAGE demo</title>
<style>{STYLE}</style><h1>PHAGE demo</h1>
<p>Invented patents, a few training steps on a CPU: this shows that every step works, not how well.
The figures on real patents are in the README.</p>
<h2>Graph-free evaluation</h2>{table(titles, rows(folder / "results"))}
<h2>A claim graph</h2>{picture(folder / "graph.svg")}
<h2>Training, guided by the graph</h2>{picture(folder / "phage" / "loss.png")}
<h2>Search it yourself</h2><p><code>phage serve {html.escape(str(folder))}/my.index</code></p></html>"""
    (folder / "summary.html").write_text(page, encoding="utf-8")
    print(f"{folder}/summary.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Link what `make demo` wrote from one HTML page: the claim graph, the check, the search."""

from __future__ import annotations

import html
import sys
from pathlib import Path

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark; }
img { max-width: 100%; } code { background: #8882; padding: .1rem .3rem; border-radius: .2rem; }
"""


def main(folder: Path) -> None:
    """Write the page beside the files that it links."""
    page = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>PHAGE demo</title>
<meta name="viewport" content="width=device-width"><style>{STYLE}</style><h1>PHAGE demo</h1>
<h2>The claim graph of the draft</h2>
<p>Branches are claim references. Arcs join claims that name the same part but do not depend on
each other. Open the picture and point at an arc to see the words.</p>
<a href="graph.svg"><img src="graph.svg" alt="claim graph of the draft"></a>
<h2>The check</h2><p><a href="check.html">The draft with its findings</a></p>
<h2>The search</h2><p>Run <code>phage serve {html.escape(str(folder))}/my.index</code>
and open the address it prints.</p></html>"""
    (folder / "index.html").write_text(page, encoding="utf-8")
    print(f"{folder}/index.html")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

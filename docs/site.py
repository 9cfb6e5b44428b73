"""Make GitHub's Markdown a site: python -m mkdocs calls this (mkdocs.yml, ``hooks``).

In:   the pages of docs/, which also link files of the repository.
Out:  pages for mkdocs; the linked files copied beside them.
Why:  one source for GitHub and for the site. The site has no repository to link to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
SHIM = re.compile(r'<script src="?https://unpkg\.com/iframe-worker/shim"?></script>')
LISTED = re.compile(r"(?:[-*]|\d+\.) |\|")


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401  (mkdocs' own)
    """Copy every file outside docs/ that a page links."""
    for page in list(files.documentation_pages()):
        for _, target, _ in OUTSIDE.findall(page.content_string):
            place = ROOT / target
            if place.is_file() and place.suffix != ".md" and not files.get_file_from_path(target):
                files.append(File.generated(config, target, content=place.read_bytes()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Point links to the copies, and set lists and tables apart from the text above them."""
    return _spaced(OUTSIDE.sub(_link, markdown))


def on_post_page(output: str, **_: object) -> str:
    """Take our own script in place of the one that Material would load from elsewhere."""
    return SHIM.sub('<script src="worker.js"></script>', output)


def on_post_template(output_content: str, **_: object) -> str:
    """Do the same for the page that says that there is none."""
    return on_post_page(output_content)


def _link(found: re.Match[str]) -> str:
    place = ROOT / found[2]
    copied = place.is_file() and place.suffix != ".md"
    return f"[{found[1]}]({found[2]})" if copied else found[1]


def _spaced(markdown: str) -> str:
    """Put a blank line where GitHub needs none: before a list or table below a paragraph."""
    lines: list[str] = []
    fenced, inside = False, False
    for line in markdown.splitlines():
        fenced ^= line.lstrip().startswith("```")
        listed = bool(LISTED.match(line)) and not fenced
        if listed and not inside and lines and lines[-1].strip():
            lines.append("")
        if not line.strip() or line.startswith("#"):
            inside = False
        elif listed:
            inside = True
        lines.append(line)
    return "\n".join(lines)

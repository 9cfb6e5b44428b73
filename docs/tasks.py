"""Count the lines of docs/ten-tasks.md, and write its table: python docs/tasks.py."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).with_name("ten-tasks.md")
TABLE = re.compile(
    r"(?<=<!-- tasks: output of python docs/tasks.py -->\n).*(?=<!-- end of tasks)", re.DOTALL
)
OTHERS = {"sentence-transformers": "sentence_transformers|util\\.|model\\.", "spaCy": "spacy",
          "BERTopic": "bertopic"}  # fmt: skip
"""Package → what its blocks hold."""


def blocks(section: str) -> Iterator[tuple[str, str]]:
    """Give each block of code of a task, and whose it is."""
    for before, code in re.findall(r"([^\n]*)\n```python\n(.*?)```", section, re.DOTALL):
        if not before.startswith("*Needs"):
            yield "PHAGE", code
            continue
        yield next(name for name, mark in OTHERS.items() if re.search(mark, code)), code


def lines(code: str) -> int:
    """Count the lines that are neither blank nor a comment."""
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") for line in code.splitlines()
    )


def table(text: str) -> str:
    """Give the table: a row for each task."""
    names = ("PHAGE", *OTHERS)
    rows = [f"| task | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for title, section in re.findall(
        r"^## (\d+ · [^\n]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    ):
        counts = {name: str(lines(code)) for name, code in blocks(f"\n{section}")}
        rows.append(f"| {title} | {' | '.join(counts.get(name, '–') for name in names)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(page), page), encoding="utf-8")

"""What the command line shows: progress, tables, one JSON object.

In:   counts and rows.
Out:  a live line with rate and time left on stderr; results on stdout.
Why:  stdout stays clean for scripts, and all long work looks the same."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

messages = Console(stderr=True)
output = Console()


@contextlib.contextmanager
def progress(
    title: str, total: float | None = None, unit: str = ""
) -> Iterator[Callable[..., None]]:
    """Show a live line; the caller gets ``advance(step=1, note="")``.

    On a terminal it is drawn; elsewhere (logs, CI) a line is printed now and then.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    if not messages.is_terminal:
        with _plain_progress(title, total, unit) as advance:
            yield advance
        return
    columns = [
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]} {task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=messages, transient=False) as bars:
        task = bars.add_task(title, total=total, rate="", note="")

        def advance(step: float = 1, note: str = "") -> None:
            bars.advance(task, step)
            speed = bars.tasks[0].speed or 0.0
            bars.update(task, rate=f"{speed:,.0f} {unit}/s", note=note)

        yield advance


@contextlib.contextmanager
def _plain_progress(title: str, total: float | None, unit: str) -> Iterator[Callable[..., None]]:
    import time

    start = last = time.monotonic()
    done = 0.0

    def advance(step: float = 1, note: str = "") -> None:
        nonlocal done, last
        done += step
        now = time.monotonic()
        if now - last >= 15:
            last = now
            rate = done / (now - start)
            of = f" of {total:,.0f}" if total else ""
            left = f", {(total - done) / rate:,.0f} s left" if total and rate else ""
            print(f"{title}: {done:,.0f}{of}, {rate:,.1f} {unit}/s{left} {note}", file=sys.stderr)  # noqa: T201

    yield advance


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; all columns but the first are right-aligned."""
    shown = Table(title=Text(title), title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        # Folded, never cut: half a figure is worse than two lines.
        shown.add_column(Text(column), justify="left" if index == 0 else "right", overflow="fold")
    for row in rows:
        # As text: in markup, "phage[eval]" would lose its brackets.
        shown.add_row(*[Text("" if cell is None else str(cell)) for cell in row])
    output.print(shown)


def emit_json(value: Any) -> None:  # noqa: ANN401  (whatever JSON can hold)
    """Print one JSON object for a script."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")

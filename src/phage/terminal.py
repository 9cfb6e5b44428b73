"""What the command line shows: progress, tables, one JSON object.

In:   counts and rows.
Out:  a live line with rate and time left on stderr; results on stdout.
Why:  stdout stays clean for scripts, and all long work looks the same. Patents and file names are
      shown as plain text, so their control characters never reach the terminal."""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # escape sequences begin with these; tabs and line feeds may pass
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"  # turn the direction of writing, break lines
    "\ud800-\udfff]"  # halves of characters, which no terminal can be sent
)


def plain(text: str) -> str:
    r"""Replace each control character by a visible sign.

    >>> plain("a \x1b[31mred\x07 pump\u202e\x9b"), plain("two\nlines")
    ('a ␛[31mred␇ pump\ufffd\ufffd', 'two\nlines')
    """
    if text.isascii() and text.isprintable():
        return text
    return _STEERING.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


class _Plain(Console):
    """A console that shows text literally: no markup, no emoji codes, no control characters.

    Rich marks its own control segments (colours, the live line); only those pass.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        # The terminal wraps long lines itself; a path in a file or a pipe stays in one piece.
        super().__init__(stderr=stderr, markup=False, emoji=False, soft_wrap=True)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        if isinstance(renderable, str):
            renderable = plain(renderable)  # before its width is measured
        for segment in super().render(renderable, options):
            if segment.control or (segment.text.isascii() and segment.text.isprintable()):
                yield segment
            else:
                yield Segment(plain(segment.text), segment.style)


messages: Console = _Plain(stderr=True)
output: Console = _Plain()


@contextlib.contextmanager
def progress(
    title: str, total: float | None = None, unit: str = ""
) -> Iterator[Callable[..., None]]:
    """Show a live line; the caller gets ``advance(step=1, note="")``.

    A terminal or a notebook shows a bar. Elsewhere (logs, CI), a line is printed now and then.
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

    if messages.is_jupyter:
        with _notebook_progress(title, total, unit) as advance:
            yield advance
        return
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
def _notebook_progress(title: str, total: float | None, unit: str) -> Iterator[Callable[..., None]]:
    """Draw a bar below the cell, in plain HTML, so that no widgets need to be installed."""
    import time
    from html import escape

    display: Any = importlib.import_module("IPython.display")
    start = last = time.monotonic()
    done = 0.0
    handle = display.display(display.HTML(""), display_id=True)

    def show(note: str, ended: bool = False) -> None:
        spent = time.monotonic() - start
        share = f' value="{done if total else int(ended)}" max="{total or 1}"'
        of = f" of {total:,.0f}" if total else ""
        line = f"{title}: {done:,.0f}{of} {unit}, {done / max(spent, 1e-9):,.1f}/s, {spent:,.0f} s"
        bar = f"<progress{share if total or ended else ''}></progress>"
        handle.update(display.HTML(f"<div>{bar} {escape(plain(f'{line} {note}'))}</div>"))

    def advance(step: float = 1, note: str = "") -> None:
        nonlocal done, last
        done += step
        if time.monotonic() - last >= 0.2:
            last = time.monotonic()
            show(note)

    yield advance
    show("", ended=True)


@contextlib.contextmanager
def _plain_progress(title: str, total: float | None, unit: str) -> Iterator[Callable[..., None]]:
    import time

    start = time.monotonic()
    last = start - 12  # the first line comes after three seconds, the others every fifteen
    done = 0.0

    def advance(step: float = 1, note: str = "") -> None:
        nonlocal done, last
        done += step
        now = time.monotonic()
        if done and now - last >= 15:
            last = now
            rate = done / (now - start)
            of = f" of {total:,.0f}" if total else ""
            left = f", {(total - done) / rate:,.0f} s left" if total and rate else ""
            line = f"{title}: {done:,.0f}{of}, {rate:,.1f} {unit}/s{left} {note}"
            print(plain(line), file=sys.stderr)  # noqa: T201

    yield advance


def in_brackets(counts: Mapping[str, int]) -> str:
    """List the counts that are not 0.

    >>> in_brackets({"added": 1200, "unchanged": 0, "without_claims": 3}), in_brackets({"added": 0})
    (' (1,200 added, 3 without claims)', '')
    """
    listed = [f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count]
    return f" ({', '.join(listed)})" if listed else ""


def readable_size(count: int) -> str:
    """Write a number of bytes with its unit.

    >>> readable_size(2_345_678), readable_size(45_678), readable_size(7)
    ('2.3 MB', '46 kB', '1 kB')
    """
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; all columns but the first are right-aligned."""
    shown = Table(title=Text(plain(title)), title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        # Folded, never cut: half a figure is worse than two lines.
        shown.add_column(
            Text(plain(column)), justify="left" if index == 0 else "right", overflow="fold"
        )
    for row in rows:
        # As text: in markup, "phage[eval]" would lose its brackets.
        shown.add_row(*[Text("" if cell is None else plain(str(cell))) for cell in row])
    output.print(shown, soft_wrap=False)


def emit_json(
    value: Any,  # noqa: ANN401  (what JSON can hold)
    indent: int | None = 2,
    to: IO[str] | None = None,
) -> None:
    """Write one JSON object for a script, with control characters escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    escaped = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    (to or sys.stdout).write(escaped + "\n")

"""What a run reports while it runs, and the records it leaves.

In:   the numbers of each step.
Out:  a live line, ``history.jsonl``, trackers (TensorBoard, Weights & Biases), ``loss.png``.
Why:  one must be able to follow a run of several days at any moment, and review it afterwards."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phage.storage import atomic, write_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from accelerate import Accelerator

TERMS = ("loss", "document", "claim", "views", "distill", "classify")
"""Terms of the objective, as named in a history."""
HISTORY = "history.jsonl"
PLOT = "loss.png"


@dataclass(frozen=True, slots=True)
class StepRow:
    """One optimiser step."""

    step: int
    """Counted from 1."""
    epoch: float
    """Epochs completed."""
    loss: float
    document: float
    claim: float
    views: float
    distill: float
    classify: float
    norm: float
    """Norm of the gradient, before clipping."""
    rate: float
    """Learning rate."""
    tokens: int
    """Tokens, without padding."""
    seconds: float


class TrainingReport:
    """Collects rows on the main process; the others stay silent."""

    def __init__(self, place: Path, accelerator: Accelerator, anchors: int) -> None:
        """Write into ``place``; ``anchors`` is the number per step."""
        self.path = place / HISTORY
        self.accelerator = accelerator
        self.anchors = anchors
        self._advance: Callable[..., None] = _silent
        self._seen = time.monotonic()

    @contextlib.contextmanager
    def live(self, title: str, done: int, count: int) -> Iterator[None]:
        """Show the live line while the block runs; rows of undone steps are dropped."""
        if not self.accelerator.is_main_process:
            yield
            return
        kept = [row for row in history(self.path) if row["step"] <= done]
        write_lines(self.path, kept)
        self._seen = time.monotonic()
        with _progress(title, count - done) as self._advance:
            yield

    def seconds(self, stamp: float) -> float:
        """Return the time since the previous step."""
        passed, self._seen = stamp - self._seen, stamp
        return passed

    def add(self, row: StepRow) -> None:
        """Record one step everywhere."""
        if not self.accelerator.is_main_process:
            return
        with self.path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(row)) + "\n")
        terms = f"loss {row.loss:.4f} (doc {row.document:.4f}, claim {row.claim:.4f})"
        speed = self.anchors / max(row.seconds, 1e-9)
        self._advance(
            1,
            f"{terms} · {speed:,.1f} anchors/s · {row.tokens / max(row.seconds, 1e-9):,.0f} tok/s",
        )
        numbers = {key: value for key, value in asdict(row).items() if key != "step"}
        self.accelerator.log({**numbers, "anchors_per_second": speed}, step=row.step)


def history(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a run; drop an incomplete line left by a crash."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        with contextlib.suppress(json.JSONDecodeError):
            row = json.loads(line)
            if isinstance(row, dict) and "step" in row:
                rows.append(row)
    return rows


def plot(place: Path) -> bool:
    """Plot the loss; return False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    rows = history(place / HISTORY)
    steps = [row["step"] for row in rows]
    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for name in TERMS:
        values = [row[name] for row in rows]
        if not any(values):
            continue
        (line,) = axes.plot(steps, values, alpha=0.25, linewidth=1)
        axes.plot(steps, _smooth(values), color=line.get_color(), label=name)
    axes.set_xlabel("optimiser step")
    axes.set_ylabel("loss (line: running mean)")
    axes.set_ylim(bottom=0)
    if axes.lines:
        axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with atomic(place / PLOT) as partial:
        figure.savefig(partial, format="png", dpi=130)
    return True


def _smooth(values: list[float]) -> list[float]:
    """Average over a sliding fifth of the run.

    >>> _smooth([2.0, 4.0])
    [2.0, 4.0]
    """
    reach = max(1, len(values) // 10)
    parts = (values[max(0, i - reach + 1) : i + reach] for i in range(len(values)))
    return [sum(part) / len(part) for part in parts]


@contextlib.contextmanager
def _progress(title: str, count: int) -> Iterator[Callable[..., None]]:
    try:
        from phage import terminal
    except ModuleNotFoundError:  # rich: a training machine need not have it
        yield _silent
        return
    with terminal.progress(title, count, unit="steps") as advance:
        yield advance


def _silent(step: float = 1, note: str = "") -> None:
    """Show nothing."""

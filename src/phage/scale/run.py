"""Run a job over a stream; resume a run that was stopped.

In:   a Job, a stream of items and the output's name.
Out:  the output, whole or absent. Its bytes do not depend on interruptions or on the engine.
Why:  a night's work must not be lost to a full disk, a reboot or a lost node.

Each finished chunk becomes a file in ``<output>.parts``. A later run of the same job over the
same sources reads past those chunks, does the rest, joins all parts and removes the folder. A
part whose bytes have changed is computed again."""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from phage.errors import PhageError
from phage.scale.engines import Where, work_on
from phage.scale.job import Job, Part
from phage.storage import alone, atomic, read_json, write_json, writing

T = TypeVar("T")
_HERE = Where()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run did."""

    items: int
    resumed: int
    """How many of these an earlier, stopped run had already done."""
    counts: dict[str, int]
    notes: tuple[str, ...]


NOTES = 1000
"""The most notes returned; all are counted, but memory stays flat."""


def run(
    job: Job[T],
    items: Iterable[T],
    out: Path | str,
    where: Where = _HERE,
    advance: Callable[..., None] | None = None,
) -> Outcome:
    """Do the job on all items and write ``out``.

    ``advance(step)`` is called with the number of items done, as for ``terminal.progress``.
    """
    out = Path(out)
    folder = out.with_name(f"{out.name}.parts")
    with alone(out):
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        done = _finished(folder, job)
        sizes: dict[int, int] = {}
        resumed = 0

        def todo() -> Iterator[tuple[int, list[T]]]:
            nonlocal resumed
            for index, chunk in enumerate(_chunks(items, job.chunk)):
                sizes[index] = len(chunk)
                if index not in done:
                    yield index, chunk
                    continue
                resumed += len(chunk)
                if advance:
                    advance(len(chunk))

        for index, part in work_on(where, job.work, todo()):
            _keep(folder, index, part)
            if advance:
                advance(sizes[index])
        parts = [folder / f"{index:08d}.part" for index in sizes]
        counts, notes = _records(parts)
        with atomic(out) as partial:
            job.join(parts, partial)
        shutil.rmtree(folder)
    return Outcome(sum(sizes.values()), resumed, counts, notes)


def identity(paths: Iterable[Path | str]) -> list[list[Any]]:
    """Identify files for ``Job.settings`` by name, size and time of change."""
    found = []
    for path in map(Path, paths):
        stat = path.stat()
        found.append([str(path), stat.st_size, stat.st_mtime_ns])
    return found


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    items = iter(items)
    while chunk := list(itertools.islice(items, size)):
        yield chunk


def _finished(folder: Path, job: Job[T]) -> set[int]:
    """List the chunks that an earlier run of the same job finished; delete those of another job."""
    asked = json.loads(json.dumps({**job.settings, "chunk": job.chunk}, sort_keys=True))
    note = folder / "job.json"
    try:
        if json.loads(note.read_text(encoding="utf-8")) == asked:
            return {int(path.stem) for path in folder.glob("*.part") if _sound(path)}
    except (OSError, ValueError):
        pass  # no earlier run, or one that died before its first part
    for path in folder.iterdir():
        path.unlink()
    write_json(note, asked)
    return set()


def _keep(folder: Path, index: int, part: Part) -> None:
    # The part is written last, so a part on disk always has its record.
    record: dict[str, Any] = {"counts": dict(part.counts), "notes": list(part.notes)}
    record["sha256"] = _digest(part.data, record)
    write_json(folder / f"{index:08d}.json", record)
    with atomic(folder / f"{index:08d}.part") as partial:
        partial.write_bytes(part.data)


def _sound(path: Path) -> bool:
    """Whether a part of an earlier run and its record are undamaged."""
    try:
        record = read_json(path.with_suffix(".json"))
        known = record.pop("sha256")
        return bool(known == _digest(path.read_bytes(), record))
    except (OSError, PhageError, LookupError, TypeError, AttributeError):
        return False


def _digest(data: bytes, record: dict[str, Any]) -> str:
    return hashlib.sha256(data + json.dumps(record, sort_keys=True).encode()).hexdigest()


def _records(parts: Iterable[Path]) -> tuple[dict[str, int], tuple[str, ...]]:
    counts: Counter[str] = Counter()
    notes: list[str] = []
    for path in parts:
        record = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        counts.update(record["counts"])
        notes += record["notes"][: NOTES - len(notes)]
    return dict(counts), tuple(notes)

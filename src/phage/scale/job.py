"""A job over a corpus, and the result of one chunk.

In:   a function over a chunk, and how its results are joined.
Out:  Job and Part, frozen.
Why:  graphs and vectors are made by different functions in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Part:
    """The result of one chunk."""

    data: bytes
    """In the job's own format; ``Job.join`` knows it."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Added up over the run."""
    notes: tuple[str, ...] = ()
    """Notes for the user: what was skipped, and why."""


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """A function over chunks, with the settings that identify it."""

    work: Callable[[Sequence[T]], Part]
    """It is sent to other processes, so it must be a function of a module, or a ``partial`` of
    one."""
    join: Callable[[Sequence[Path], Path], None]
    """Parts in order → the output."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Everything that changes the result, sources included; a run resumes only with equal
    settings."""
    chunk: int = 50
    """Items per part. It shapes the output, so it is fixed and not fitted to the workers."""

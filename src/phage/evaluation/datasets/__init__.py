"""Evaluation sets, from local files only: name → how it is read and where it comes from."""

from __future__ import annotations

from collections.abc import Callable

from phage.evaluation.datasets import clefip, dapfam, field, pairs, uspto70k, week
from phage.evaluation.datasets.benchmark import Benchmark, Source

DATA_SETS: dict[str, tuple[Source, Callable[..., Benchmark]]] = {
    "uspto-week": (week.SOURCE, week.read),
    "ipc-groups": (field.SOURCE, field.read),
    "cited-pairs": (pairs.SOURCE, pairs.read),
    "dapfam": (dapfam.SOURCE, dapfam.read),
    "clef-ip": (clefip.SOURCE, clefip.read),
    "uspto-70k": (uspto70k.SOURCE, uspto70k.read),
}

__all__ = ["DATA_SETS", "Benchmark", "Source"]

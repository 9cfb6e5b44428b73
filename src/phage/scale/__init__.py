"""A function over a corpus: one process, many, or a Ray cluster; ordered and resumable."""

from phage.scale.engines import Where
from phage.scale.job import Job, Part
from phage.scale.join import from_ipc, join_lines, join_parquet, to_ipc
from phage.scale.run import Outcome, identity, run

__all__ = [
    "Job",
    "Outcome",
    "Part",
    "Where",
    "from_ipc",
    "identity",
    "join_lines",
    "join_parquet",
    "run",
    "to_ipc",
]

"""Options that several commands share, in one wording.

Annotated types for the parameters of commands. `phage graph` and `phage encode` run over a corpus in
the same way, so their help uses the same words."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Runner(StrEnum):
    """Where a run over a corpus works."""

    LOCAL = "local"
    RAY = "ray"


class SectionOption(StrEnum):
    """What of a patent is read, as in ``phage.claims.text``; spelled here because commands start fast."""

    CLAIMS = "claims"
    TA = "ta"
    TAC = "tac"
    FULL = "full"
    WHOLE = "whole"


Workers = Annotated[int, typer.Option(min=1, help="Processes.")]
OnEngine = Annotated[
    Runner, typer.Option(help="This machine, or a Ray cluster (phage\\[cluster]).")
]
RayAddress = Annotated[
    str,
    typer.Option(
        envvar="RAY_ADDRESS", help="Address of a running cluster; without it, one is started here."
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first patent that cannot be read.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

Limit = Annotated[
    int, typer.Option("--limit", min=0, help="Stop after this many patents; 0 reads all.")
]
Int8 = Annotated[
    bool,
    typer.Option(
        "--int8", help="Faster, less exact vectors (cosine about .99) where the processor has int8."
    ),
]

"""Options that several commands share, in one wording.

Annotated types for the parameters of commands. `phage graph` and `phage encode` run over a corpus in
the same way, so their help uses the same words."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from phage.errors import PhageError


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


def apart(output: Path | None, *sources: Path | str | None) -> None:
    """Refuse an output that is also read, under any name: writing it would destroy the source."""
    if output is None or not output.exists():
        return
    written = output.stat()
    for source in [one for one in sources if one]:
        for path in _read_of(source, output):
            # a number or a model's name is not a file; a file may be gone by now
            with contextlib.suppress(OSError, ValueError):
                same = path.stat()
                if (same.st_dev, same.st_ino) == (written.st_dev, written.st_ino):
                    raise PhageError(
                        f"{output} is both source and output", remedy="choose another output file"
                    )


DRAWN = {".svg", ".dot", ".graphml"}
"""Drawings that lie in a folder of patents are not read as patents."""


def _read_of(source: Path | str, output: Path) -> Iterator[Path]:
    """Yield what is named, and the files in it or that match it."""
    from phage.claims.readers.listing import files

    yield Path(source)
    if output.suffix.lower() in DRAWN:
        return
    with contextlib.suppress(PhageError, OSError, ValueError):  # the command reports these
        yield from files([source])


class Command(TyperCommand):
    """A command that answers a word outside a closed vocabulary as all errors are answered."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  (as in cli)
        """Read the words of the shell line."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            found = re.search(r"'(.*)' is not one of (.+?)\.?$", str(getattr(error, "message", "")))
            option = getattr(error, "param", None)
            if found is None or option is None:
                raise
            usual = getattr(option, "default", None)
            # the library's message has the words in small letters
            words = [one.value for one in type(usual)] if isinstance(usual, Enum) else []
            *most, last = words or re.findall(r"'([^']+)'", found[2])
            raise PhageError(
                f"there is no {str(option.name).replace('_', ' ')} '{found[1]}'",
                remedy=f"use {', '.join(most)} or {last}",
            ) from None

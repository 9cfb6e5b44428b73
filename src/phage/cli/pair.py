"""Two patents by name, for ``phage chart`` and ``phage diff``.

In:   a file, a draft, or a number to look up in an index or a file.
Out:  Patent, with its description where the file has one.
Why:  both commands take the same words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from phage.errors import PhageError

if TYPE_CHECKING:
    from phage.claims import Patent

Source = Annotated[
    Path | None,
    typer.Option("--from", help="Index folder or patent file in which numbers are looked up."),
]


def patent(name: str, source: Path | None) -> Patent:
    """Read the patent that a word of the command line means."""
    from phage.cli.show import find

    if Path(name).is_file():
        return find(Path(name), None, descriptions=True)
    if source is None:
        raise PhageError(
            f"{name} is not a file",
            remedy="give a file, or a number and --from with an index or a patent file",
        )
    return _indexed(name, source) if source.is_dir() else find(source, name, descriptions=True)


def _indexed(number: str, folder: Path) -> Patent:
    from phage.searching.index import Index
    from phage.searching.rows import patent_of
    from phage.searching.types import NotIndexed

    row = Index.open(folder).get(number)
    if row is None:
        raise NotIndexed(
            f"{number} is not in this index",
            place=str(folder),
            remedy="give a number from this index, or a file",
        )
    return patent_of(row)

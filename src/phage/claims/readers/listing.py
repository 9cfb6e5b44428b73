"""Which files a user named: files, folders, globs.

In:   paths.
Out:  the files to read, in a stable order; a ReadProblem for what lies between them and is not a file.
Why:  to open a pipe or a device by accident is to wait forever."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from phage.claims.normal import shortened
from phage.claims.readers.unpack import reason
from phage.claims.report import ReadProblem
from phage.errors import PhageError
from phage.storage import source

FOREIGN = {
    ".dtd", ".ent", ".mod", ".xsl", ".css", ".tif", ".tiff", ".png", ".jpg", ".jpeg", ".gif",
    ".pdf", ".cdx", ".mol", ".nb", ".md5", ".sha256", ".md", ".html", ".htm",
}  # fmt: skip
"""Files that lie beside patents in folders and archives but hold none."""


def files(paths: Iterable[str | Path], strays: list[ReadProblem] | None = None) -> Iterator[Path]:
    """Expand folders and globs, in a stable order.

    What a folder or a glob holds besides files (a pipe, a device, a dangling link) would block or
    never end; it is added to ``strays``. A pipe or device that is named itself is read.
    """
    strays = [] if strays is None else strays
    for given in paths:
        if not str(given).strip():
            raise PhageError(
                "the path is empty",
                remedy="name a file or a folder ('.' is this one); is a shell variable unset?",
            )
        path = source(given).expanduser()
        before = len(strays)
        try:
            exists = path.exists()
        except OSError as error:  # a whole text was given
            raise PhageError(
                f"this is not a path: {reason(error)}",
                place=shortened(str(given), 60),
                remedy="save a text as .txt, and give the path of the file",
            ) from None
        if path.is_dir():
            found = list(_walk(path, strays))
        elif exists:
            found = [path]
        else:
            found = sorted({file for match in _glob(path) for file in _walk(match, strays)})
        if not found and len(strays) == before:
            raise _nothing(path, given)
        yield from found


def _nothing(path: Path, given: str | Path) -> PhageError:
    """Return the error of a place without files to read; name those that are there."""
    there = [file for match in (path, *_glob(path)) for file in match.rglob("*.*")]
    kinds = Counter(file.suffix.lower() for file in there if file.suffix.lower() in FOREIGN)
    only = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(5))
    return PhageError(
        f"nothing to read at {given}" + f": only files that are not read: {only}" * bool(only),
        remedy="save drafts as .docx or .txt; tables as .csv, .xlsx or .parquet"
        if only
        else "name an existing file, a folder with patents, or a quoted pattern",
    )


def _walk(folder: Path, strays: list[ReadProblem]) -> Iterator[Path]:
    """Yield the files of a folder, or the one that is named."""
    if not folder.is_dir():
        yield from _file(folder, strays)
        return

    def closed(error: OSError) -> None:
        strays.append(ReadProblem(str(error.filename), 0, reason(error)))

    for top, folders, names in os.walk(folder, onerror=closed):
        folders.sort()
        for name in folders:
            if (Path(top) / name).is_symlink() and not name.startswith("."):
                linked = "not followed: a link to a folder"
                strays.append(ReadProblem(str(Path(top) / name), 0, linked))
        for name in sorted(names):
            yield from _file(Path(top) / name, strays)


def _file(path: Path, strays: list[ReadProblem]) -> Iterator[Path]:
    if not _is_wanted(path):
        return
    try:
        mode = path.stat().st_mode
    except OSError as error:
        strays.append(ReadProblem(str(path), 0, reason(error)))
        return
    if stat.S_ISREG(mode):
        yield path
    else:
        kind = next((word for is_kind, word in _KINDS.items() if is_kind(mode)), "something else")
        strays.append(ReadProblem(str(path), 0, f"not a file: {kind}"))


_KINDS = {
    stat.S_ISFIFO: "a named pipe",
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


def _is_wanted(path: Path) -> bool:
    return not path.name.startswith(".") and path.suffix.lower() not in FOREIGN


def _glob(path: Path) -> list[Path]:
    anchor = Path(path.anchor) if path.is_absolute() else Path()
    pattern = str(path.relative_to(path.anchor)) if path.is_absolute() else str(path)
    try:
        return sorted(anchor.glob(pattern)) if any(c in pattern for c in "*?[") else []
    except (ValueError, NotImplementedError):
        return []

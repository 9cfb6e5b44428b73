"""What an index folder says of itself, and whether it is whole.

In:   an index folder.
Out:  its settings; or an error that names the damaged file and what to do.
Why:  a table reads flipped bytes as other numbers, and a search over them still answers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phage.claims.text import Section
from phage.encoder import Encoder
from phage.errors import PhageError, outside
from phage.storage import read_json, sha256, write_json

SETTINGS = "index.json"
FILES = "files.json"
"""Sizes and hashes of the finished table's files; absent while patents are added."""
FORMAT = 1
HASHED_UP_TO = 1 << 30
"""Bytes of a table that are hashed when it is opened; of a larger one sizes are compared."""
REMEDY = "delete the folder and index the patents again: phage index SOURCES -o FOLDER"
PROBE = (
    "1. A pump comprising a shaft and an impeller. 2. The pump of claim 1, wherein it is sealed."
)
LIKENESS = 0.98
"""Least cosine of the probe's vectors: bfloat16 turns them less, other weights turn them more."""


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What the vectors of an index have in common."""

    model: str
    dimension: int
    format: int = FORMAT
    section: str = Section.CLAIMS.value
    """What of a patent its own vector is made of; claims have theirs in any case."""
    probe: tuple[float, ...] = ()
    """The vector of a fixed text: by it the same model is known again, whatever its name."""

    @classmethod
    def of(cls, encoder: Encoder, section: Section | str) -> IndexSettings:
        """Give the settings of a new index."""
        probe = tuple(round(float(value), 6) for value in _probe(encoder))
        return cls(encoder.name, encoder.dimension, section=Section(section).value, probe=probe)

    def check(self, encoder: Encoder, path: Path) -> None:
        """Refuse a model whose vectors are not those of the index."""
        if encoder.dimension != self.dimension:
            like = 0.0
        elif not self.probe:  # made by an older version
            return
        else:
            ours, theirs = _probe(encoder), np.asarray(self.probe, dtype=np.float32)
            like = float(ours @ theirs / (np.linalg.norm(ours) * np.linalg.norm(theirs) + 1e-12))
        if like < LIKENESS:
            raise PhageError(
                f"the model '{encoder.name}' is not the one that this index was made with: "
                f"the same text has another vector (cosine {like:.2f})",
                place=str(path),
                remedy="use the weights it was made with, or index the patents again into a new "
                "folder",
            )


def _probe(encoder: Encoder) -> Any:  # noqa: ANN401  (an array of numbers)
    return encoder.encode([PROBE], on_cut=lambda _: None)[0]


def read_settings(path: Path) -> IndexSettings:
    """Read the settings of an index that this version knows."""
    said = _object(path, SETTINGS)
    if said.get("format") != FORMAT:
        raise PhageError(
            f"this index has format {said.get('format')}, this version reads format {FORMAT}",
            place=str(path / SETTINGS),
            remedy="use the version of phage that made it, or index the patents again into a new "
            "folder",
        )
    with sound(path):
        settings = IndexSettings(**{**said, "probe": tuple(map(float, said.get("probe", ())))})
        Section(settings.section)
    if not isinstance(settings.model, str) or not isinstance(settings.dimension, int):
        raise _damaged(path, f"{SETTINGS} does not hold the settings of an index")
    return settings


def write_settings(path: Path, settings: IndexSettings) -> None:
    """Write the settings of a new index."""
    write_json(path / SETTINGS, {**asdict(settings), "probe": list(settings.probe)})


@contextlib.contextmanager
def sound(path: Path) -> Iterator[None]:
    """Say that an index is damaged, whichever of its files is, and what to do.

    Only around what reads or writes the table: its library has no errors of its own.
    """
    try:
        yield
    except (RuntimeError, ValueError, TypeError, LookupError, OSError) as error:
        if found := outside(error):  # a full disk is not a damaged index
            raise PhageError(found.message, place=str(path), remedy=found.remedy) from error
        raise _damaged(path, str(error).partition(", /")[0].splitlines()[0]) from error


def _damaged(path: Path, reason: str) -> PhageError:
    return PhageError(f"this index is damaged: {reason}", place=str(path), remedy=REMEDY)


def record(path: Path) -> None:
    """Note size and hash of every file that the finished table is made of."""
    found = [
        (file, file.stat().st_size)
        for file in sorted(path.glob("*.lance/**/*"))
        if file.is_file() and file.suffix not in {".txn", ".json"}  # logs and hints: not needed
    ]
    hashed = sum(size for _, size in found) <= HASHED_UP_TO
    write_json(
        path / FILES,
        {
            str(file.relative_to(path)): {"bytes": size, "sha256": sha256(file) if hashed else ""}
            for file, size in found
        },
    )


def verify(path: Path) -> None:
    """Refuse a table whose files are not those that were finished."""
    if not (path / FILES).is_file():
        return  # patents were being added, or an older version made it
    for name, told in _object(path, FILES).items():
        file = path / name
        if not file.is_file():
            raise _damaged(path, f"{name} is missing")
        with sound(path):
            same = file.stat().st_size == told["bytes"]
            same = same and (not told["sha256"] or told["sha256"] == sha256(file))
        if not same:
            raise _damaged(path, f"{name} is not the file that was written")


def _object(path: Path, name: str) -> dict[str, Any]:
    try:
        found = read_json(path / name)
    except PhageError as error:
        raise _damaged(path, f"{name} cannot be read: {error.message}") from error
    if not isinstance(found, dict):
        raise _damaged(path, f"{name} is not a JSON object")
    return found

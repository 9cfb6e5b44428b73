"""The settings of an index folder, and whether its files are intact.

In:   an index folder.
Out:  its settings; or an error that names the damaged file and what to do.
Why:  a table reads damaged bytes as other numbers, and a search would still answer."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phage.claims.text import Section
from phage.errors import PhageError, given, outside
from phage.storage import read_json, sha256, write_json

if TYPE_CHECKING:
    from phage.encoder import Encoder

SETTINGS = "index.json"
FILES = "files.json"
"""Sizes and hashes of the finished table's files; absent while patents are added."""
FORMAT = 3
HASHED_UP_TO = 1 << 30
"""The most bytes hashed when a table is finished; for a larger table only sizes are kept."""
REMEDY = "index the patents again into a new folder: phage index SOURCES -o FOLDER"
PROBE = (
    "1. A pump comprising a shaft and an impeller. 2. The pump of claim 1, wherein it is sealed."
)
LIKENESS = 0.98
"""Lowest accepted cosine of the probe's vectors: bfloat16 changes them less, other weights more."""


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How the vectors of an index were made."""

    model: str
    dimension: int
    format: int = FORMAT
    section: str = Section.WHOLE.value
    """The part of a patent behind its own vector; claims always have their own."""
    probe: tuple[float, ...] = ()
    """The vector of a fixed text, which identifies the model whatever its name."""
    languages: tuple[str, ...] = ()
    """Languages that the model knows; empty if its folder does not list them."""

    @classmethod
    def of(cls, encoder: Encoder, section: Section | str) -> IndexSettings:
        """Return the settings of a new index."""
        probe = tuple(round(float(value), 6) for value in _probe(encoder))
        part, known = Section(section).value, encoder.settings.languages
        return cls(encoder.name, encoder.dimension, section=part, probe=probe, languages=known)

    def check(self, encoder: Encoder, path: Path) -> None:
        """Refuse a model whose vectors are not those of the index."""
        if encoder.dimension != self.dimension:
            like = 0.0
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
    """Read the settings of an index; its format must be known to this version."""
    said = _object(path, SETTINGS)
    if said.get("format") != FORMAT:
        raise PhageError(
            f"this index has format {said.get('format')}, and this version reads format {FORMAT}",
            place=str(path / SETTINGS),
            remedy=f"index the patents again: phage index SOURCES -o {path}.new",
        )
    with sound(path):
        probe, known = map(float, said.get("probe", ())), map(str, said.get("languages", ()))
        settings = IndexSettings(**{**said, "probe": tuple(probe), "languages": tuple(known)})
        Section(settings.section)
    if not isinstance(settings.model, str) or not isinstance(settings.dimension, int):
        raise _damaged(path, f"{SETTINGS} does not hold the settings of an index")
    return settings


def write_settings(path: Path, settings: IndexSettings) -> None:
    """Write the settings of a new index."""
    write_json(path / SETTINGS, asdict(settings))


@contextlib.contextmanager
def sound(path: Path) -> Iterator[None]:
    """Report any failure inside as a damaged index, with what to do.

    Use it only around code that reads or writes the table: its library has no errors of its own.
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
    """Record size, time and hash of every file of the finished tables."""
    found = [
        (file, file.stat())
        for file in sorted(path.glob("*.lance/**/*"))
        if file.is_file() and file.suffix not in {".txn", ".json"}  # logs and hints: not needed
    ]
    hashed = sum(about.st_size for _, about in found) <= HASHED_UP_TO
    write_json(
        path / FILES,
        {
            str(file.relative_to(path)): {
                "bytes": about.st_size,
                "time": about.st_mtime_ns,
                "sha256": sha256(file) if hashed else "",
            }
            for file, about in found
        },
    )


def verify(path: Path) -> None:
    """Refuse tables whose files have changed since they were finished.

    A file with the same size and time counts as unchanged. Others are hashed. The files of a copied
    folder are hashed once; then their new times are recorded.
    """
    if not (path / FILES).is_file():
        return  # patents are being added
    noted = _object(path, FILES)
    moved = [name for name, said in noted.items() if _moved(path, name, said)]
    for name in moved:
        with sound(path):
            same = not noted[name]["sha256"] or noted[name]["sha256"] == sha256(path / name)
        if not same:
            raise _damaged(path, f"{name} has changed since it was written")
    if moved:
        for name in moved:
            noted[name]["time"] = (path / name).stat().st_mtime_ns
        with contextlib.suppress(OSError, PhageError):  # a folder that may not be written to
            write_json(path / FILES, noted)


def _moved(path: Path, name: str, said: dict[str, Any]) -> bool:
    """Return whether a file must be hashed; a missing or truncated file is an error."""
    file = path / name
    if not file.is_file():
        raise _damaged(path, f"{name} is missing")
    with sound(path):
        about = file.stat()
        whole, known = about.st_size == said["bytes"], about.st_mtime_ns == said["time"]
    if not whole:
        raise _damaged(path, f"{name} has changed since it was written")
    return not known


def _object(path: Path, name: str) -> dict[str, Any]:
    try:
        found = read_json(path / name)
    except PhageError as error:
        raise _damaged(path, f"{name} cannot be read: {error.message}") from error
    if not isinstance(found, dict):
        raise _damaged(path, f"{name} is not a JSON object")
    return found


def folder_of(path: Path | str) -> Path:
    """Return the path of an index folder."""
    given(path, (str, Path), "give the folder of an index: 'my.index'")
    return Path(path)


def check_loaded(encoder: Encoder) -> None:
    """Refuse the name of a model in the place of an encoder."""
    if encoder is None or isinstance(encoder, str | Path):
        raise PhageError(
            f"a loaded encoder is expected here, and {encoder!r} was given",
            remedy='give one: phage.Encoder.from_pretrained("phage-mini")',
        )

"""What every reader of an evaluation set gives.

In:   a folder or file that the user has downloaded.
Out:  Benchmark: the questions, the texts to encode, the patents to compare with training.
Why:  no evaluation code knows any data set, and a missing file is explained, not fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phage.claims.types import Patent
from phage.errors import PhageError
from phage.evaluation.tasks import Split, TaskData


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A data set, read."""

    tasks: TaskData
    texts: Callable[[str], Sequence[str | Patent]]
    """View → one text per row, spelled out on demand; a patent where it is read whole."""
    patents: Callable[[Split], Iterable[Patent]] = lambda _: ()
    """The patents of one part: to train on, or to compare with what a model was trained on."""
    files: tuple[Path, ...] = ()
    """What was read; hashed into the result."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a data set comes from and what it must hold."""

    name: str
    title: str
    files: tuple[str, ...]
    """What to put under ``--path``."""
    address: str
    size: str
    licence: str

    def explain(self, path: Path | str, missing: Iterable[str] = ()) -> PhageError:
        """Return the error for missing files: what to get, from where, its size and its licence."""
        lacking = ", ".join(missing)
        return PhageError(
            f"{self.title}: "
            + (f"missing {lacking}" if lacking else "no usable patent was found here"),
            place=str(path),
            remedy=f"download {self.address} ({self.size}; {self.licence}), then name the file "
            f"or folder with --path; it must hold {', '.join(self.files)}",
        )

    def patents(self, path: Path | str) -> list[Patent]:
        """Read all patents with claims, each number once; none is explained as a missing file is."""
        from phage.claims import ReadReport, read

        if not Path(path).exists():
            raise self.explain(path, self.files)
        found = read(path, report=ReadReport())
        once = {patent.number: patent for patent in found if patent.claims}
        if not once:
            raise self.explain(path)
        return list(once.values())

    def need(self, path: Path | str, *names: str) -> list[Path]:
        """Return the named files under a folder, or explain what is missing."""
        folder = Path(path)
        missing = [name for name in names if not (folder / name).is_file()]
        if missing:
            raise self.explain(path, missing)
        return [folder / name for name in names]


def encoded(patents: Sequence[Patent], section: str) -> Sequence[str | Patent]:
    """Return what is encoded of each patent: the text of a section, or the whole patent."""
    from phage.claims.text import Section, section_text

    if section == Section.WHOLE:
        return patents
    return [section_text(patent, section) for patent in patents]


def plain(items: Iterable[str | Patent]) -> list[str]:
    """Turn whole patents into texts, for models that read only texts."""
    from phage.claims.text import section_text

    return [item if isinstance(item, str) else section_text(item, "tac") for item in items]


def number_labels(labels: Sequence[str]) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Return the sorted label names and each label's place among them.

    >>> number_labels(["H02M", "A61B", "H02M"])[1].tolist()
    [1, 0, 1]
    """
    names, places = np.unique(np.asarray(labels, dtype=np.str_), return_inverse=True)
    return names, places.astype(np.int64)

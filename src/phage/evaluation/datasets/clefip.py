"""CLEF-IP 2011 (a MAREC extract): EP and WO patents as one XML file per publication.

In:   the unpacked tree ``EP/nnnnnn/nn/nn/nn/*.xml`` (the reader merges kinds of one patent).
Out:  classification and clustering by main IPC subclass over the hash split.
Why:  the paper reports CLEF-IP, but the track has no training set and the paper names no sample,
      so the recipe is ours and K comes from the data."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import Benchmark, Source, encoded
from phage.evaluation.datasets.taxonomy import VIEW, by_subclass
from phage.evaluation.split import RECIPE, split_patents
from phage.evaluation.tasks import TaskData, can_be_asked

SOURCE = Source(
    "clef-ip",
    "CLEF-IP 2011",
    ("EP/", "WO/"),
    "clef-ip-2011-ep0.7z.*, -ep1.7z.*, -wo.7z.* of the CLEF-IP 2011 collection and unpack them",
    "about 2.6 million files",
    "CC BY-NC-SA 3.0",
)


def read(path: Path | str, section: str = "claims") -> Benchmark:
    """Read the tree: patents with English claims and an IPC subclass."""
    from phage.claims import ReadReport
    from phage.claims import read as read_patents

    if not Path(path).exists():
        raise SOURCE.explain(path, SOURCE.files)
    patents: list[Patent] = []
    seen: set[str] = set()
    for found in read_patents(path, report=ReadReport()):
        patent = _english(found)
        if patent and patent.number not in seen:
            seen.add(patent.number)
            patents.append(patent)
    if not patents:
        raise SOURCE.explain(path)
    patents.sort(key=lambda patent: patent.number)  # no order of folders may change the result
    splits = split_patents(patents)
    tasks = tuple(task for task in by_subclass(patents, splits) if can_be_asked(task))
    notes = {
        "patents": len(patents),
        "subclasses": len({patent.subclass for patent in patents}),
        "parts": dict(sorted(Counter(part.name.lower() for part in splits.values()).items())),
        "split": RECIPE,
        "section": section,
        "sample": "all patents with English claims and an IPC subclass",
    }
    ids = {VIEW: np.array([patent.number for patent in patents])}
    return Benchmark(
        TaskData("clef-ip", ids, tasks, notes),
        lambda _: encoded(patents, section),
        lambda part: (patent for patent in patents if splits[patent.number] is part),
        (Path(path),) if Path(path).is_file() else (),
    )


def _english(patent: Patent) -> Patent | None:
    """Return the English version, if there is one with claims and a class."""
    if patent.language != "en":
        if "en" not in patent.translations:
            return None
        patent = patent.in_language("en")
    return patent if patent.claims and patent.subclass else None

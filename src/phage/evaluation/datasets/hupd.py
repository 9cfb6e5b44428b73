"""HUPD: the paper's training corpus.

In:   HUPD's yearly archives or unpacked JSON files.
Out:  applications filed 2013–2017, as many per IPC section as the paper's appendix says, or all.
Why:  the paper's sample is described by its counts only; a hash order makes ours repeatable."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from phage.claims.statistics import PAPER
from phage.claims.types import Patent
from phage.evaluation.datasets.benchmark import Source

SOURCE = Source(
    "hupd",
    "Harvard USPTO Patent Dataset",
    ("2013.tar.gz", "…", "2017.tar.gz"),
    "data/2013.tar.gz to data/2017.tar.gz of https://huggingface.co/datasets/HUPD/hupd",
    "some 100 GB unpacked",
    "CC BY 4.0 by its README, CC BY-SA 4.0 by its hub page",
)
QUOTAS = PAPER.sections
"""Patents per IPC section in the paper's training corpus; 131,653 together."""
FIRST, LAST = "2013-01-01", "2017-12-31"


def read(
    path: Path | str,
    quotas: dict[str, int] | None = QUOTAS,
    wanted: Callable[[Patent], bool] = lambda _: True,
) -> Iterator[Patent]:
    """Read the training corpus; ``quotas=None`` gives all of the five years.

    ``wanted`` is asked before a patent is taken, so that others fill the place of those left out.
    """
    from phage.claims import read_some as read_patents

    if not Path(path).exists():
        raise SOURCE.explain(path, SOURCE.files)
    filed = (p for p in read_patents(path) if p.claims and FIRST <= p.filing_date <= LAST)
    if quotas is None:
        return filter(wanted, filed)
    return iter(balanced(filed, quotas, wanted))


def balanced(
    patents: Iterable[Patent],
    quotas: dict[str, int],
    wanted: Callable[[Patent], bool] = lambda _: True,
) -> list[Patent]:
    """Keep, per section of the main IPC, the patents whose number hashes lowest.

    One pass, and memory for the sample alone; the same patents whatever order they come in.
    """
    kept: dict[str, list[tuple[int, str, Patent]]] = {section: [] for section in quotas}
    seen: set[str] = set()
    for patent in patents:
        section = patent.subclass[:1]
        if not quotas.get(section) or patent.number in seen:
            continue
        seen.add(patent.number)
        rank = -int.from_bytes(hashlib.sha256(patent.number.encode()).digest()[:8], "big")
        entry = (rank, patent.number, patent)
        full = len(kept[section]) >= quotas[section]
        if full and entry < kept[section][0]:
            continue  # before it is compared with others, which takes long
        if wanted(patent):
            (heapq.heappushpop if full else heapq.heappush)(kept[section], entry)
    chosen = (entry[2] for entries in kept.values() for entry in entries)
    return sorted(chosen, key=lambda patent: patent.number)

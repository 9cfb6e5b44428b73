"""What a corpus consists of: years, IPC codes, lengths.

In:   patents, streamed.
Out:  the figures of the paper's two tables of its training corpus, and the paper's own.
Why:  the paper describes its sample by these alone; another sample is compared by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Any

from phage.claims.text import claims_text
from phage.claims.types import Patent


@dataclass(frozen=True, slots=True)
class Middle:
    """Mean and median."""

    mean: float
    median: float

    @classmethod
    def of(cls, values: list[int]) -> Middle:
        """Compute mean and median of some counts; both are 0 if there are none."""
        return cls(mean(values), median(values)) if values else cls(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """The paper's tables of its training corpus."""

    patents: int
    filed: tuple[str, str]
    """First and last year."""
    subclasses: int
    codes: int
    """Different IPC codes."""
    codes_per_patent: Middle
    lengths: dict[str, Middle]
    """Characters of title, abstract and claims; patents that lack the part are not counted."""
    sections: dict[str, int]
    """Patents by the section of their main IPC code."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self)


PARTS: dict[str, Callable[[Patent], str]] = {
    "title": lambda patent: patent.title,
    "abstract": lambda patent: patent.abstract,
    "claims": lambda patent: claims_text(patent.claims),
}
PAPER = CorpusStatistics(
    131_653,
    ("2013", "2017"),
    610,
    36_094,
    Middle(2.6, 2),
    {"title": Middle(56, 51), "abstract": Middle(679, 697), "claims": Middle(5937, 5101)},
    {"A": 19_276, "B": 18_668, "C": 18_226, "D": 3_427,
     "E": 15_008, "F": 17_063, "G": 19_992, "H": 19_993},
)  # fmt: skip
"""As printed in the paper's appendix on its training corpus."""


def corpus_statistics(
    patents: Iterable[Patent], advance: Callable[..., None] | None = None
) -> CorpusStatistics:
    """Count a corpus.

    >>> from phage.claims.types import Claim
    >>> pump = Patent("US1A", (Claim(1, "A pump."),), title="Pump", ipc=("F04B 1/00", "F04D 1/00"))
    >>> found = corpus_statistics([pump])
    >>> found.codes, found.subclasses, found.lengths["claims"].mean, found.sections
    (2, 2, 10, {'F': 1})
    """
    years: set[str] = set()
    codes: set[str] = set()
    per_patent: list[int] = []
    lengths: dict[str, list[int]] = {part: [] for part in PARTS}
    sections: Counter[str] = Counter()
    for patent in patents:
        years.update(filter(None, [patent.filing_date[:4]]))
        codes.update(patent.ipc)
        per_patent.append(len(patent.ipc))
        for part, text in PARTS.items():
            lengths[part] += filter(None, [len(text(patent))])
        sections.update(filter(None, [patent.subclass[:1]]))
        if advance is not None:
            advance()
    return CorpusStatistics(
        len(per_patent),
        (min(years, default=""), max(years, default="")),
        len({code.split(" ")[0] for code in codes}),
        len(codes),
        Middle.of(per_patent),
        {part: Middle.of(values) for part, values in lengths.items()},
        dict(sorted(sections.items())),
    )

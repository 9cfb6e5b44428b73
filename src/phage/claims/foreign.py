"""Texts in a language that a model does not know.

In:   what is encoded, and the languages that the model's folder names.
Out:  how many texts are in another language, and one sentence that says so.
Why:  a model gives a vector for any text; for a language it never read, the vector means little, and
      nothing in it shows that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from phage.claims.language import NAMES, detect
from phage.claims.types import Patent

Item = TypeVar("Item", bound=str | Patent)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Counts texts in languages that a model does not know; none if the model names no languages.

    >>> foreign = Foreign(("en",))
    >>> foreign.add("Eine Pumpe mit einer Welle, die in der Pumpe ist.")
    >>> foreign.add(Patent("US1A"))
    >>> foreign.warning("phage-mini")
    '1 of 2 texts is not in English (German 1), the language that phage-mini knows: its vector means little'
    """

    known: tuple[str, ...]
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, item: str | Patent) -> None:
        """Note the language of a text, or of a patent as its source says it."""
        if not self.known:
            return
        own = item.language if isinstance(item, Patent) else detect(item, default=self.known[0])
        self.counts[own or self.known[0]] += 1

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass items on and note their languages."""
        for item in items:
            self.add(item)
            yield item

    @property
    def strange(self) -> dict[str, int]:
        """How many texts are in each language that the model does not know, most first."""
        found = self.counts.most_common()
        return {code: count for code, count in found if code not in self.known}

    def warning(self, model: str) -> str:
        """Return the warning as one sentence; empty if the model knows all languages that were seen."""
        strange, total = self.strange, self.counts.total()
        if not strange:
            return ""
        count = sum(strange.values())
        known = " or ".join(map(_name, self.known))
        few = ", ".join(f"{_name(code)} {n:,}" for code, n in strange.items())
        if total == 1:
            return (
                f"this text is in {_name(next(iter(strange)))}, but {model} knows only {known}: "
                "the results are mostly random"
            )
        one = count == 1
        return (
            f"{count:,} of {total:,} texts {'is' if one else 'are'} not in {known} ({few}), the "
            f"language{'s' * (len(self.known) > 1)} that {model} knows: "
            f"{'its vector means' if one else 'their vectors mean'} little"
        )


def _name(code: str) -> str:
    """Name a language, where we know its name.

    >>> _name("de"), _name("xx")
    ('German', 'xx')
    """
    return NAMES.get(code, code)

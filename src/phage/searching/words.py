"""The words that distinguish a text from others.

In:   a text, and the number of patents in an index that contain each word.
Out:  its most telling words, for the full-text side and as evidence.
Why:  as a full-text query, a whole claim set takes ten times as long as its thirty best words and
      finds no more (docs/decisions.md)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from phage.errors import PhageError
from phage.storage import read_json, write_json

FILE = "words.json"
SAMPLE = 20_000
"""Patents whose words are counted."""
KEPT = 200_000
"""The most words kept; frequent ones come first."""
TERMS = 32
"""The most words of a long text that are searched for."""
_WORD = re.compile(r"[^\W_]+")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "about above after all also an and any are as at be been being between both but by can claim "
        "claimed claims comprise comprised comprises comprising consisting each either first for from "
        "further has have having in include includes including into is it its least may means more most "
        "of on one or other over per plurality said second so some such than that the their them then "
        "there thereby therefrom therein thereof thereto these they this those three through to two under "
        "upon use used using was when where whereby wherein whereof which while whose will with within "
        "without according accordance",
    )
)


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The number of patents in a sample that contain each word."""

    patents: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    """By stem."""
    length: float = 0.0
    """Mean number of words in a patent."""

    def weight(self, word: str) -> float:
        """Return a word's weight: rarer words weigh more, but the rarest may be misprints.

        >>> Frequencies(100, {"pump": 50, "impeller": 2}).weight("impeller") > 3
        True
        """
        return math.log((self.patents + 2) / (self.counts.get(stem(word), 1) + 1))

    def telling(self, text: str, most: int = TERMS) -> list[str]:
        """Return the most telling words of a text, best first.

        >>> Frequencies(100, {"pump": 50, "impeller": 2}).telling("The pump. An impeller.", 1)
        ['impeller']
        """
        found = Counter(words(text))
        known = {word: (1 + math.log(n)) * self.weight(word) for word, n in found.items()}
        return sorted(known, key=lambda word: (-known[word], word))[:most]

    def shared(self, one: str, other: str, most: int = 6) -> tuple[str, ...]:
        """Return the rarest words that two texts share."""
        both = set(words(one)) & set(words(other))
        return tuple(sorted(both, key=lambda word: (-self.weight(word), word))[:most])


def stem(word: str) -> str:
    """Strip an English plural; the full-text index uses stems of its own.

    >>> stem("pumps"), stem("assemblies"), stem("glass")
    ('pump', 'assembly', 'glass')
    """
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, without those that mean nothing in a patent.

    Bare numbers and single Latin letters, which label parts of a drawing, are dropped too.

    >>> words("A pump, wherein said H-bridge 12 turns on CO2 or 水")
    ['pump', 'bridge', 'turns', 'co2', '水']
    """
    return [
        word
        for word in _WORD.findall(text.lower())
        if (len(word) > 2 or not word.isascii()) and not word.isdigit() and word not in _EMPTY
    ]


def count(texts: Iterable[str]) -> Frequencies:
    """Count the texts in which each word occurs."""
    counts: Counter[str] = Counter()
    total = length = 0
    for text in texts:
        found = words(text)
        counts.update(set(map(stem, found)))
        length += len(found)
        total += 1
    kept = {word: n for word, n in counts.most_common(KEPT) if n > 1 or total < 100}
    return Frequencies(total, kept, length / max(1, total))


def save(path: Path, found: Frequencies) -> None:
    """Write the counts into an index folder."""
    said = {"patents": found.patents, "length": found.length, "counts": dict(found.counts)}
    write_json(path / FILE, said)


def load(path: Path) -> Frequencies:
    """Read the counts; an index that was never finished has none, and all words weigh the same."""
    if not (path / FILE).is_file():
        return Frequencies()
    try:
        said = read_json(path / FILE)
        return Frequencies(int(said["patents"]), dict(said["counts"]), float(said["length"]))
    except (PhageError, KeyError, TypeError, ValueError) as error:
        raise PhageError(
            f"this index is damaged: {FILE} cannot be read",
            place=str(path),
            remedy="delete that file and index any patent again, which rewrites it",
        ) from error

"""Read a claim: its words, their positions and their tags.

In:   claim text.
Out:  a TaggedClaim.
Why:  noun phrases and the parties of verbs follow from the tags by regular expressions. This takes
      a few microseconds a word and no model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from phage.language.en.lexicon import LEXICON, NUMERAL
from phage.language.en.rules import resolve
from phage.language.en.tags import Tag, signs, tag_pattern

_MARK = rf"(?:{NUMERAL}|[ivx]{{2,4}}|[a-z])"
_PLAIN = r"[a-z0-9'/%+*-]*"
# Beyond plain signs: other letters, decimals, brackets inside a chemical name. Words are mostly
# plain and end at a blank, so those come first.
_REST = (
    r"(?:(?!\ )(?:[^\W_]|[_°’]|[.,](?=\d)|\((?=[^\s()]*\)[\w-])|(?<=\w)\)(?=[\w-]))" + _PLAIN + ")*"
)
_TOKEN = re.compile(
    rf"""
    ([a-z0-9]{_PLAIN}{_REST}
    |[,;:.]
    |\((?:\s*{_MARK}(?:\s*[,;/–-]\s*{_MARK})*\s*|[^\s()]+)\)(?![\w-])  # (12), (3a, 3b), (UE)
    |[^\W_]{_PLAIN}{_REST}
    |[%°][cfk]?
    |[()\[\]=<>≤≥±])
    """,
    re.VERBOSE,
)
_BARE_SIGN = re.compile(
    tag_pattern(
        "(?<=NOMINAL|PAIR|NUMBER|ING|SIGN) NUM (?!THING|NOUN_VERB|UNIT|MOD|NUM|IT|ADJ_PREP)"
    )
)
"""A bare reference sign after its noun: "the arm 12 is"."""


_NUM, _REFERENCE = signs("NUM"), signs("SIGN")


@dataclass(frozen=True, slots=True, eq=False)
class TaggedClaim:
    """A claim as words and tags, of one length."""

    words: tuple[str, ...]
    """Lower case, as printed; reference signs left out."""
    tags: str
    """One sign per word; ``tags.Tag`` lists them."""
    starts: list[int]
    ends: list[int]
    possessive: bool = False
    """Some word ends in 's."""

    def shown(self) -> str:
        """Write the claim as word/TAG, as the examples of rules.toml are written.

        >>> read_claim("The base that supports the supports.").shown()
        'the/THE base/NOUN that/WHICH supports/VERB the/THE supports/NOUNS ./STOP'
        """
        names = {tag.value: tag.name for tag in Tag}
        return " ".join(
            f"{word}/{names.get(sign, sign)}"
            for word, sign in zip(self.words, self.tags, strict=True)
        )

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of words ``first`` to ``last``, both inside."""
        return self.starts[first], self.ends[last]


LONGEST = 50_000
"""The longest claim, in characters, whose reading is cached; longer ones would fill the memory."""


def read_claim(text: str) -> TaggedClaim:
    """Split a claim into words and tag them.

    >>> read_claim("A shaft (12) that supports the rotating supports 14.").tags
    'aNwVDJS.'
    """
    return _remembered(text) if len(text) <= LONGEST else tag_claim(text)


@lru_cache(maxsize=256)
def _remembered(text: str) -> TaggedClaim:
    return tag_claim(text)


def tag_claim(text: str) -> TaggedClaim:
    """Do the same and remember nothing: for those who read every claim once."""
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow: İ
        lower = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    # Split with the words kept: their places are sums of lengths, and no match objects are made.
    pieces = _TOKEN.split(lower)
    words, places = pieces[1::2], list(accumulate(map(len, pieces)))
    starts, ends = places[::2], places[1::2]
    tags = "".join(map(LEXICON.__getitem__, words))
    if _NUM in tags:
        tags = _BARE_SIGN.sub(_REFERENCE, tags)
    if _REFERENCE in tags:
        kept = [
            index for index, tag in enumerate(tags) if tag != _REFERENCE or words[index].isalpha()
        ]
        words = [words[index] for index in kept]
        starts, ends = [starts[index] for index in kept], [ends[index] for index in kept]
        tags = "".join([tags[index] for index in kept]).replace(_REFERENCE, _NUM)
    possessive = "'s" in lower or "’s" in lower
    return TaggedClaim(tuple(words), resolve(tags, words), starts, ends, possessive)

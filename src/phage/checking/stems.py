"""Words that come from one another: measured, measuring, measurement.

In:   an English word in lower case.
Out:  what the forms of a word share.
Why:  "the measured pressure" needs no introduction after "measuring a pressure"."""

from __future__ import annotations

import re
from functools import lru_cache

_ENDING = re.compile(
    r"(?:ifications?|izations?|isations?|ifiers?|ifying|ified|if(?:y|ies)|i[zs](?:e[drs]?|ing|ers?)"
    r"|ations?|at(?:e[ds]?|ing|ors?|ive)|it?ions?|it(?:e[ds]?|ing)|ions?"
    r"|isons?|tures?|enc(?:y|ies)|anc(?:y|ies)|sis|ses"
    r"|ments?|abl[ey]|ibl[ey]|abilit(?:y|ies)|ances?|ences?|ant|ent|ivel?y?|ally|al|ly|ness"
    r"|ings?|ers?|ors?|ies|ied|ed|es|[esy])$"
)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Cut a word's endings.

    >>> [stem(word) for word in ("measured", "measuring", "measurement", "measures")]
    ['measur', 'measur', 'measur', 'measur']
    >>> [stem(word) for word in ("rotation", "rotating", "stopped", "stop", "identifier")]
    ['rot', 'rot', 'stop', 'stop', 'ident']
    """
    for least in (3, 4):
        match = _ENDING.search(word, least)
        if match is None:
            break
        word = word[: match.start()]
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word

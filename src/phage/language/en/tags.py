"""The tags of the English tagger: what a word can be, and how patterns name it.

In:   a pattern in words: ``(?<=THE|A) ADJ* NOUN``.
Out:  the same pattern over one sign per word: ``(?<=[Da])J*N``.
Why:  a tagged claim is a string with one sign per word, so that regular expressions run at full
      speed. People read the names."""

from __future__ import annotations

import re
from enum import StrEnum


class Tag(StrEnum):
    """What a word is; the value is its sign in a tagged claim. Punctuation stands for itself."""

    THE = "D"  # the, said, its: speaks of something known
    A = "a"  # a, an
    SOME = "I"  # each, any, several: other indefinite words
    NUM = "1"  # one, two, 12
    ABOUT = "L"  # more, at least: stands about a number
    ORD = "O"  # first, other
    ADJ = "J"
    NOUN = "N"
    NOUNS = "S"  # in the plural
    VERB = "V"
    BE = "B"
    HAVE = "H"
    CAN = "M"  # may, shall: modals
    ADV = "R"
    PREP = "P"
    OF = "o"
    TO = "T"
    AND = "C"  # and, or
    WHICH = "w"  # which, that, who
    WHERE = "W"  # wherein, when: other words that open a clause
    IT = "X"  # pronouns, and measures such as "5 mm"
    THEREOF = "K"  # thereof, herein, claim
    LOT = "Q"  # plurality, pair, where "of" follows
    HALF = "h"  # right- of "right- and left-hand"
    COMMA, SEMI, COLON, STOP, CLOSE = ",", ";", ":", ".", ")"
    # Open until a rule decides.
    NOUN_VERB = "A"  # support
    NOUNS_VERB = "Z"  # supports
    VERB_NOUNS = "z"  # moves: hardly ever a plural
    BASE = "v"  # receive: a verb in its base form
    ADJ_VERB = "Y"  # open, dry
    ED = "E"  # mounted: a participle
    ING = "G"  # rotating
    ING_NOUN = "g"  # housing: mostly a thing
    ADJ_PREP = "F"  # adjacent, opposite
    MASS = "n"  # water: stands without an article
    UNIT = "U"  # mm
    ARE = "b"  # are, were
    LEAST = "l"  # least, most
    SUCH = "s"
    PAIR = "q"  # pair, series: a quantity where "of" follows
    NUMBER = "k"  # plurality: the same, also behind an ordinal
    SIGN = "#"  # (12): a reference sign


_GROUPS = {
    "ANY": "",
    "ART": "THE A",
    "DET": "THE A SOME",
    "MOD": "ADJ ORD",
    "THING": "NOUN NOUNS MASS",
    "NOMINAL": "NOUN NOUNS MASS NOUN_VERB NOUNS_VERB ING_NOUN",
    "AUX": "BE ARE HAVE CAN",
    "BREAK": "COMMA SEMI COLON",
    "PUNCT": "COMMA SEMI COLON STOP",
}
"""Names for several tags."""

NAME = r"~?[A-Z_]+(?:\|[A-Z_]+)*"
"""One word of a pattern: one tag, or several as "NOUN|NOUNS"; "~" means any but these."""


def signs(names: str) -> str:
    """Return the signs of tags and groups.

    >>> signs("NOUN NOUNS"), signs("ART VERB")
    ('NS', 'DaV')
    """
    return "".join(
        signs(_GROUPS[name]) if name in _GROUPS else Tag[name].value for name in names.split()
    )


def sign_class(word: str) -> str:
    """Turn one word of a pattern into the signs it stands for.

    >>> sign_class("NOUN"), sign_class("THE|A"), sign_class("~STOP"), sign_class("ANY")
    ('N', '[Da]', '[^.]', '.')
    """
    if word == "ANY":
        return "."
    found = signs(word.lstrip("~").replace("|", " "))
    if word[0] == "~":
        return f"[^{found}]"
    return f"[{found}]" if len(found) > 1 else re.escape(found)


def tag_pattern(pattern: str) -> str:
    """Turn a pattern in words into one over signs.

    Blanks are for the reader. "NOUN|NOUNS" without blanks is one word that is either; " | "
    separates alternatives.

    >>> tag_pattern("(?<=THE|A) ADJ* NOUN | TO VERB")
    '(?<=[Da])J{0,40}N|TV'
    """
    return bounded(re.sub(NAME, lambda name: sign_class(name[0]), pattern).replace(" ", ""))


def bounded(pattern: str) -> str:
    """Limit every repetition in a pattern to forty: longer runs of adjectives are not language.

    Without a limit, a rule that starts at every word of a run and reads to its end takes quadratic
    time.

    >>> bounded("R*[JO]+N")
    'R{0,40}[JO]{1,40}N'
    """
    return re.sub(r"(?<=[\])\w])[*+]", lambda sign: _MOST[sign[0]], pattern)


_MOST = {"*": "{0,40}", "+": "{1,40}"}

"""The singular of a head noun.

In:   a word in lower case.
Out:  its singular, or the word itself.
Why:  "two rotor blades" in one claim must match "the rotor blade" in another."""

from __future__ import annotations

from phage.language.words import load_table, load_words

_PLURALS: dict[str, str] = dict(
    pair.split()
    for pair in load_table(__package__, "words.toml")["plurals"]["irregular"].split(",")
)
_UNCHANGED = load_words(__package__)["unchanged"]
_SINGULAR_ENDINGS = ("ss", "us", "is", "'s", "’s", "s'", "s’")
_LATIN = ("tuses", "ruses", "cuses", "nuses")
"""apparatuses, viruses, focuses, bonuses; but fuses, houses, causes."""


def singular(word: str) -> str:
    """Return the singular of a noun.

    >>> [singular(word) for word in ("blades", "bodies", "switches", "axes", "lens", "valves")]
    ['blade', 'body', 'switch', 'axis', 'lens', 'valve']
    >>> [singular(word) for word in ("apparatuses", "fuses", "sub-assemblies", "gas", "feet")]
    ['apparatus', 'fuse', 'sub-assembly', 'gas', 'foot']
    """
    if word in _PLURALS:
        return _PLURALS[word]
    if len(word) < 4 or word in _UNCHANGED or not word.endswith("s"):
        return word
    if "-" in word:
        front, back = word.rsplit("-", 1)
        return f"{front}-{singular(back)}"
    if word.endswith(_SINGULAR_ENDINGS):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    doubled = ("sses", "shes", "ches", "xes", "zzes", "oes", *_LATIN)
    return word[:-2] if word.endswith(doubled) else word[:-1]

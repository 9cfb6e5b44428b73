"""English: how a claim refers to others and what it is to; citations.toml has the phrases."""

from __future__ import annotations

from phage.language.en.plurals import singular
from phage.language.references import load_patterns, reader
from phage.language.subjects import embedded

_PATTERNS = load_patterns(__package__)
references = reader(_PATTERNS)
_STEPS = frozenset(("method", "process", "procedure", "technique"))


def subject(text: str) -> str:
    """Name what a claim is to.

    >>> subject("An improved pumping apparatus for performing the method of claim 1")
    'pumping apparatus'
    """
    match = _PATTERNS.subject["own"].match(text)
    words = match["noun"].lower().split() if match else []
    while len(words) > 1 and (len(words[-1]) == 1 or not words[-1].isalpha()):
        words.pop()
    return " ".join(words)


def same(one: str, other: str) -> bool:
    """Compare head nouns: singular equals plural, and methods, processes and the like are one kind.

    >>> same("cooling device", "devices"), same("method", "process"), same("pump", "boat")
    (True, True, False)
    """
    one, other = (singular(noun.rsplit(" ", 1)[-1]) for noun in (one, other))
    return one == other or (one in _STEPS and other in _STEPS)


cross_category = embedded(subject, same, _PATTERNS)

"""Kinds of things: whether two claims are to one kind.

In:   a LegalReading and two claim numbers.
Out:  the names of what they are to, where these are of different kinds.
Why:  a dependent claim must be of the kind of its parent, and a suggestion must not send anybody to a
      claim of another kind."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from phage.checking.reading import LegalReading
from phage.checking.rules.types import subject
from phage.language import language_of
from phage.structure import CiteKind, Link

_TABLES = tomllib.loads((files("phage.checking.rules") / "kinds.toml").read_text("utf-8"))
_GENERAL, _STEPS, _CARRIERS, _MATTER, _MACHINES = (
    {language: frozenset(words.split()) for language, words in _TABLES[name].items()}
    for name in ("general", "steps", "carriers", "matter", "machines")
)
_NONE: frozenset[str] = frozenset()
_PARTICIPLES = re.compile(r"(?: (?:\w+(?:ed|able|ible)|claim))+$")
"""A method performed, a method executable."""


def other_kind(
    reading: LegalReading, number: int, parent: int, *, general: bool = True
) -> tuple[str, str] | None:
    """Name what two claims are to, where they are of different kinds; None where they are not.

    ``general``: a name such as "device" may stand for any product.

    >>> from phage.claims import Claim, Patent
    >>> from phage.checking.reading import read_legally
    >>> texts = "A bed.", "A method of sleeping.", "The sofa of claim 1."
    >>> claims = tuple(Claim(number, text) for number, text in enumerate(texts, start=1))
    >>> reading = read_legally(Patent("x", claims))
    >>> other_kind(reading, 3, 1), other_kind(reading, 1, 2), other_kind(reading, 1, 1)
    (('sofa', 'bed'), ('bed', 'method'), None)
    """
    own, other = subject(reading, number), subject(reading, parent)
    if not own or not other or language_of(reading.language).same(own, other):
        return None
    if not general:
        return own, other
    text = reading.claims[parent].text
    return (own, other) if _differ(own, other, text, reading.language) else None


_SCRIPT = re.compile(r"(?:[ァ-ヺー]+|[一-鿿]+|[가-힣]+)$")
"""Signs of one kind that make a Japanese or Korean name."""


def whole_name(reading: LegalReading, number: int, name: str) -> str:
    """Return the name of what a claim is to as it is printed: subjects are short and in small letters.

    >>> from phage.claims import Claim, Patent
    >>> from phage.checking.reading import read_legally
    >>> pump = read_legally(Patent("x", (Claim(1, "筐体を備えるポンプ。"),), language="ja"))
    >>> whole_name(pump, 1, "ンプ")
    'ポンプ'
    >>> pump = read_legally(Patent("x", (Claim(1, "Pumpe mit Welle."),), language="de"))
    >>> whole_name(pump, 1, "pumpe")
    'Pumpe'
    """
    text = reading.claims[number].text
    at = text.rfind(name) if reading.language in ("ja", "ko") else -1
    if at >= 0:
        end = at + len(name)
        found = _SCRIPT.search(text[max(0, end - 40) : end])
        return found[0] if found and len(found[0]) >= len(name) else name
    at = text.lower().find(name) if reading.language == "de" else -1
    return text[at : at + len(name)] if at >= 0 else name


def depends(reading: LegalReading, number: int, link: Link) -> bool:
    """Return whether a claim depends on those that a reference names, not only carries their thing.

    >>> from phage.claims import Claim, Patent
    >>> from phage.checking.reading import read_legally
    >>> claims = Claim(1, "Pumpe."), Claim(2, "Boot, aufweisend eine Pumpe nach Anspruch 1.")
    >>> reading = read_legally(Patent("x", claims, language="de"))
    >>> depends(reading, 2, reading.claims[2].links[0])
    False
    """
    if link.kind is CiteKind.CROSS_CATEGORY or not link.parents:
        return False
    carriers = _CARRIERS.get(reading.language, _NONE)
    if not carriers or carriers.isdisjoint(reading.lower[number][: link.start].split()):
        return True
    return other_kind(reading, number, link.parents[-1], general=False) is None


def _differ(own: str, other: str, parent: str, language: str) -> bool:
    """Return whether two subjects are of different kinds, beyond a more general name.

    >>> _differ("device", "pump", "A pump.", "en"), _differ("pump", "device", "A device.", "en")
    (False, True)
    >>> _differ("system", "storage medium", "A storage medium.", "en")
    True
    >>> _differ("zentrifuge", "vorrichtung", "", "de"), _differ("verfahren", "vorrichtung", "", "de")
    (False, True)
    """
    one, two = (_PARTICIPLES.sub("", name.lower()).rsplit(" ", 1)[-1] for name in (own, other))
    steps, general = _STEPS.get(language, _NONE), _GENERAL.get(language, _NONE)
    if one in steps or two in steps:
        return (one in steps) != (two in steps)
    if one in _MACHINES.get(language, _NONE) and two in _MATTER.get(language, _NONE):
        return True
    # German and French claims name the general thing first, and what it is later.
    if one in general or (language != "en" and two in general):
        return False
    if not one.isascii() or not two.isascii():
        return own not in other and other not in own
    return one != two and one.removesuffix("s") not in parent.lower()

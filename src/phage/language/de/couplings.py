"""German: what a functional verb joins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.language.passage import Passage
from phage.language.predicates import Predicate, components_of
from phage.language.types import Mention
from phage.language.words import load_words

_PREPOSITION = load_words(__package__)["preposition"]
_FINITE = r"\b(?:ist|sind|wird|werden|kann|können|\w{3,}(?:iert|weist|fasst|bildet))"
_CLAUSE = re.compile(
    rf"[,;:.]|\b(?:wobei|dass|daß|indem|sodass)\b|{_FINITE}\s+(?:und|oder|sowie)\b"
)
_RELATIVE = re.compile(
    r"\s*(?:und\s+)?(?:(?:in|an|auf|aus|mit|durch|über|von|zu|bei)\s+)?"
    r"(?:d(?:er|ie|as|em|en)|welche[rmns]?)\s+(?!\w{0,80}[A-ZÄÖÜ])"
)
_GENITIVE = re.compile(
    r"(?:d|ein|dies|jed|sein|ihr|zwei|drei|mehrer)(?:er|es)\b|der(?:en)?\b|dessen\b"
)
_TIME = re.compile(r"(?:während|bei|nach|für|zum|zur)\s*$")


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Return subject and objects: the clause's phrases but genitives; a pronoun's antecedent."""
    text = passage.text
    start = passage.with_enumeration(passage.last_before(_CLAUSE, predicate.start))
    end = passage.first_after(_CLAUSE, predicate.end)
    following = passage.next_from(predicate.end)
    if _attributive(text, predicate, following):
        # "ein mit der Welle verbundenes Gehäuse": the noun is the subject, before it the objects
        near = passage.back_from(predicate.start, start)
        before = next((m for m in near if _governed(text, m)), None)
        return [m for m in (before, following) if m]
    clause = passage.within(start, end, predicate.start)
    members = [m for m in clause if not _genitive(passage, m)]
    members = [m for m in members if not _TIME.search(text[max(start, m.start - 12) : m.start])]
    pronoun = _RELATIVE.match(text, start)
    if pronoun and pronoun.end() <= predicate.start:
        earlier = next((m for m in passage.back_from(start) if not _genitive(passage, m)), None)
        members = [*([earlier] if earlier else []), *members]
    return members if len(members) > 1 or predicate.verb in ("configure", "adapt") else []


def _attributive(text: str, predicate: Predicate, following: Mention | None) -> bool:
    form = text[predicate.start : predicate.end]
    inflected = re.search(r"(?:t|en|nd)e[rmns]?$", form) is not None
    return inflected and following is not None and _near(text, predicate.end, following)


_FARTHEST = 400
"""Characters of adjectives between a participle and its noun."""


def _near(text: str, place: int, mention: Mention) -> bool:
    if mention.start - place > _FARTHEST:
        return False
    return re.fullmatch(r"\s*(?:[a-zäöüß]+e[rmns]?\s+)*", text[place : mention.start]) is not None


def _governed(text: str, mention: Mention) -> bool:
    """Return whether a preposition or a dative marks the phrase as the participle's complement."""
    before = re.search(r"(\w+)\s*$", text[max(0, mention.start - 30) : mention.start])
    first = text[mention.start : mention.end].split()[0].lower()
    return first in ("im", "am", "vom", "zum", "zur") or (
        before is not None and before.group(1) in _PREPOSITION
    )


def _genitive(passage: Passage, mention: Mention) -> bool:
    """Return whether the phrase belongs to the noun just before it: "das Ende der Welle"."""
    return _GENITIVE.match(passage.text, mention.start) is not None and passage.adjoins(
        mention.start
    )


components = components_of(__package__, joins)

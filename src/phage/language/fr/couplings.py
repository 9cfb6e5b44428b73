"""French: what a functional verb joins."""

from __future__ import annotations

import re
from collections.abc import Iterable

from phage.language.passage import Passage
from phage.language.predicates import Predicate, components_of
from phage.language.types import Mention

_CLAUSE = re.compile(
    r"[,;:.]|\b(?:dans\s+(?:lequel|laquelle|lesquel(?:le)?s)|caractéris\w+\s+en\s+ce|tandis|"
    r"comport\w+|compren\w+|présent(?:e|ent|ant)|possèd\w+|ayant|inclu\w+|conten\w+)\b"
)
_TO = re.compile(
    r"(?:\s+(?:pour|à|afin\s+de|de\s+manière\s+à))?\s+(?:se\s+|s['’])?\w+(?:er|ir|re|oir)\b"
)
_VERB = re.compile(r"\b(?:et|ou)\s+(?:\w+(?:ant|er|ir|re)|est|sont)\b")
_GENITIVE = re.compile(r"\b(?:de|d['’])\s*$")
_CONTRACTED = re.compile(r"(?:du|des|dudit|desdit|de la|de l)", re.IGNORECASE)
_TIME = re.compile(r"\b(?:lors|pendant|durant|après|avant)\s*$")


def joins(passage: Passage, predicate: Predicate) -> Iterable[Mention]:
    """Return the subject before the verb, and the objects that follow it without a break."""
    text = passage.text
    start = passage.with_enumeration(passage.last_before(_CLAUSE, predicate.start))
    end = passage.first_after(_CLAUSE, predicate.end)
    near = passage.within(start, predicate.start, predicate.start)
    subjects = [m for m in near if not _owner(text, m)]
    if not subjects:  # "un arbre, monté sur le bâti"
        earlier = next((m for m in passage.back_from(start) if not _owner(text, m)), None)
        subjects = [earlier] if earlier else []
    if subjects and not _leads(passage, subjects[-1].end, predicate.start):
        subjects = []
    after = predicate.end
    if predicate.verb in ("configure", "adapt"):
        to = _TO.match(text, after)
        after = to.end() if to else after
    objects: list[Mention] = []
    for mention in passage.within(after, end, after):
        if _owner(text, mention):
            after = mention.end if _OF.fullmatch(text, after, mention.start) else after
        elif _GAP.fullmatch(text, after, mention.start):
            objects.append(mention)
            after = mention.end
        else:
            break
    return [*_coordinated(text, subjects), *objects]


# Whole words only, so that no text can be read in more than one way.
_GAP = re.compile(
    r"(?:\s|[,'’/]|\b(?:et|ou|ainsi|que|à|au|aux|sur|dans|avec|par|entre|sous|vers|depuis|en|contre|"
    r"autour|d|de|jusqu|via|\w+ment|le|long|l|série|parallèle|intermédiaire|moyen|travers|être|"
    r"reliée?s?|connectée?s?|montée?s?|partir)\b)*"
)
_LEADS = re.compile(
    r"(?:\s|[,'’-]|\b(?:qui|est|sont|étant|être|soit|soient|peut|peuvent|en|outre|également|ainsi|"
    r"\w+ment|lequel|laquelle|de|du|des|d|dont|respectifs?|respectives?)\b)*"
)
_OF = re.compile(r"\s*(?:de|d['’])?\s*")


_FARTHEST = 1000
"""Characters between a subject and its verb."""


def _leads(passage: Passage, start: int, end: int) -> bool:
    """Return whether only possessors, auxiliaries and adverbs stand between subject and verb."""
    if end - start > _FARTHEST:
        return False
    for mention in passage.within(start, end, start):
        if not _LEADS.fullmatch(passage.text, start, mention.start):
            return False
        start = mention.end
    return _LEADS.fullmatch(passage.text, start, end) is not None


def _coordinated(text: str, subjects: list[Mention]) -> list[Mention]:
    """Keep the last phrase and those that "et" joins to it."""
    kept = subjects[-1:]
    for mention in reversed(subjects[:-1]):
        if not re.fullmatch(r"\s*(?:,|et|ou|et/ou|,\s*et)?\s*", text[mention.end : kept[0].start]):
            break
        kept.insert(0, mention)
    return kept


def _owner(text: str, mention: Mention) -> bool:
    """Return whether the phrase belongs to a noun or names a time: "l'extrémité de l'arbre"."""
    before = text[max(0, mention.start - 30) : mention.start]
    return bool(
        _GENITIVE.search(before)
        or _TIME.search(before)
        or (
            _CONTRACTED.match(text, mention.start)
            and re.search(r"[^\W\d_]\s*$", before)
            and not re.search(
                r"\b(?:autour|partir|long|travers|dessus|dessous|moyen|près)\s*$", before
            )
        )
    )


components = components_of(__package__, joins)

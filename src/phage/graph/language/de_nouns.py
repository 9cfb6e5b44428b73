"""German: noun phrases with their articles, and couplings.

In:   claim text.
Out:  phrases and components for ``de.py``.
Why:  every noun is written with a capital, so that a chunk ends itself; the verb comes last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phage.graph.language.passage import Passage
from phage.graph.language.phrases import (
    Mark,
    Naming,
    Phrase,
    Predicate,
    components_of,
    words,
)
from phage.graph.language.types import Mention

_FOLD = str.maketrans("äöüß", "aous")


def stem(word: str) -> str:
    """Fold a word to what its cases and its plural share.

    >>> stem("Wellen") == stem("Welle"), stem("Gehäuses") == stem("Gehäuse"), stem("ersten")
    (True, True, 'erst')
    """
    word = word.lower().translate(_FOLD)
    for _ in range(3):  # Trägern → trager → trag
        if not (match := _ENDING.search(word, max(3, len(word) - 2))):
            break
        word = word[: match.start()]
    return word


_ENDING = re.compile(r"(?:e[nrms]|[ens])$")
_KNOWN = re.compile(
    r"d(?:er|ie|as|em|en|es)|dies(?:e[rmns]?)?|jene[rmns]?|solche?[rmns]?|besagte[rmns]?|"
    r"d(?:er|ie|as|em|en|es)selben?|(?:sein|ihr)(?:e[rmns]?)?|deren|dessen|"
    r"im|am|zum|zur|beim|vom|ins|ans"
)
_NEW = re.compile(
    r"k?ein(?:e[rmns]?)?|mehrere[rnms]?|zwei(?:er)?|drei(?:er)?|vier|fünf|sechs|sieben|acht|neun|"
    r"zehn|einige[rnms]?|beide[rnms]?|alle[rnm]?"
)
_EACH = re.compile(r"jede[rmns]?")
_SKIPPED = frozenset(
    map(
        stem, words("mindestens wenigstens zumindest jeweilige genannte vorgenannte andere gleiche")
    )
)
"""Stems of words in a determiner that say nothing of the thing."""
_PREPOSITION = words(
    "in an auf aus bei mit nach zu von vor für über unter durch gegen ohne um zwischen neben "
    "hinter gegenüber entlang während mittels innerhalb außerhalb oberhalb unterhalb"
)
_FUNCTION = _PREPOSITION | words(
    "und oder sowie bzw wobei dass daß wenn welche welcher welches welchem welchen ist sind wird "
    "werden wurde wurden hat haben kann können soll sollen muss müssen sich nicht auch nur als wie "
    "so derart dazu dadurch damit davon daran darin hierzu umfassend umfasst umfassen aufweisend "
    "aufweist aufweisen enthält enthaltend enthalten gekennzeichnet insbesondere vorzugsweise "
    "entweder sowohl sondern aber bezüglich hinsichtlich wegen bis seit ferner weiter diese "
    "einander zueinander miteinander"
)
_INFLECTED = re.compile(r"[a-zäöüß]{2,}e[rmns]?")
_WORD = re.compile(r"[^\W\d_][\w’'-]*\w|[^\W\d_]|[^\w\s]")
_MANY = frozenset(map(stem, words("Vielzahl Mehrzahl Paar Anzahl Satz Menge")))
NAMING = Naming(
    stop=_MANY
    | frozenset(
        map(
            stem,
            words(
                "Verfahren Vorrichtung System Einrichtung Anordnung Erfindung Zusammensetzung "
                "Verwendung Erzeugnis Produkt Maschine Medium Gerät Apparat Kit Anspruch Art Fall "
                "Patentanspruch Weise Wesentlichen Bezug Grundlage Beispiel Hilfe Reihe Schritt "
                "Gruppe Abhängigkeit Folge Prozent Oberbegriff Zweck Eingriff Kontakt Einsatz Teil "
                "Wahl Basis Anlage"
            ),
        )
    )
)


def chunks(text: str) -> Iterator[Phrase]:
    """Find determiner, adjectives and noun; a noun without determiner stands bare.

    >>> [(p.term, str(p.mark)) for p in chunks("mit einer ersten Welle und dem Kolben")]
    [('erst well', 'new'), ('kolb', 'known')]
    """
    state = _State()
    words = [(m.group(), m.start(), m.end()) for m in _WORD.finditer(text)]
    for place, (word, start, end) in enumerate(words):
        following = words[place + 1][0] if place + 1 < len(words) else ""
        if not place and following[:1].isupper() and _INFLECTED.fullmatch(word.lower()):
            state.other(word.lower(), start, following)  # "Höhenverstellbare Anordnung"
        elif word[0].isupper() and not _mark(word, "", ""):
            yield from state.noun(word, start, end, following)
        elif mark := _mark(word, following, words[place - 1][0] if place else ""):
            state.determiner(mark, start)
        else:
            state.other(word, start, following)


class _State:
    """What stands before the noun that is to come."""

    def __init__(self) -> None:
        self.outer: list[Mark] = []
        self._clear()

    def _clear(self) -> None:
        self.mark, self.start, self.adjectives = Mark.NONE, -1, list[str]()

    def determiner(self, mark: Mark, start: int) -> None:
        if self.mark is Mark.KNOWN and mark is Mark.NEW and not self.adjectives:
            return  # "die zwei Arme", "der mindestens eine Arm"
        self.mark, self.start, self.adjectives = mark, start, []

    def noun(self, word: str, start: int, end: int, following: str) -> Iterator[Phrase]:
        head = stem(word)
        if head in _MANY and following in ("von", "an", "der", "dieser"):
            return  # "eine Vielzahl von Armen": the determiner waits
        begin = self.start if self.start >= 0 else start
        if self.mark is Mark.NONE and self.adjectives and self.outer:
            # "die mit dem Gehäuse verbundene Welle": the participle has its own complement
            self.mark, begin, self.adjectives = self.outer.pop(), start, []
        for group in " ".join(self.adjectives).split("|"):
            yield Phrase(" ".join([*group.split(), head]), self.mark, begin, end, head)
        self._clear()

    def other(self, word: str, start: int, following: str) -> None:
        if stem(word) in _SKIPPED or (word == "von" and self.mark is not Mark.NONE):
            return
        if word in ("und", "oder", "bzw") and self.adjectives and _INFLECTED.fullmatch(following):
            self.adjectives.append("|")  # "der ersten und zweiten Arme"
        elif word not in _FUNCTION and _INFLECTED.fullmatch(word):
            self.start = self.start if self.start >= 0 else start
            self.adjectives.append(stem(word))
        elif word in _FUNCTION or not word[0].isalpha():
            if self.mark is not Mark.NONE and word in _PREPOSITION and not self.adjectives:
                self.outer.append(self.mark)
            if word in ".;:":
                self.outer.clear()
            self._clear()


def _mark(word: str, following: str, previous: str) -> Mark | None:
    """Read a determiner; before another one it is a relative pronoun."""
    lower = word.lower()
    if _KNOWN.fullmatch(lower):
        again = _KNOWN.fullmatch(following) or _NEW.fullmatch(following)
        relative = previous == "," and (again or following in _FUNCTION or following == "sich")
        return None if relative else Mark.KNOWN
    if _NEW.fullmatch(lower):
        return Mark.NEW
    return Mark.EACH if _EACH.fullmatch(lower) else None


# --- Couplings ---

VERBS = {
    "couple": r"\b(?:an)?(?:ge)?k[ou]ppel(?:t\w*|n|nd\w*)\b",
    "connect": r"\bverb(?:unden\w*|inde(?:t|n|nd\w*))\b|\bangeschlossen\w*\b|\banschließ(?:t|en)\b",
    "attach": r"\bbefestig(?:t\w*|en|end\w*)\b|\bangebracht\w*\b|\banbringen\b|\bfixiert\w*\b",
    "mount": r"\bmontier(?:t\w*|en)\b|\bgelagert\w*\b|\beingebaut\w*\b|\baufgesetzt\w*\b",
    "dispose": r"\bangeordnet\w*\b|\banordnen\b",
    "position": r"\bposition(?:iert\w*|ieren)\b|\bplatziert\w*\b|\bplatzieren\b",
    "support": r"\b(?:ab|unter)?(?:ge)?stütz(?:t\w*|en|end\w*)\b|\b(?:ge)?tragen(?:d\w*)?\b|\bträgt\b",
    "engage": r"\beingreif(?:t|en|end\w*)\b|\bineinandergreif\w+\b|\bin\s+Eingriff\b",
    "receive": r"\baufgenommen\w*\b|\baufnimmt\b|\baufnehmen\b|\bempf(?:ängt|angen\w*)\b",
    "extend": r"\berstreck(?:t|en|end\w*)\b",
    "interpose": r"\bzwischengeschaltet\w*\b|\bdazwischen(?:liegend|geschaltet)\w*\b",
    "configure": (
        r"\bkonfiguriert\b|\beingerichtet\b|\bausgelegt\b|"
        r"\bdazu\s+ausgebildet\b|\bausgebildet\b(?=(?:\s+(?:ist|sind))?,\s+(?:um\b|\w+\s+\w+\s+zu\b))"
    ),
    "adapt": r"\bangepasst\b|\bangepaßt\b",
}
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
    """Give subject and objects: all of the verb's clause but genitives; a pronoun's antecedent."""
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
    """Say whether a preposition or a dative marks the phrase as the participle's complement."""
    before = re.search(r"(\w+)\s*$", text[max(0, mention.start - 30) : mention.start])
    first = text[mention.start : mention.end].split()[0].lower()
    return first in ("im", "am", "vom", "zum", "zur") or (
        before is not None and before.group(1) in _PREPOSITION
    )


def _genitive(passage: Passage, mention: Mention) -> bool:
    """Say whether the phrase hangs on the noun just before it: "das Ende der Welle"."""
    return _GENITIVE.match(passage.text, mention.start) is not None and passage.adjoins(
        mention.start
    )


components = components_of(VERBS, joins)

"""Write the claims of a concept.

In:   a Concept and a plan.
Out:  Written claims: text, and the record from which the true graph follows.
Why:  the only place where structure and words meet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from phage.invented import clauses
from phage.invented.concept import Concept
from phage.invented.fields import shared
from phage.invented.plan import Category, Slot
from phage.invented.sentence import Number, Part, Sentence, article
from phage.invented.truth import Written

_METHODS = (Category.METHOD, Category.USE)
_US = ("of", "of", "of", "of", "according to", "as claimed in", "as recited in", "as set forth in",
       "as defined in", "as in")  # fmt: skip
_EP = ("according to", "according to", "as claimed in", "in accordance with")


class ClaimWriter:
    """Writes one claim set; keeps what all its claims must agree on."""

    def __init__(self, concept: Concept, rng: Random) -> None:
        """Start with nothing written."""
        self.concept, self.rng = concept, rng
        self.connector = rng.choice(_EP if concept.voice.european else _US)
        self.numerals: dict[str, int] = {}
        self.scope: dict[int, set[str]] = {}  # claim → terms with an antecedent after it
        self.names: dict[int, str] = {}  # root → the claimed thing
        self.introduced: dict[str, Part] = {}  # by any claim so far
        self.spare = list(concept.spare)
        self.used: set[str] = set()

    def write(self, slots: Sequence[Slot]) -> list[Written]:
        """Write all claims in order."""
        return [self._claim(slot) for slot in slots]

    def _claim(self, slot: Slot) -> Written:
        # A drafter does not say the same thing twice; after a few tries even he gives up.
        for _ in range(6):
            known = [self.scope[parent] for parent in slot.parents]
            s = Sentence(
                self.rng,
                self.concept.voice,
                set.intersection(*known) if known else set(),
                self.numerals,
            )
            first = slot.number == slot.root
            text = self._root(s, slot) if first else self._dependent(s, slot)
            if text not in self.used:
                break
        self.used.add(text)
        self.scope[slot.number] = s.known
        for part in [*self.concept.parts, *self.concept.spare, *self.spare]:
            if ("indef", part.term) in s.mentions:
                self.introduced.setdefault(part.term, part)
        return Written(
            slot.number, text, slot.parents, slot.kind, tuple(s.mentions), tuple(s.components)
        )

    def _root(self, s: Sentence, slot: Slot) -> str:
        if slot.category in _METHODS:
            return self._method(s, slot)
        if slot.category is Category.PRODUCT:
            taken = set(self.names.values())
            thing = next((t for t in self.concept.things if t not in taken), "apparatus")
            self.names[slot.number] = thing
            opening = f"{article(thing).capitalize()} {thing}"
            if self.rng.random() < 0.5:
                opening += " " + s.fill(self.rng.choice(self.concept.topic.settings), self._word)[0]
            return f"{opening}, comprising: {self._elements(s)}."
        if slot.category is Category.HOST:
            thing = self.rng.choice(self.concept.topic.hosts)
            self.names[slot.number] = thing
            target = f"the {self.names[slot.parents[0]]} {self.connector} {slot.reference}"
            text = f"{article(thing).capitalize()} {thing} comprising {target}"
            if self.rng.random() < 0.6:
                text += f", and {clauses.element(s, self.concept, self._fresh(s))}"
            return f"{text}."
        return self._means(s, slot)

    def _means(self, s: Sentence, slot: Slot) -> str:
        target = f"the method {self.connector} {slot.reference}"
        if self.concept.area.computing and self.rng.random() < 0.6:
            self.names[slot.number] = "storage medium"
            instructions = s.a(Part("instruction", Number.BARE))
            processor = Part("processor")
            doer, again = s.a(processor), s.the(processor)
            return (
                f"A storage medium storing {instructions} that, when executed by {doer}, "
                f"cause {again} to perform {target}."
            )
        self.names[slot.number] = "apparatus"
        word = self.rng.choice(("performing", "carrying out"))
        return f"An apparatus for {word} {target}, comprising: {self._elements(s)}."

    def _method(self, s: Sentence, slot: Slot) -> str:
        self.names[slot.number] = "method"
        if slot.category is Category.USE:
            word = self.rng.choice(("operating", "manufacturing", "using"))
            thing = self.names[slot.parents[0]]
            opening = f"A method of {word} the {thing} {self.connector} {slot.reference}"
        else:
            opening = "A method " + self.rng.choice(("of ", "for "))
            opening += s.fill(self.rng.choice(self.concept.topic.purposes), self._word)[0]
        lead = self.rng.choice(("the method comprising", "comprising", "comprising the steps of"))
        templates = self.rng.sample(self.concept.steps, self.rng.randint(1, 3))
        steps = [clauses.step(s, self.concept, template) for template in templates]
        for _ in range(self.rng.randint(1, 3)):
            steps.append(clauses.step(s, self.concept))
        return f"{opening}, {lead}: {_series(dict.fromkeys(steps))}."

    def _elements(self, s: Sentence) -> str:
        """Introduce three to nine parts that are not yet known here."""
        fresh = [part for part in self.concept.parts if part.term not in s.known]
        count = self.rng.choice((3, 3, 4, 4, 5, 5, 6, 6, 9))
        chosen = fresh[:count] or [self._fresh(s)]
        if self.scope:  # a later independent claim is about some of the same parts
            chosen = self.rng.sample(fresh, min(len(fresh), len(chosen))) or chosen
        texts: list[str] = []
        while chosen:
            part = chosen.pop(0)
            if part.term in s.known:
                continue  # a function named it already
            inner = chosen[0] if chosen else part
            if inner.term not in s.known and inner != part and self.rng.random() < 0.15:
                texts.append(clauses.containing(s, part, [chosen.pop(0)]))
            else:
                texts.append(clauses.element(s, self.concept, part))
        text = _series(texts)
        if self.rng.random() < 0.35:
            text += f", wherein {self._clause(s)}"
        return text

    def _dependent(self, s: Sentence, slot: Slot) -> str:
        voice, thing = self.concept.voice, self.names[slot.root]
        opening = "A" if voice.european and self.rng.random() < 0.15 else "The"
        if opening == "A":
            opening = article(thing).capitalize()
        text = f"{opening} {thing} {self.connector} {slot.reference}"
        method = slot.category in _METHODS
        if self.rng.random() < 0.3:
            if method:
                templates = [*self.concept.steps, None, None, None]
                more = clauses.step(s, self.concept, self.rng.choice(templates))
            else:
                more = clauses.element(s, self.concept, self._fresh(s))
            return f"{text}, further comprising {more}."
        if method and self.rng.random() < 0.3:
            familiar = self._familiar(s)
            others = [template for template in self.concept.steps if template != familiar]
            one = clauses.step(s, self.concept, familiar, fresh=0.0)
            two = clauses.step(s, self.concept, self.rng.choice((*others, None)))
            word = self.rng.choice(("comprises", "is carried out before", "is followed by"))
            return f"{text}, wherein {one} {word} {two}."
        joint = ", wherein" if self.rng.random() < 0.9 else " wherein"
        if voice.european and self.rng.random() < 0.4:
            joint = ", characterized in that"
        body = self._clause(s)
        if self.rng.random() < 0.2:
            body += f", and wherein {self._clause(s)}"
        return f"{text}{joint} {body}."

    def _clause(self, s: Sentence) -> str:
        """Say something about one part."""
        subject = self._subject(s)
        chemical = self.concept.area.chemical
        weights = (25, 25, 5, 2, 30) if chemical else (40, 22, 18, 4, 16)
        form = self.rng.choices(("link", "include", "do", "face", "measure"), weights)[0]
        if form == "include":
            inner = dict.fromkeys(self._fresh(s) for _ in range(self.rng.choice((1, 1, 2))))
            return clauses.includes(s, subject, list(inner))
        if form == "do":
            return clauses.purpose(s, self.concept, subject)
        if form == "face":
            return clauses.surface(s, self.concept, subject)
        if form == "measure":
            return clauses.measure(s, self.concept, subject)
        return clauses.relation(s, self.concept, subject)

    def _subject(self, s: Sentence) -> Part:
        """Choose what a clause is about: mostly a part with an antecedent."""
        everything = dict.fromkeys([*self.concept.parts, *self.concept.spare])
        known = [part for part in everything if part.term in s.known]
        elsewhere = [part for term, part in self.introduced.items() if term not in s.known]
        if elsewhere and (not known or self.rng.random() < self.concept.voice.loose):
            return self.rng.choice(elsewhere)
        return self.rng.choice(known or self.concept.parts)

    def _fresh(self, s: Sentence) -> Part:
        """Return a part this branch has not yet: a spare one, then variants of the core."""
        again = [p for p in self.introduced.values() if p.term not in s.known]
        if again and self.rng.random() < 0.2:
            return self.rng.choice(again)  # claimed in another branch too
        while self.spare:
            part = self.spare.pop()
            if part.term not in s.known:
                return part
        adjectives = [*shared().adjectives, *self.concept.area.adjectives]
        for _ in range(20):
            base = self.rng.choice(self.concept.parts)
            part = Part(f"{self.rng.choice(adjectives)} {base.term}", base.number)
            if part.term not in s.known and part.number is not Number.MASS:
                break
        self.concept.spare.append(part)
        return part

    def _familiar(self, s: Sentence) -> str | None:
        """Choose a step of which all is known here; None stands for a general one."""
        known: list[str | None] = [None]
        for template in self.concept.steps:
            words = re.findall(r"\[(.+?)\]", template)
            if all(self.concept.part(word).term in s.known for word in words):
                known.append(template)
        return self.rng.choice(known)

    def _word(self, word: str) -> Part:
        return self.concept.part(word)


def _series(texts: Sequence[str] | dict[str, None]) -> str:
    """Join elements the way claims do: semicolons, and before the last.

    >>> _series(["a shaft", "a cap", "a rib"])
    'a shaft; a cap; and a rib'
    """
    items = list(texts)
    if len(items) == 1:
        return items[0]
    return "; ".join(items[:-1]) + ("; and " if len(items) > 2 else " and ") + items[-1]

"""Title, abstract and dates of an invented patent.

In:   a Concept.
Out:  the front page's words.
Why:  title and abstract are encoder inputs of their own; they share words with the claims."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from phage.invented import clauses
from phage.invented.concept import Concept
from phage.invented.sentence import Sentence, Voice, article

_START = date(2004, 1, 6)
_SPAN = 5800  # days


def title(concept: Concept, rng: Random) -> str:
    """Write a title."""
    thing, part = concept.things[0], rng.choice(concept.parts[:4])
    purpose = rng.choice(concept.topic.purposes).replace("[", "").replace("]", "")
    text = rng.choice(
        (
            f"{thing} with {part.term}",
            f"{thing} and method for {purpose}",
            f"{thing} having {article(part.term)} {part.term}",
            f"method and apparatus for {purpose}",
            thing,
        )
    )
    return text[0].upper() + text[1:]


def abstract(concept: Concept, rng: Random) -> str:
    """Write an abstract of four to six sentences."""
    s = Sentence(rng, Voice(said=0.0), set())
    thing = concept.things[0]
    opening = f"{article(thing).capitalize()} {thing}"
    opening += " " + s.fill(rng.choice(concept.topic.settings), concept.part)[0]
    parts = concept.parts[: rng.randint(3, 5)]
    listed = [str(s.a(part)) for part in parts]
    first = f"{opening} includes {', '.join(listed[:-1])} and {listed[-1]}."
    sentences = [first]
    for part in rng.sample(parts, 2):
        sentences.append(_sentence(clauses.relation(s, concept, part)))
    sentences.append(_sentence(clauses.purpose(s, concept, rng.choice(parts))))
    if rng.random() < 0.5:
        step = clauses.step(s, concept, rng.choice(concept.steps))
        sentences.append(f"A corresponding method includes {step}.")
    sentences.append(_sentence(rng.choice(concept.topic.effects)))
    return " ".join(sentences)


def published(index: int) -> date:
    """Return the day of issue: a Tuesday, later for a later index, whatever the corpus size.

    >>> published(0), published(10**6) < date(2020, 1, 1)
    (datetime.date(2004, 1, 6), True)
    """
    days = _SPAN * index // (index + 3000)
    return _START + timedelta(days=days - days % 7)


def _sentence(clause: str) -> str:
    return clause[0].upper() + clause[1:] + "."

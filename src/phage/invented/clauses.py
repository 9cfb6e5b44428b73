"""Clauses of claim English.

In:   a Sentence to write into and the parts at hand.
Out:  the clause's words; mentions and coupled components are noted in the Sentence.
Why:  each pattern is unambiguous to a reader of the guideline, so its record is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from phage.invented.concept import Concept
from phage.invented.fields import shared
from phage.invented.sentence import Number, Part, Sentence, WrittenPhrase


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between parts: participle, and finite forms where it is active."""

    participle: str
    coupling: bool = True
    """Whether its verb is one of the 13 of the lexicon."""
    objects: int = 1
    finite: tuple[str, str] | None = None


LINKS = (
    Link("coupled to"), Link("operatively coupled to"), Link("connected to"),
    Link("electrically connected to"), Link("connected with"), Link("attached to"),
    Link("removably attached to"), Link("mounted on"), Link("rotatably mounted in"),
    Link("mounted to"), Link("disposed in"), Link("disposed on"),
    Link("disposed between", objects=2),
    Link("positioned above"), Link("positioned adjacent to"), Link("supported by"),
    Link("engaged with"), Link("received in"), Link("interposed between", objects=2),
    Link("engaging", finite=("engages", "engage")),
    Link("supporting", finite=("supports", "support")),
    Link("receiving", finite=("receives", "receive")),
    Link("extending through", finite=("extends through", "extend through")),
    Link("extending from", finite=("extends from", "extend from")),
    Link("extending between", objects=2, finite=("extends between", "extend between")),
)  # fmt: skip

_STEPS = (
    "mounting {} on {}", "coupling {} to {}", "connecting {} to {}", "attaching {} to {}",
    "positioning {} in {}", "receiving {} from {}", "supporting {} with {}",
    "engaging {} with {}", "disposing {} on {}", "interposing {} between {} and {}",
)  # fmt: skip
_PLAIN_STEPS = (
    "moving {} toward {}", "aligning {} with {}", "removing {} from {}", "cleaning {} with {}",
    "separating {} from {}", "monitoring {} with {}", "inspecting {} after {}",
)  # fmt: skip


def element(s: Sentence, concept: Concept, part: Part) -> str:
    """Introduce a part, mostly in its relation to the others: "a cap mounted on the shaft"."""
    rng = s.rng
    others = _known(s, concept, part)
    luck = rng.random()
    head = s.a(part)
    if luck < 0.18 or not others:
        return str(head)
    if concept.area.chemical and luck < 0.5:
        return f"{head} in {rng.choice(_amounts(concept))}"
    if luck < 0.38 and not concept.area.chemical:
        return f"{head} {_purpose(s, concept, part)}"
    link = _link(rng, concept, len(others))
    return f"{head} {link.participle} {_objects(s, link, part, others)}"


def containing(s: Sentence, part: Part, inner: Sequence[Part]) -> str:
    """Introduce a part with what it has: "a frame having a rib"."""
    head = s.a(part)
    word = s.rng.choice(("having", "including", "comprising", "with"))
    return f"{head} {word} {_and([s.a(p) for p in inner])}"


def relation(s: Sentence, concept: Concept, subject: Part) -> str:
    """Relate two or three parts that have an antecedent: "the cap is mounted on the shaft"."""
    others = _known(s, concept, subject)
    if not others:
        return measure(s, concept, subject)
    link = _link(s.rng, concept, len(others))
    subjects = [subject]
    if len(others) > link.objects and s.rng.random() < 0.12:
        subjects.append(others.pop(s.rng.randrange(len(others))))
    heads = [s.the(p) for p in subjects]
    head = WrittenPhrase(_and(heads), len(heads) > 1 or heads[0].plural)
    if link.coupling:
        s.couple(*subjects)
    verb = head.verb(*link.finite) if link.finite else f"{head.be()} {link.participle}"
    return f"{head} {verb} {_objects(s, link, None, others)}"


def purpose(s: Sentence, concept: Concept, subject: Part) -> str:
    """Say what a part does: "the lever is configured to press the brake pad"."""
    head = s.the(subject)
    if concept.area.chemical:
        return f"{head} {head.verb('serves', 'serve')} to {_function(s, concept, subject)[0]}"
    return f"{head} {head.be()} {_purpose(s, concept, subject)}"


def includes(s: Sentence, subject: Part, inner: Sequence[Part]) -> str:
    """Add parts to a part: "the frame comprises a rib"."""
    head = s.the(subject)
    verb = s.rng.choice((("comprises", "comprise"), ("includes", "include"), ("has", "have")))
    return f"{head} {head.verb(*verb)} {_and([s.a(p) for p in inner])}"


def surface(s: Sentence, concept: Concept, subject: Part) -> str:
    """Speak of a face of a part: "an outer surface of the cap faces the shaft"."""
    others = _known(s, concept, subject)
    if not others:
        return measure(s, concept, subject)
    side = s.rng.choice(("outer surface", "inner surface", "front face", "upper edge"))
    return f"{s.a(Part(side))} of {s.the(subject)} faces {s.the(s.rng.choice(others))}"


def measure(s: Sentence, concept: Concept, subject: Part) -> str:
    """Add a material or a quantity to a part."""
    head = s.the(subject)
    own = s.rng.random() < 0.5
    if concept.area.chemical:
        return f"{head} {head.be()} present in {s.rng.choice(_amounts(concept))}"
    if subject.number is not Number.MASS and s.rng.random() < 0.5:
        stuff = s.rng.choice(concept.topic.materials if own else shared().materials)
        s.mentions[("indef", stuff)] = None
        return f"{head} {head.be()} {s.rng.choice(('made of', 'formed from'))} {stuff}"
    amount = s.rng.choice(concept.topic.quantities if own else shared().dimensions)
    return f"{head} {head.verb('has', 'have')} {amount}"


def step(s: Sentence, concept: Concept, template: str | None = None, fresh: float = 0.4) -> str:
    """Write a method step as a gerund: the template's, or a general one on parts at hand."""
    rng = s.rng
    if template:
        return s.fill(template, concept.part)[0]
    near = _known(s, concept, None) or concept.parts
    coupling = rng.random() < 0.5 * concept.area.mechanical
    pattern = rng.choice(_STEPS if coupling else _PLAIN_STEPS)
    if len(near) < pattern.count("{}"):
        near = concept.parts
    chosen = rng.sample(near, pattern.count("{}"))
    if rng.random() < fresh:
        new = [p for p in concept.parts if p.term not in s.known and p not in chosen]
        chosen[0] = rng.choice(new) if new else chosen[0]
    words = [s.name(p) for p in chosen]
    if coupling:
        s.couple(*chosen)
    return pattern.format(*words)


def _known(s: Sentence, concept: Concept, besides: Part | None) -> list[Part]:
    """Parts with an antecedent, in the concept's order (a set has none)."""
    everything = dict.fromkeys([*concept.parts, *concept.spare])
    return [p for p in everything if p.term in s.known and p != besides]


def _link(rng: Random, concept: Concept, available: int) -> Link:
    if rng.random() < concept.area.mechanical * 0.65:
        return rng.choice([link for link in LINKS if link.objects <= available])
    own = rng.random() < 0.5
    return Link(rng.choice(concept.area.relations if own else shared().relations), coupling=False)


def _objects(s: Sentence, link: Link, subject: Part | None, others: Sequence[Part]) -> str:
    chosen = s.rng.sample(others, link.objects)
    words = [s.the(p) for p in chosen]
    if link.coupling:
        s.couple(*([subject] if subject else []), *chosen)
    return _and(words)


def _purpose(s: Sentence, concept: Concept, subject: Part) -> str:
    verb = s.rng.choice(("configured", "configured", "adapted", "operable", "arranged"))
    text, named = _function(s, concept, subject)
    if verb in ("configured", "adapted"):
        s.couple(subject, *named)
    return f"{verb} to {text}"


def _function(s: Sentence, concept: Concept, subject: Part) -> tuple[str, tuple[Part, ...]]:
    own = [f for f in concept.functions if concept.part(f.split("[")[1][:-1]) != subject]
    others = _known(s, concept, subject)
    if own and (not others or s.rng.random() < 0.6):
        return s.fill(s.rng.choice(own), concept.part)
    if not others:
        return "rotate", ()
    target = s.rng.choice(others)
    return f"{s.rng.choice(shared().functions)} {s.the(target)}", (target,)


def _amounts(concept: Concept) -> tuple[str, ...]:
    return shared().shares + concept.topic.quantities[:1]


def _and(phrases: Sequence[WrittenPhrase]) -> str:
    return " and ".join(str(phrase) for phrase in phrases)

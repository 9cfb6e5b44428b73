"""What one invented patent is about.

In:   its place in the corpus: seed, index, field, topic, lineage.
Out:  Concept: what is claimed, of which parts, with which words and how drafted.
Why:  patents of one lineage share a core, so that near and far mean something in retrieval."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from phage.invented.fields import Field, Topic, fields, shared
from phage.invented.sentence import Number, Part, Voice

_NUMBERS = (
    (Number.ONE, 68), (Number.MANY, 12), (Number.PAIR, 5), (Number.TWO, 3), (Number.SOME, 6),
    (Number.MORE, 4), (Number.BARE, 2),
)  # fmt: skip


@dataclass
class Concept:
    """An invention before it is written down."""

    area: Field
    topic: Topic
    things: tuple[str, ...]
    parts: list[Part]
    """The core, most important first."""
    spare: list[Part]
    """Further parts, for dependent claims."""
    functions: tuple[str, ...]
    steps: tuple[str, ...]
    voice: Voice
    side: Topic | None = None
    """Another field's topic that the invention borrows from."""
    swapped: bool = False
    """Filed under the field it borrows from, as happens."""
    book: dict[str, Part] = field(default_factory=dict)
    """Vocabulary word → the part it became here."""

    def part(self, word: str) -> Part:
        """Return the part behind a word of the vocabulary."""
        if word not in self.book:
            number = Number.MASS if word in shared().mass else Number.ONE
            self.book[word] = Part(word, number)
        return self.book[word]

    @property
    def code(self) -> str:
        """The main IPC symbol."""
        return self.side.key if self.side and self.swapped else self.topic.key

    @property
    def codes(self) -> tuple[str, ...]:
        """All IPC symbols, the main one first."""
        found = [self.code, self.topic.key]
        if self.side:
            found.append(self.side.key)
        return tuple(dict.fromkeys(found))


def conceive(seed: int, index: int, area: Field, topic: Topic, lineage: int) -> Concept:
    """Think up the invention of one index."""
    line = Random(f"{seed}/lineage/{topic.key}/{lineage}")
    own = Random(f"{seed}/concept/{index}")
    words = [word.lstrip("~") for word in line.sample(topic.parts, len(topic.parts))]
    core, rest = words[:7], words[7:]
    # Relatives differ in a part or two.
    core = own.sample(core, 6) + own.sample(rest, own.choice((0, 1, 1, 2)))
    common = _common(own, area)
    side = _side(own, area)
    borrowed = [word.lstrip("~") for word in own.sample(side.parts, 5)] if side else []
    book: dict[str, Part] = {}
    adorned = {word: _adorn(line, area, word) for word in words}
    for word in dict.fromkeys([*core, *common, *borrowed, *rest]):
        term = adorned[word] if word in adorned else _adorn(own, area, word)
        book[word] = Part(term, _number(own, word))
    main = core[:4] + borrowed[: own.randint(1, 4)] + common[: own.randint(2, 4)] + core[4:]
    own.shuffle(main)
    spare = [word for word in book if word not in main]
    return Concept(
        area=area,
        topic=topic,
        things=tuple(line.sample(topic.things, len(topic.things))),
        parts=_split(own, [book[word] for word in main], book),
        spare=[book[word] for word in own.sample(spare, len(spare))],
        functions=tuple(line.sample(topic.functions, 3)) + (side.functions[:1] if side else ()),
        steps=tuple(line.sample(topic.steps, 4)) + (side.steps[:1] if side else ()),
        voice=_voice(own, area),
        side=side,
        swapped=own.random() < 0.2,
        book=book,
    )


def _common(rng: Random, area: Field) -> list[str]:
    words = shared()
    if area.chemical:
        return rng.sample(words.chemistry, 8)
    control = rng.sample(words.control, 7 if area.computing else 4)
    found = control + rng.sample(words.mechanical, 3 if area.computing else 7)
    return rng.sample(found, len(found))


def _side(rng: Random, area: Field) -> Topic | None:
    """Four in ten inventions borrow from another field; chemistry from chemistry only."""
    others = [f for f in fields() if f.code != area.code and f.chemical == area.chemical]
    if rng.random() > 0.4 or not others:
        return None
    return rng.choice(rng.choice(others).topics)


def _adorn(rng: Random, area: Field, word: str) -> str:
    if rng.random() > 0.25 or word in shared().mass:
        return word
    local = rng.random() < 0.4
    return f"{rng.choice(area.adjectives if local else shared().adjectives)} {word}"


def _number(rng: Random, word: str) -> Number:
    if word in shared().mass:
        return Number.MASS
    kinds, weights = zip(*_NUMBERS, strict=True)
    found: Number = rng.choices(kinds, weights)[0]
    return found


def _split(rng: Random, parts: list[Part], book: dict[str, Part]) -> list[Part]:
    """Let one part in some inventions come as a first and a second one."""
    single = [p for p in parts if p.number is Number.ONE and not p.term.startswith(_ORDINALS)]
    if not single or rng.random() > 0.35:
        return parts
    chosen = rng.choice(single)
    first, second = Part(f"first {chosen.term}"), Part(f"second {chosen.term}")
    for word, part in book.items():
        if part == chosen:
            book[word] = first
    place = parts.index(chosen)
    return [*parts[:place], first, second, *parts[place + 1 :]]


_ORDINALS = ("first ", "second ")


def _voice(rng: Random, area: Field) -> Voice:
    european = rng.random() < 0.3
    return Voice(
        european=european,
        said=rng.choice((0.0, 0.0, 0.05, 0.3, 0.8)),
        numerals=european and not area.chemical and rng.random() < 0.4,
        loose=rng.choice((0.0, 0.05, 0.1, 0.2)),
    )

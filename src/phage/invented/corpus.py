"""A stream of invented patents that cite each other.

In:   how many, and a seed.
Out:  Inventions, one after the other: a Patent and its true graph.
Why:  a corpus everyone may have, whose every edge is known; the default of demo and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

from phage.claims.types import Citation, Claim, Patent
from phage.invented import front
from phage.invented.claimset import ClaimWriter
from phage.invented.concept import Concept, conceive
from phage.invented.fields import Field, Topic, fields
from phage.invented.plan import plan
from phage.invented.truth import Written, true_edges

OFFICE = "ZZ"  # no office has this code, so no number here is a real patent's


@dataclass(frozen=True, slots=True)
class Invention:
    """An invented patent and everything that is true of it."""

    patent: Patent
    written: tuple[Written, ...]

    def edges(self) -> list[dict[str, Any]]:
        """Return the true edges, as in the JSON form of a claim graph."""
        return true_edges(self.written)

    def to_json(self) -> dict[str, Any]:
        """Return the patent's JSON form with two more keys: ``graph`` and ``ingredients``."""
        return {
            **self.patent.to_json(),
            "graph": {
                "patent": self.patent.number,
                "language": "en",
                "claims": [claim.number for claim in self.written],
                "edges": self.edges(),
            },
            "ingredients": [
                {
                    "claim": claim.number,
                    "mentions": [list(mention) for mention in claim.mentions],
                    "components": list(claim.components),
                }
                for claim in self.written
            ],
        }


@dataclass
class _Lineage:
    """Patents that build on each other, and the earlier ones they all go back to."""

    founders: list[int]
    members: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a patent stands in the corpus."""

    index: int
    area: Field
    topic: Topic
    lineage: int
    cited: tuple[int, ...]
    origin: int
    """The index whose concept it shares: its own, or that of the patent it continues."""


def invent(count: int, seed: int = 7) -> Iterator[Invention]:
    """Write ``count`` patents; a longer corpus of the same seed begins with the shorter one.

    >>> a, b = (next(invent(1, seed=3)).patent for _ in range(2))
    >>> a == b, a.number, a.claims[0].text[:2] in ("A ", "An")
    (True, 'ZZ1000001B2', True)
    """
    for place in _places(count, seed):
        concept = conceive(seed, place.origin, place.area, place.topic, place.lineage)
        yield _invention(seed, place, concept)


def _places(count: int, seed: int) -> Iterator[_Place]:
    """Decide field, topic, lineage and citations, one patent at a time."""
    areas = fields()
    weights = [1 / (1 + 0.06 * (7 * rank % len(areas))) for rank in range(len(areas))]
    lineages: dict[str, list[_Lineage]] = {}
    origins: dict[int, int] = {}
    for index in range(count):
        rng = Random(f"{seed}/place/{index}")
        area = rng.choices(areas, weights)[0]
        topic = rng.choices(area.topics, (5, 3, 2))[0]
        lines = lineages.setdefault(topic.key, [])
        if not lines or rng.random() < 0.1:
            lines.append(_Lineage([i for line in lines[-2:] for i in line.members[-2:]]))
        number = rng.randrange(max(0, len(lines) - 4), len(lines))  # old lineages die out
        line = lines[number]
        parent = rng.choice(line.members[-3:]) if line.members else index
        origin = origins.get(parent, parent) if rng.random() < 0.07 else index
        if origin != index:
            origins[index] = origin
        yield _Place(index, area, topic, number, _cited(rng, index, line, lines), origin)
        line.members.append(index)


def _cited(rng: Random, index: int, line: _Lineage, lines: list[_Lineage]) -> tuple[int, ...]:
    """Cite what the lineage goes back to, some recent relatives, and a little at random."""
    roots = line.founders + line.members[:3]
    found = rng.sample(roots, min(len(roots), rng.randint(2, 4)))
    recent = line.members[3:][-5:]
    found += rng.sample(recent, min(len(recent), rng.randint(0, 2)))
    cousins = rng.choice(lines).members
    found += rng.sample(cousins, min(len(cousins), rng.randint(0, 1)))
    found += [rng.randrange(index) for _ in range(rng.randint(0, 1)) if index]
    return tuple(sorted(set(found)))


def _invention(seed: int, place: _Place, concept: Concept) -> Invention:
    rng = Random(f"{seed}/claims/{place.index}")
    day = front.published(place.index)
    shared = Random(f"{seed}/front/{place.origin}")  # a continuation keeps title and abstract
    title, abstract = front.title(concept, shared), front.abstract(concept, shared)
    codes = concept.codes
    written = tuple(ClaimWriter(concept, rng).write(plan(rng, concept.voice.european)))
    patent = Patent(
        number=_number(place.index),
        claims=tuple(Claim(claim.number, claim.text) for claim in written),
        application=_application(place.index),
        family=f"F{place.origin + 1:07}",
        kind="B2",
        title=title,
        abstract=abstract,
        ipc=codes,
        cpc=codes,
        filing_date=(day - timedelta(days=rng.randint(400, 1400))).isoformat(),
        publication_date=day.isoformat(),
        citations=tuple(
            Citation(_number(i), rng.choice(("cited by examiner", "cited by applicant")))
            for i in place.cited
        ),
        related=() if place.origin == place.index else (_application(place.origin),),
    )
    return Invention(patent, written)


def _number(index: int) -> str:
    return f"{OFFICE}{1_000_001 + index}B2"


def _application(index: int) -> str:
    return f"{OFFICE}{20_000_001 + index}"

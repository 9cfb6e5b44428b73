"""Two patents → a claim chart.

In:   a patent whose claims are charted, another one, and an encoder.
Out:  Chart: each element with the other patent's best passages and the words that differ.
Why:  whether a document discloses a claim is decided element by element, never by one score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from phage.claims.elements import Element, elements
from phage.claims.types import Patent
from phage.compare.passages import passages
from phage.compare.types import Chart, Match, Passage, Row
from phage.compare.words import joined, placed, weights
from phage.errors import PhageError

if TYPE_CHECKING:
    from phage.encoder import Encoder

Vectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts → their vectors, (N, D)."""
WEIGHT = 0.5
"""Share of the cosine in the score: the middle of a plateau on validation (docs/decisions.md)."""
CLOSE = 0.53
"""Score from which a passage counts as close: all passages that were read as right reach it."""
BEST = 3
"""Passages kept for each element."""
MOST = 500
"""Elements of one chart."""
SHORTLIST = 40
"""Sentences of a description that are encoded for an element: those that share the most words."""


def vectors_by(encoder: Encoder) -> Vectors:
    """Return a function that encodes short texts, each by the mean of its tokens."""

    def vectors(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.concatenate([one.vectors[:1] for one in encoder.read(texts)])

    return vectors


def chart(
    patent: Patent, other: Patent, vectors: Vectors, claims: Sequence[int] = (), best: int = BEST
) -> Chart:
    """Chart claims of a patent against another one; without numbers, its first claim."""
    wanted = _elements(patent, claims)
    known = passages(other)
    rows = tuple(ranked(wanted, known, vectors, best))
    return Chart(patent.number, patent.title, other.number, other.title, rows)


def ranked(
    wanted: Sequence[Element], known: Sequence[Passage], vectors: Vectors, best: int = BEST
) -> list[Row]:
    """Find the best passages for each element."""
    if not known:
        return [Row(element, (), False) for element in wanted]
    asked = [element.text for element in wanted]
    covered = coverage(asked, [passage.text for passage in known])  # (E, P)
    kept = _shortlist(known, covered)
    known, covered = [known[at] for at in kept], covered[:, kept]
    offered = [passage.text for passage in known]
    cosines = np.clip(vectors(asked) @ vectors(offered).T, 0.0, 1.0)  # (E, P)
    scores = WEIGHT * cosines + (1 - WEIGHT) * covered
    rows: list[Row] = []
    for place, element in enumerate(wanted):
        order = np.lexsort((np.arange(len(known)), -scores[place]))[:best]
        matches = tuple(
            _match(element, known[at], scores[place, at], cosines[place, at], covered[place, at])
            for at in order
        )
        rows.append(Row(element, matches, matches[0].score >= CLOSE))
    return rows


def _shortlist(known: Sequence[Passage], covered: NDArray[np.float64]) -> list[int]:
    """Return all passages of claims and abstract, and the description's best-matching sentences.

    A description has hundreds of sentences; to encode them all would take most of the time.
    """
    rest = np.array([passage.place.startswith("description") for passage in known])
    order = np.argsort(np.where(rest, -covered, 1.0), axis=1, kind="stable")[:, :SHORTLIST]
    return sorted({*np.flatnonzero(~rest).tolist(), *order.ravel().tolist()})


def coverage(asked: Sequence[str], offered: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of each asked text's words, by weight, that each offered text has: (E, P).

    >>> coverage(["a shaft and a seal"], ["the seal", "a lid"]).round(2).tolist()
    [[0.35, 0.0]]
    """
    weigh = weights([*asked, *offered])
    ours = [{name for name, _ in placed(text)} for text in asked]
    known = {name: at for at, name in enumerate(sorted(set().union(*ours)))}
    weight = np.array([weigh[name] for name in known])  # (V,)
    have = _table([{name for name, _ in placed(text)} for text in offered], known)  # (P, V)
    want = _table(ours, known) * weight  # (E, V)
    total = want.sum(1, keepdims=True)
    shares: NDArray[np.float64] = want @ have.T / np.where(total > 0, total, 1.0)
    return shares


def _table(texts: Sequence[set[str]], known: dict[str, int]) -> NDArray[np.float64]:
    table = np.zeros((len(texts), len(known)))
    for row, names in enumerate(texts):
        table[row, [known[name] for name in names if name in known]] = 1.0
    return table


def _match(element: Element, passage: Passage, score: float, cosine: float, words: float) -> Match:
    ours, theirs = placed(element.text), placed(passage.text)
    have, want = {name for name, _ in theirs}, {name for name, _ in ours}
    shared = joined((span for name, span in theirs if name in want), passage.text)
    missing = joined((span for name, span in ours if name not in have), element.text)
    score, cosine, words = (round(float(value), 4) for value in (score, cosine, words))
    return Match(passage, score, cosine, words, shared, missing)


def _elements(patent: Patent, claims: Sequence[int]) -> list[Element]:
    if not patent.claims:
        raise PhageError(
            f"{patent.number} has no claims to chart", remedy="give a file with claims"
        )
    by_number = {claim.number: claim for claim in reversed(patent.claims)}
    unknown = [number for number in claims if number not in by_number]
    if unknown:
        raise PhageError(
            f"{patent.number} has no claim {unknown[0]}",
            remedy=f"it has claims {min(by_number)} to {max(by_number)}",
        )
    chosen = [by_number[number] for number in claims] or [patent.claims[0]]
    found = [one for claim in chosen for one in elements(claim)]
    if len(found) > MOST:
        raise PhageError(
            f"these claims have {len(found):,} elements; a chart takes {MOST}",
            remedy="choose fewer claims",
        )
    return found

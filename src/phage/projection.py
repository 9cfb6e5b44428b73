"""Project a claim graph onto tokens.

In:   a Patent's claims, its ClaimGraph, the model's tokenizer and window.
Out:  Projection: token ids, the claim of each token, the relation table of the claims that kept a
      token, and what the cut cost.
Why:  the graph speaks of claims, attention of tokens; only this file knows both.

>>> projector = Projector(tokenizer, window=512, fit="balanced")       # doctest: +SKIP
>>> projection = projector(patent, build_graph(patent))                # doctest: +SKIP
>>> batch = phage.attention.collate([projection, ...])                 # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from phage.claims.text import Section, passage
from phage.claims.types import Patent
from phage.claims.window import Fit, Tokenizer, check_tokenizer, cut, window_of
from phage.errors import PhageError
from phage.graph.types import ClaimGraph, Relation

CODES: dict[Relation, int] = {relation: i for i, relation in enumerate(Relation, start=1)}
"""Relation → its number in a relation table: cite 1, term 2, func 3, both 4; 0 means no edge."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is left of claim sets after the cut; sums over patents with ``+``.

    >>> Kept(20, 10, 8, 2, 1) + Kept(10, 5, 10, 5, 0)
    Kept(claims=30, claims_kept=15, edges=18, edges_kept=7, open=1)
    """

    claims: int = 0
    claims_kept: int = 0
    """Claims with at least one token in the window."""
    edges: int = 0
    edges_kept: int = 0
    """Edges whose two claims are both kept."""
    open: int = 0
    """Patents without a kept edge: they use unconstrained attention."""

    def __add__(self, other: Kept) -> Kept:
        """Sum two reports."""
        return Kept(
            self.claims + other.claims,
            self.claims_kept + other.claims_kept,
            self.edges + other.edges,
            self.edges_kept + other.edges_kept,
            self.open + other.open,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """One patent as guided attention reads it."""

    patent: str
    ids: NDArray[np.int32]
    """(T,) token ids: [CLS], claims, [SEP]."""
    claims: NDArray[np.int32]
    """(T,) index into ``numbers`` of each token's claim; -1 for [CLS] and text before claim 1."""
    numbers: tuple[int, ...]
    """Printed numbers of the n claims that kept a token, in order."""
    relations: NDArray[np.int8]
    """(n, n); ``relations[i, j]`` is the CODES number of the edge from claim j to claim i, or 0."""
    kept: Kept
    cut: bool = False
    """Whether the text is longer than the window."""

    @property
    def open(self) -> bool:
        """No edge was kept: this patent attends without constraint."""
        return self.kept.edges_kept == 0

    def __len__(self) -> int:
        """Count the tokens."""
        return len(self.ids)


class _HasConfig(Protocol):
    @property
    def config(self) -> object: ...


@dataclass(frozen=True, slots=True)
class Projector:
    """Claims and graphs → projections, for one tokenizer and window."""

    tokenizer: Tokenizer
    """A fast tokenizer of ``transformers``."""
    window: int
    """Tokens with [CLS] and [SEP]; never exceeded."""
    fit: Fit = Fit.PREFIX
    section: Section = Section.CLAIMS
    """``tac`` reads title and abstract before the claims; they belong to [CLS]'s node."""

    def __post_init__(self) -> None:
        """Fail at the start of a run rather than at its first patent."""
        check_tokenizer(self.tokenizer)
        object.__setattr__(self, "fit", Fit(self.fit))  # a recipe says "balanced"
        object.__setattr__(self, "section", Section(self.section))
        if self.section is Section.WHOLE:
            raise PhageError(
                "training reads one window, but a whole patent needs several",
                remedy="train with section claims or tac; the encoder may still read whole patents",
            )

    @classmethod
    def of(
        cls,
        model: _HasConfig,
        tokenizer: Tokenizer,
        *,
        window: int | None = None,
        fit: Fit | str = Fit.PREFIX,
    ) -> Projector:
        """Take the window from the model; a requested window must not exceed it."""
        return cls(tokenizer, window_of(model.config, tokenizer, window), Fit(fit))

    def __call__(self, patent: Patent, graph: ClaimGraph | None = None) -> Projection:
        """Cut a patent to the window and restrict the graph to the claims that kept a token.

        Without a graph, attention is unconstrained.
        """
        text = passage(patent, self.section)
        (tokens,) = cut([text], self.tokenizer, self.window, self.fit)
        kept = np.unique(tokens.claims[tokens.claims >= 0])  # (n,) indices into claims, in order
        place = np.full(len(patent.claims) + 1, -1, dtype=np.int32)  # the last entry serves [CLS]
        place[kept] = np.arange(len(kept))
        numbers = tuple(patent.claims[index].number for index in kept)
        relations = relation_table(numbers, graph)
        edges = len(graph.edges) if graph is not None else 0
        survived = int(np.count_nonzero(relations))
        return Projection(
            patent=patent.number,
            ids=tokens.ids,
            claims=place[tokens.claims],
            numbers=numbers,
            relations=relations,
            kept=Kept(len(patent.claims), len(kept), edges, survived, int(survived == 0)),
            cut=tokens.cut,
        )


def relation_table(numbers: Sequence[int], graph: ClaimGraph | None) -> NDArray[np.int8]:
    """Return the (n, n) relation table of the named claims: row receives, column gives.

    >>> from phage.graph.types import Edge
    >>> edges = (Edge(1, 2, Relation.CITE), Edge(2, 3, Relation.TERM), Edge(1, 9, Relation.CITE))
    >>> relation_table((1, 2, 3), ClaimGraph("US1A", (1, 2, 3, 9), edges)).tolist()
    [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    """
    place = {number: index for index, number in enumerate(numbers)}
    table = np.zeros((len(numbers), len(numbers)), dtype=np.int8)
    for edge in graph.edges if graph is not None else ():
        if edge.source in place and edge.target in place:
            table[place[edge.target], place[edge.source]] = CODES[edge.relation]
    return table


def total(projections: Iterable[Projection]) -> Kept:
    """Sum what the cut left of many patents."""
    return sum((projection.kept for projection in projections), Kept())
